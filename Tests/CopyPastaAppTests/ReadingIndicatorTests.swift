import GtkTestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct ReadingIndicatorTests {
  @Test func `a pause is shown at once, also while the mark tells of a secret`() async throws {
    try await TestDisplay.open()
    let (mark, paused) = (ReadingIndicator(), ReadingIndicator())
    paused.state = .paused
    mark.showSecret()
    #expect(mark.root.tooltip != paused.root.tooltip)
    mark.state = .paused
    #expect(mark.root.tooltip == paused.root.tooltip)
  }
}
