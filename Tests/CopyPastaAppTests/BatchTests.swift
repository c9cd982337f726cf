import TestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct BatchTests {
  @Test func theFirstComesAtOnceAndWhatFollowsFastTogether() async throws {
    var deliveries: [[Int]] = []
    let batch = Batch<Int>(.init(gap: .seconds(600), silence: .milliseconds(1), limit: .seconds(600))) {
      deliveries.append($0)
    }
    for number in 0..<5 { batch.add(number) }
    #expect(deliveries == [[0]])
    #expect(try await eventually { deliveries.count == 2 })
    #expect(deliveries == [[0], [1, 2, 3, 4]])
  }

  @Test func whatComesWithoutHasteComesAtOnce() {
    var deliveries: [[Int]] = []
    let batch = Batch<Int>(.init(gap: .zero)) { deliveries.append($0) }
    for number in 0..<5 { batch.add(number) }
    #expect(deliveries == [[0], [1], [2], [3], [4]])
  }

  @Test func aHasteWithoutEndIsDrawnNowAndThen() async throws {
    var delivered: [Int] = []
    let batch = Batch<Int>(.init(gap: .seconds(600), silence: .seconds(600), limit: .milliseconds(1))) {
      delivered += $0
    }
    for number in 0..<20 {
      batch.add(number)
      #expect(try await eventually { delivered.count == number + 1 })
    }
    #expect(delivered == Array(0..<20))
  }
}
