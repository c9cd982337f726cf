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

  @Test func `a text behind a damaged page is found, and the clips of that page do not count`() async throws {
    try await history.record((1...400).map { "clip \($0) " + String(repeating: ".", count: 180) })
    let rows = try RowRecovery(history.location).positions
    let pages = Dictionary(grouping: rows, by: \.page)
    // A page from the middle, and the page with the newest clips.
    let middle = try #require(rows.first { $0.id == 200 }).page
    let last = try #require(rows.first { $0.id == 400 }).page
    for page in [middle, last] {
      try history.damage { $0.destroy((Int(page) - 1) * 4096..<Int(page) * 4096) }
    }
    let left = rows.map(\.id).filter { id in
      ![middle, last].contains { page in pages[page]?.contains { $0.id == id } == true }
    }.sorted(by: >)
    for number in [1, 2, left.count / 2, left.count] {
      let text = try history.location.text(ofNewest: number)
      let expected = "clip \(left[number - 1]) "
      #expect(text.map { String(decoding: $0.bytes, as: UTF8.self).hasPrefix(expected) } == true, "\(number)")
    }
  }
}
