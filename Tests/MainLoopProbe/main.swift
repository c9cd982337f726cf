// Runs the main actor on a GLib loop, in a process of its own because a test process drains libdispatch's main queue
// itself. It prints three lines, which the test checks: `tasks` and the number of finished tasks; `pooled` and the
// number of threads in libdispatch's pool; `idle` and the microseconds of processor time in one idle second.
//
// With the argument `services`, waits for the session's services instead, and prints whether that takes half a second.

import Glibc
import GtkKit
import SerialQueue

/// Returns the number of threads in libdispatch's pool.
///
/// Such a thread is named after its queue, for example `…oot.default-qos`; the names of other queues' threads end in
/// `.overcommit`.
func pooledThreads() -> Int {
  guard let folder = opendir("/proc/self/task") else { return -1 }
  defer { closedir(folder) }
  var count = 0
  while let entry = readdir(folder) {
    let thread = withUnsafeBytes(of: entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    guard let file = fopen("/proc/self/task/\(thread)/comm", "r") else { continue }
    defer { fclose(file) }
    var name = [UInt8](repeating: 0, count: 16)
    let length = fread(&name, 1, name.count, file)
    if String(decoding: name[..<length], as: UTF8.self).hasSuffix("-qos\n") { count += 1 }
  }
  return count
}

MainLoop.attachMainActor()

if CommandLine.arguments.last == "services" {
  var isLate = false
  let limit = Timeout(after: .milliseconds(500)) { isLate = true }
  StartupServices(isHurried: true) { _ in }.awaitBeforeDisplay()
  limit.cancel()
  print(isLate ? "late" : "in time")
  exit(0)
}

@concurrent func elsewhere() async {}

// Switch to another thread and back, so that the loop is woken each time.
var tasks = 0
Task.unpooled {
  try await Timeout.wait(.milliseconds(1))
  for _ in 0..<100 {
    await elsewhere()
    tasks += 1
  }
}
MainLoop.run(until: { tasks == 100 }, atMost: .seconds(120))
print("tasks \(tasks)")
print("pooled \(pooledThreads())")

var isOver = false
// The clock counts microseconds of processor time.
let start = clock()
let second = Timeout(after: .seconds(1)) { isOver = true }
MainLoop.run(until: { isOver }, atMost: .seconds(120))
print("idle \(clock() - start)")
second.cancel()
