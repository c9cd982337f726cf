// The main actor on a GLib loop, in a process of its own: a test process drains libdispatch's main queue by itself.
// It prints what the test expects: `tasks N` and `idle N`, the microseconds of processor time of one idle second.

import Glibc
import GtkKit

func processorMicroseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
}

MainLoop.attachMainActor()

// From another thread and back, so that the loop is woken up each time.
var tasks = 0
Task {
  for _ in 0..<100 {
    await Task.detached {}.value
    tasks += 1
  }
}
MainLoop.run(until: { tasks == 100 }, atMost: .seconds(20))
print("tasks \(tasks)")

var isOver = false
let start = processorMicroseconds()
let second = Timeout(after: .seconds(1)) { isOver = true }
MainLoop.run(until: { isOver }, atMost: .seconds(20))
print("idle \(processorMicroseconds() - start)")
second.cancel()
