import ClipHistory
import Foundation
import GtkKit
import TestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite(.tags(.recovers)) struct ExportCommandTests {
  static let texts = [
    "plain", "two\nlines\r\n", "tab\t, \"quotes\" and \\backslashes\\", "{\"json\":[1]}",
    "\u{1}\u{8}\u{c}\u{1f}\u{7f}", "\u{80}\u{85}\u{9b}31m\u{9f}\u{a0}ÿ", "\u{2027}\u{2028}\u{2029}\u{202a}",
    "e\u{301}é 🇮🇹 👩🏽‍🍳 שלום", "\u{feff}\u{fffd}\u{10ffff}",
    String(repeating: "0123456789\u{2028}\n", count: 20_000), "/</script>", " ",
  ]

  @Test func `every text is exported byte for byte, oldest first`() async throws {
    let texts = Self.texts
    let scratch = try await Scratch(texts)
    let (status, output) = try Self.export(scratch.location)
    #expect(status == 0)
    let lines = try output.split(separator: UInt8(ascii: "\n")).map(Line.init)
    try #require(lines.count == texts.count)
    for (line, text) in zip(lines, texts) {
      let isSame = line.text.utf8.elementsEqual(text.utf8)
      #expect(isSame, "\(text.prefix(40).debugDescription)")
    }
    #expect(lines.map(\.capturedAt) == lines.map(\.capturedAt).sorted())
  }

  @Test func `control characters and line separators are escaped in an export`() async throws {
    let scratch = try await Scratch("a\u{0b}b\u{9b}c\u{2028}d\u{7f}\u{85}")
    let line = String(decoding: try Self.export(scratch.location).output.dropLast(), as: UTF8.self)
    #expect(line.hasSuffix(#""text":"a\u000bb\u009bc\u2028d\u007f\u0085"}"#))
  }

  @Test func `times are exported as ISO 8601 with microseconds`() {
    #expect(Format.iso8601(0) == "1970-01-01T00:00:00.000000Z")
    #expect(Format.iso8601(1_795_287_987_000_042) == "2026-11-21T19:06:27.000042Z")
    #expect(Format.iso8601(-1) == "1969-12-31T23:59:59.999999Z")
    #expect(Format.iso8601(-1_000_000) == "1969-12-31T23:59:59.000000Z")
    #expect(Format.iso8601(.max) == "" && Format.iso8601(.min) == "")
  }

  @Test func `exporting a missing history writes nothing, and an unreachable one fails`() throws {
    let folder = try TemporaryFolder()
    let (status, output) = try Self.export(HistoryLocation(folder: folder.path + "/copypasta"))
    #expect(status == 0 && output.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    try folder.write("", to: "file")
    let unreachable = try Self.export(HistoryLocation(folder: folder.path + "/file/copypasta"))
    #expect(unreachable.status == 1 && unreachable.output.isEmpty)
  }

  @Test func `exporting a damaged history writes every readable text and ends with status 3`() async throws {
    let scratch = try await Scratch("one", "two", "three")
    await scratch.close()
    var file = try Data(contentsOf: URL(filePath: scratch.location.database))
    // The byte is invalid in UTF-8.
    file[try #require(file.range(of: Data("two".utf8))).lowerBound] = 0xff
    try file.write(to: URL(filePath: scratch.location.database))
    let (status, output) = try Self.export(scratch.location)
    #expect(status == 3)
    #expect(try output.split(separator: UInt8(ascii: "\n")).map { try Line($0).text } == ["one", "three"])
  }

  /// Exports into a file; errors are printed to standard error.
  static func export(_ location: HistoryLocation) throws -> (status: Int32, output: [UInt8]) {
    let folder = try TemporaryFolder()
    let path = folder.path + "/export.jsonl"
    try folder.write("", to: "export.jsonl")
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    let status = Export.run(location, to: file.fileDescriptor)
    try file.close()
    return (status, Array(try Data(contentsOf: URL(fileURLWithPath: path))))
  }
}

/// A line of an export, decoded by Foundation's JSON parser.
private struct Line {
  let capturedAt: String
  let text: String

  init(_ bytes: some Sequence<UInt8>) throws {
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: String])
    #expect(Set(object.keys) == ["captured_at", "text"])
    capturedAt = try #require(object["captured_at"])
    text = try #require(object["text"])
  }
}
