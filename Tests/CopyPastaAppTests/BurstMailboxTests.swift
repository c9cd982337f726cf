import GtkTestSupport
import SerialQueue
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct BurstMailboxTests {
  @Test func `the first of many quick captures is shown immediately, and the others together`() async throws {
    var deliveries: [[Int]] = []
    let mailbox = BurstMailbox<Int>(
      .init(gap: .seconds(600), silence: .seconds(600), limit: .seconds(600))
    ) { deliveries.append($0) }
    mailbox.add(0)
    try await pump("a delivery") { deliveries == [[0]] }
    for number in 1..<5 {
      mailbox.add(number)
      // Give the main thread time to deliver.
      await Task.unpooled {}.value
    }
    #expect(deliveries == [[0]])
    mailbox.flush()
    #expect(deliveries == [[0], [1, 2, 3, 4]])
  }

  @Test func `single captures are shown at once, or together if the main thread is busy`() async throws {
    var deliveries: [[Int]] = []
    let mailbox = BurstMailbox<Int>(.init(gap: .zero, silence: .seconds(600), limit: .seconds(600))) {
      deliveries.append($0)
    }
    for number in 0..<3 {
      mailbox.add(number)
      try await pump("a delivery") { deliveries.count == number + 1 }
    }
    for number in 3..<5 { mailbox.add(number) }
    try await pump("a delivery") { deliveries.count == 4 }
    #expect(deliveries == [[0], [1], [2], [3, 4]])
  }

  @Test func `very many quick captures are shown in batches, or all of the rest when flushed`() async throws {
    for (pause, batches) in [(Duration.zero, [[0, 1], [2, 3], [4]]), (Duration.seconds(600), [[0, 1]])] {
      var deliveries: [[Int]] = []
      let mailbox = BurstMailbox<Int>(
        .init(gap: .zero, silence: .seconds(600), limit: .seconds(600), batchSize: 2, pause: pause)
      ) { deliveries.append($0) }
      // The main thread is busy until all of them have arrived.
      for number in 0..<5 { mailbox.add(number) }
      try await pump("the batches") { deliveries == batches }
      mailbox.flush()
      #expect(deliveries == batches + (pause == .zero ? [] : [[2, 3, 4]]))
    }
  }

  @Test(arguments: [(1, 600_000), (600_000, 1)])
  func `quick captures are shown when they pause, and at intervals if they do not`(
    silence: Int, limit: Int
  ) async throws {
    var delivered: [Int] = []
    let mailbox = BurstMailbox<Int>(
      .init(gap: .seconds(600), silence: .milliseconds(silence), limit: .milliseconds(limit))
    ) { delivered += $0 }
    for number in 0..<20 {
      mailbox.add(number)
      try await pump("a delivery") { delivered.count == number + 1 }
    }
    #expect(delivered == Array(0..<20))
  }
}
