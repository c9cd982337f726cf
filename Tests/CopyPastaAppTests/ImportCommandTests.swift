import ClipHistory
import Foundation
import GtkKit
import TestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct ImportCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func location(_ name: String) -> HistoryLocation {
    HistoryLocation(folder: folder.path + "/" + name)
  }

  /// Runs `body` with a descriptor from which it can read these lines.
  private func reading<Result>(_ lines: String, _ body: (Int32) throws -> Result) throws -> Result {
    try folder.write(lines, to: "lines.jsonl")
    let file = try FileHandle(forReadingFrom: URL(filePath: folder.path + "/lines.jsonl"))
    defer { withExtendedLifetime(file) {} }
    return try body(file.fileDescriptor)
  }

  private func importing(_ lines: String, to location: HistoryLocation) throws -> Int32 {
    try reading(lines) { Import.run(location, from: $0) }
  }

  private func exported(_ location: HistoryLocation) throws -> String {
    let (status, output) = try ExportCommandTests.export(location)
    #expect(status == 0)
    return String(decoding: output, as: UTF8.self)
  }

  /// Editors and other systems leave blank lines.
  @Test func `importing an export twice keeps bytes, times and order, and adds items once`() async throws {
    let texts = ExportCommandTests.texts
    let scratch = try await Scratch(texts)
    let first = try exported(scratch.location)
    #expect(first.split(separator: "\n").count == texts.count)
    let spaced = "\r\n \t \n" + first.replacingOccurrences(of: "\n", with: "\r\n\r\n") + "  "
    #expect(try importing(spaced, to: location("other")) == 0)
    #expect(try exported(location("other")) == first)
    #expect(try importing(first, to: location("other")) == 0)
    #expect(try exported(location("other")) == first, "imported twice")
  }

  @Test func `malformed import lines are refused, and all others are imported`() throws {
    let bad = [
      "nonsense", "{", #"{"text":"#, #"{"text":"a""#, #"{"text":1}"#, #"{"captured_at":null}"#,
      #"{"text":"a"} b"#,
      #"{"text":""}"#, #"{"text":"\u0000"}"#, #"{"text":"\u0000a"}"#, #"{"text":"a\u0000b"}"#,
      #"{"text":"\ud800"}"#,
      #"{"text":"\ud800\u0041"}"#,
      #"{"text":"\x"}"#,
      #"{"text":"a","text":"b"}"#, #"{"captured_at":"yesterday","text":"a"}"#, "[]", "{}",
      #"{"captured_at":"1969-12-31T23:59:59Z","text":"a"}"#,
      #"{"captured_at":"2026-02-29T00:00:00Z","text":"a"}"#,
      #"{"captured_at":"2026-01-01T00:00:00+01:00","text":"a"}"#, #"{"other":,"text":"a"}"#,
      #"{"other":"x" "text":"a"}"#,
    ]
    let good = [
      #"{"captured_at":"2024-02-29T23:59:59.000001Z","text":"\ud83d\ude00\/"}"#,
      #" { "other" : "]},\"" , "count" : -1.5e3 , "text" : "b" , "captured_at" : null } "#, "",
      #"{"captured_at":null,"text":"ended by a NUL\u0000"}"#, #"{"text":"\b\f\n\r\t\"\\\/"}"#,
      #"{"captured_at":"2026-01-01T00:00:00Z","text":"c"}"#,
    ]
    let lines = bad.flatMap { [$0, ""] } + good
    #expect(try importing(lines.joined(separator: "\n"), to: location("new")) == 1)
    let found = try exported(location("new")).split(separator: "\n")
    #expect(
      found.joined(separator: "\n") == #"""
        {"captured_at":"2024-02-29T23:59:59.000001Z","text":"😀/"}
        {"captured_at":null,"text":"b"}
        {"captured_at":null,"text":"ended by a NUL"}
        {"captured_at":null,"text":"\u0008\u000c\n\r\t\"\\/"}
        {"captured_at":"2026-01-01T00:00:00.000000Z","text":"c"}
        """#)
  }

  /// An item with an unknown time is not older.
  @Test func `an import counts the items that are older than the retention period`() throws {
    let times = [#""2020-01-01T00:00:00Z""#, "null", "\"\(Format.iso8601(Format.now))\""]
    let lines = times.enumerated().map { "{\"captured_at\":\($1),\"text\":\"\($0)\"}" }
    let counts = try reading(lines.joined(separator: "\n")) {
      try Import.add(from: $0, to: location("new"), keeping: .month)
    }
    #expect(counts.added == 3 && counts.older == 1)
  }

  @Test func `an import line with an overlong part is refused with the matching reason`() throws {
    let long = String(repeating: "1", count: 5000)
    let reasons: [(line: String, refusal: ImportReader.Refusal?)] = [
      ("{\"\(long)\":1,\"text\":\"a\"}", .tooLarge), ("{\"captured_at\":\"1\",\"text\":\"a\"}", .time),
      (#"{"text":"0123456789"}"#, nil), (#"{"text":"0123456789a"}"#, .tooLarge),
      (#"{"text":"012345678\u0041a"}"#, .tooLarge), (#"{"other":"0123456789a","text":"a"}"#, nil),
    ]
    try reading(reasons.map(\.line).joined(separator: "\n")) { descriptor in
      var lines = ImportReader(descriptor: descriptor, largestText: 10)
      for (line, refusal) in reasons {
        let result = try #require(try lines.next())
        let found: ImportReader.Refusal? = if case .failure(let failure) = result { failure } else { nil }
        #expect(found == refusal, "\(line)")
      }
    }
  }

  @Test func `--check returns 0 if the history is sound, 1 if damaged and 2 if unreachable`() async throws {
    #expect(Check.run(location("none")) == 0)
    let scratch = try await Scratch("one")
    #expect(Check.run(scratch.location) == 0)
    try folder.write("nonsense", to: "history.sqlite3")
    #expect(Check.run(HistoryLocation(folder: folder.path)) == 1)
    let link = location("link")
    try FileManager.default.createSymbolicLink(atPath: link.folder, withDestinationPath: folder.path)
    #expect(Check.run(link) == 2)
    #expect(Check.run(HistoryLocation(folder: folder.path + "/history.sqlite3/below")) == 2)
  }
}
