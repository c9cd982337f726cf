import GtkKit
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct BurstCoalescerTests {
  @Test func `the first comes at once and what follows fast together`() {
    var deliveries: [[Int]] = []
    let coalescer = BurstCoalescer<Int>(
      .init(gap: .seconds(600), silence: .milliseconds(1), limit: .seconds(600))
    ) { deliveries.append($0) }
    for number in 0..<5 { coalescer.add(number) }
    #expect(deliveries == [[0]])
    #expect(MainLoop.run(until: { deliveries.count == 2 }, atMost: .seconds(20)))
    #expect(deliveries == [[0], [1, 2, 3, 4]])
  }

  @Test func `what comes without haste comes at once`() {
    var deliveries: [[Int]] = []
    let coalescer = BurstCoalescer<Int>(.init(gap: .zero)) { deliveries.append($0) }
    for number in 0..<5 { coalescer.add(number) }
    #expect(deliveries == [[0], [1], [2], [3], [4]])
  }

  @Test func `a haste without end is drawn now and then`() {
    var delivered: [Int] = []
    let coalescer = BurstCoalescer<Int>(
      .init(gap: .seconds(600), silence: .seconds(600), limit: .milliseconds(1))
    ) { delivered += $0 }
    for number in 0..<20 {
      coalescer.add(number)
      #expect(MainLoop.run(until: { delivered.count == number + 1 }, atMost: .seconds(20)))
    }
    #expect(delivered == Array(0..<20))
  }
}
