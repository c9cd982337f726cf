import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct TaskQueueTests {
  @Test func workIsDoneInItsOrder() async {
    let queue = TaskQueue()
    var done: [Int] = []
    var last: Task<Void, Never>?
    for number in 0..<50 {
      last = queue.add {
        // The earlier ones take longer.
        for _ in number..<50 { await Task.yield() }
        done.append(number)
      }
    }
    await last?.value
    #expect(done == Array(0..<50))
  }
}
