import Testing

@testable import CopyPastaApp

/// Which of a key's presses count.
@Suite struct RepetitionFilterTests {
  private let start = ContinuousClock.now

  @Test func aKeyThatIsHeldDownCountsOnce() {
    var filter = RepetitionFilter()
    var admitted = 0
    for repetition in 0..<30 where filter.admits(start + .milliseconds(33 * repetition)) { admitted += 1 }
    #expect(admitted == 1)
  }

  @Test func twoPressesCountTwice() {
    var filter = RepetitionFilter()
    #expect([0, 120, 240].filter { filter.admits(start + .milliseconds($0)) } == [0, 120, 240])
  }

  @Test func onePressThatComesInTwoWaysCountsOnce() {
    var filter = RepetitionFilter()
    #expect([0, 4, 300].filter { filter.admits(start + .milliseconds($0)) } == [0, 300])
  }
}
