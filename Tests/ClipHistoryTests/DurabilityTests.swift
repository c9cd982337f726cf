import ClipHistory
import Foundation
import TestSupport
import Testing

@Suite(.tags(.isDurable)) struct DurabilityTests {
  let history = TemporaryHistory()

  @Test(.tags(.storesBytes)) func `texts are stored byte for byte`() async throws {
    let store = try history.store()
    let texts = [
      " \t\n lines\r\n\u{b}\u{1}\u{7f}", "\u{feff}mark", "e\u{301}", "\u{e9}", "\u{10ffff}", "👩‍👩‍👧‍👦🇨🇭",
      "\u{202e}bidi\u{2069}",
      "'); DROP TABLE clip; --", String(repeating: "\n", count: 5_000),
    ]
    for string in texts {
      let clip = try await store.add(string)
      #expect(try await store.text(of: clip.id)?.bytes == Array(string.utf8))
      #expect(clip.byteCount == string.utf8.count)
    }
    #expect(try history.previews().count == texts.count)
  }

  @Test func `a text of 64 MiB can be stored, listed and deleted`() async throws {
    let store = try history.store()
    let bytes = Data(repeating: UInt8(ascii: "a"), count: 64 << 20)
    let clip = try await store.add(.repetition(of: "a", count: 64 << 20))
    #expect(clip.byteCount == 64 << 20)
    #expect(clip.preview.utf8.count == Preview.byteLimit)
    // Compare data, because comparing arrays takes long without the optimizer.
    #expect(try await store.text(of: clip.id).map { Data($0.bytes) } == bytes)
    #expect(try history.reader().newestPage(limit: 50) == [clip])
    #expect(try await store.delete(clip.id) != nil)
    #expect(try !history.contains(String(repeating: "a", count: 64)))
  }
}
