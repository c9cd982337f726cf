import ClipHistory
import CopyPastaApp
import GtkKit

/// Checks how text from the clipboard is turned into a row: validation, preview and fingerprint.
///
/// The tests run it on a fixed number of generated texts, the fuzzer on as many as time permits.
public enum TextPipeline {
  /// Returns a description of the check that fails for these bytes; nil if all succeed.
  public static func problem(with original: [UInt8]) -> String? {
    // NULs at the end are removed.
    let bytes = Array(original.prefix((original.lastIndex { $0 != 0 } ?? -1) + 1))
    let isText = !bytes.isEmpty && !bytes.contains(0) && isUTF8(bytes[...])
    let text: ClipText
    do {
      text = try ClipText(validating: original)
    } catch {
      return isText ? "a valid text was refused" : nil
    }
    guard isText else { return "an invalid text was accepted" }
    guard text.bytes == bytes else { return "the text differs from the bytes" }
    return problem(withPreviewOf: text) ?? problem(withFingerprintOf: text)
  }

  private static func problem(withPreviewOf text: ClipText) -> String? {
    let made = Preview.make(of: text)
    guard (made == nil) == (text.byteCount <= Preview.byteLimit) else {
      return "an unnecessary or a missing preview"
    }
    let preview = made ?? String(decoding: text.bytes, as: UTF8.self)
    let bytes = Array(preview.utf8)
    if bytes.isEmpty || bytes.count > Preview.byteLimit { return "a preview of \(bytes.count) bytes" }
    guard isUTF8(bytes[...]) else { return "a preview that is not UTF-8" }
    guard isPart(bytes, of: text.bytes.prefix(8192)) else { return "a preview that is not in the text" }

    let row = PreviewText(preview)
    let shown = row.text.unicodeScalars
    if shown.isEmpty { return "nothing to show" }
    let lines = shown.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == row.lineCount, lines.count <= PreviewText.lineLimit else { return "too many lines" }
    if lines.joined().contains(where: breaksLine) { return "a break within a line" }
    guard row.signs.allSatisfy({ isUTF8(Array(row.text.utf8)[$0]) }) else {
      return "a sign that is not a whole character"
    }
    let spoken = PreviewText.spoken(preview)
    if spoken.unicodeScalars.contains(where: breaksLine) { return "a line break in the spoken preview" }
    for words in [row.text, spoken] where words.unicodeScalars.contains(where: \.properties.isBidiControl) {
      return "a bidirectional control character"
    }
    let cut = PreviewText(preview, goesOn: true).text
    if !cut.hasSuffix("…") { return "a shortened preview without an ellipsis" }
    return nil
  }

  private static func problem(withFingerprintOf text: ClipText) -> String? {
    let key: [UInt8] = Array(0..<32)
    let digest = Checksum.hmacSHA256(key: key, of: text.bytes)
    guard digest.count == 32, digest == Checksum.hmacSHA256(key: key, of: text.bytes) else {
      return "an invalid fingerprint"
    }
    var other = text.bytes
    other[other.count / 2] ^= 1
    return Checksum.hmacSHA256(key: key, of: other) == digest ? "two texts with one fingerprint" : nil
  }

  private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\u{2028}" || scalar == "\u{2029}" || (scalar.value < 0x20 && scalar != "\t")
      || scalar.value == 0x7f
      || scalar == "\u{85}"
  }

  private static func isPart(_ part: [UInt8], of whole: ArraySlice<UInt8>) -> Bool {
    guard let last = (whole.startIndex...whole.endIndex).dropLast(part.count).last else { return false }
    return (whole.startIndex...last).contains { whole[$0...].starts(with: part) }
  }

  private static func isUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil
  }
}
