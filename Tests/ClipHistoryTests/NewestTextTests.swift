import Foundation
import Testing

@testable import ClipHistory

struct NewestTextTests {
  let history = TemporaryHistory()

  @Test func `a text is found by its place, byte for byte`() async throws {
    let large = String(repeating: "large ", count: 100_000)
    try await history.record("one", large, "e\u{301}\r\n")
    for (number, text) in [(1, "e\u{301}\r\n"), (2, large), (3, "one")] {
      #expect(try history.location.text(ofNewest: number) == ClipText(text))
    }
    #expect(try history.location.text(ofNewest: 4) == nil)
    #expect(try history.location.text(ofNewest: .max) == nil)
  }
}
