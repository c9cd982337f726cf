import TestSupport
import Testing

@testable import ClipHistory

@Suite(.tags(.keepsPrivate)) struct ClipTextTests {
  private static let refused: [(ClipText.Refusal, [[UInt8]])] = [
    (.empty, [[], [0], [0, 0]]),
    (.notUTF8, [[0xff], [0x61, 0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]),
    (.notUTF8, [[0xe2, 0x82], [0x80], [0x00, 0xff], [0x00, 0xd8]]),
    (.containsNUL, [[0, 0x61], [0x61, 0, 0x62], [0x61, 0, 0x62, 0], [0x68, 0x00, 0x69, 0x00]]),
  ]

  @Test(.tags(.storesBytes), arguments: refused)
  func `a text that is empty, is not UTF-8 or contains an inner NUL is refused`(
    why: ClipText.Refusal, texts: [[UInt8]]
  ) {
    for bytes in texts { #expect(throws: why) { try ClipText(validating: bytes) } }
  }

  /// FreeRDP, SDL and xpra are known to append NULs.
  @Test(arguments: ["a\0", "é\0\0\0", "\n\0"])
  func `NULs at the end of a text are removed`(text: String) throws {
    #expect(try ClipText(text).bytes == Array(text.utf8.filter { $0 != 0 }))
  }

  @Test func `texts that differ only in Unicode normalisation count as different`() throws {
    #expect(try ClipText("\u{e9}") != ClipText("e\u{301}"))
  }

  @Test func `debug descriptions do not contain a clip's text`() throws {
    let secret = try ClipText("hunter2")
    let clip = Clip(id: 7, capturedAt: 1, byteCount: 7, preview: "hunter2")
    let outcome = HistoryStore.RecordOutcome.recorded(clip)
    let deleted = DeletedClip(id: 7, capturedAt: 1, bytes: secret.bytes)
    var dumped = ""
    for value in [secret, outcome, deleted] as [Any] { dump(value, to: &dumped) }
    let described = [
      "\(secret)", String(reflecting: secret), "\(clip)", String(reflecting: clip), "\([clip])", "\(outcome)",
      String(reflecting: Optional(secret)), "\(deleted)", String(reflecting: deleted), dumped,
    ]
    for description in described { #expect(!description.contains("hunter2")) }
    #expect("\(secret)" == "ClipText(7 bytes)")
    #expect("\(clip)" == "Clip(7, 7 bytes)")
  }
}
