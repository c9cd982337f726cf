import TestSupport
import Testing

@testable import GtkKit

@Suite struct ValueTests {
  @Test func `HMAC-SHA256 matches a test case in RFC 4231`() {
    // RFC 4231, test case 2.
    let digest = Checksum.hmacSHA256(key: Array("Jefe".utf8), of: Array("what do ya want for nothing?".utf8))
    #expect(digest.starts(with: [0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e]))
    #expect(digest.count == 32)
  }

  @Test func `placeholders are filled once, in the translation's order, and other percent signs are kept`() {
    #expect("100% of %s, %s".filled(with: "a%sb") == "100% of a%sb, %s")
    #expect("nothing".filled(with: "x") == "nothing")
    #expect("%".filled(with: "x") == "%")
    #expect("%%s".filled(with: "x") == "%x")
    #expect("%s of %s".filled(with: "%s", "9") == "%s of 9")
    #expect("%2$s のうち %1$s".filled(with: "3", "9") == "9 のうち 3")
    #expect("%3$s, %0$s".filled(with: "3", "9") == "%3$s, %0$s")
  }

  @Test func `an untranslated text is returned unchanged`() {
    // Swift stores short texts on the stack, and the result must not refer to that memory.
    #expect(tr("Copy") == "Copy")
    #expect(trn("%s day", "%s days", 1) == "%s day")
    #expect(trn("%s day", "%s days", 2) == "%s days")
    #expect(tr(String(repeating: "long ", count: 100)).count == 500)
  }

  @Test func `a duration is rounded up to whole milliseconds`() {
    #expect(Duration.microseconds(1).milliseconds == 1)
    #expect(Duration.milliseconds(550).milliseconds == 550)
    #expect(Duration.seconds(2).milliseconds == 2000)
  }

  @Test func `a key file returns the values that were written`() throws {
    let folder = try TemporaryFolder()
    let file = KeyFile(path: folder.path + "/new/state.ini", group: "window")
    #expect(file.integers(["width"]) == [:])
    try file.write([("width", 480), ("height", -1)])
    #expect(file.integers(["width", "height", "depth"]) == ["width": 480, "height": -1])
    try file.write([("depth", 7), ("width", 481)], keepingOthers: true)
    #expect(file.integers(["width", "height", "depth"]) == ["width": 481, "height": -1, "depth": 7])
    try file.write([("depth", 8)])
    #expect(file.integers(["width", "height", "depth"]) == ["depth": 8])
  }

  @Test func `invalid values in a key file are ignored, and writing to an impossible path throws`() throws {
    let folder = try TemporaryFolder()
    let file = KeyFile(path: folder.path + "/state.ini", group: "window")
    try folder.write("[window]\nwidth=wide\nheight=7\n", to: "state.ini")
    #expect(file.integers(["width", "height"]) == ["height": 7])
    try folder.write("\u{0}\u{1}", to: "state.ini")
    #expect(file.integers(["width"]) == [:])
    #expect(throws: GLibError.self) {
      try KeyFile(path: "/proc/copypasta/state.ini", group: "window").write([("width", 1)])
    }
  }
}
