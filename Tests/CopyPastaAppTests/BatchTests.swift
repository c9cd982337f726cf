import TestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct BatchTests {
  @Test func theFirstComesAtOnceAndTheRestTogether() async throws {
    var deliveries: [[Int]] = []
    let batch = Batch<Int>(pause: .milliseconds(50)) { deliveries.append($0) }
    for number in 0..<5 { batch.add(number) }
    #expect(deliveries == [[0]])
    #expect(try await eventually { deliveries.count == 2 })
    #expect(deliveries == [[0], [1, 2, 3, 4]])
  }

  @Test func afterAPauseTheNextComesAtOnceAgain() async throws {
    var deliveries: [[Int]] = []
    let batch = Batch<Int>(pause: .zero) { deliveries.append($0) }
    for number in 0..<20 {
      batch.add(number)
      #expect(try await eventually { deliveries.joined().count == number + 1 })
    }
    #expect(deliveries.flatMap { $0 } == Array(0..<20))
  }

  @Test func flushingLeavesNothingBehind() {
    var delivered: [Int] = []
    let batch = Batch<Int>(pause: .seconds(600)) { delivered += $0 }
    for number in 0..<3 { batch.add(number) }
    batch.flush()
    #expect(delivered == [0, 1, 2])
  }
}
