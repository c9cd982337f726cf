import SerialQueue
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct TaskQueueTests {
  @Test func `queued tasks run in order across actors`() async {
    let queue = TaskQueue()
    let worker = Worker()
    var done: [Int] = []
    for number in 0..<50 {
      // Earlier tasks take longer.
      let work: @MainActor () async -> Void = {
        for _ in number..<50 { await Task.yield() }
        done.append(number)
      }
      if number.isMultiple(of: 3) { queue.add(for: worker) { _ in await work() } } else { queue.add(work) }
    }
    await queue.drain()
    #expect(done == Array(0..<50))
  }
}

private actor Worker: SerialActor {
  nonisolated let queue = SerialQueue(label: "org.copypasta.worker")
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
}
