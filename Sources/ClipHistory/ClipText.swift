import Glibc

/// The text of a clip: the copied bytes, which are valid UTF-8, contain no NUL, and are not empty.
///
/// NULs at the very end are removed, because some programs include the NUL that terminates a C string.
///
/// A text is validated once, when it is created. Equality compares bytes: unlike with `String`, "é" as one scalar
/// differs from "é" as two scalars. `description` gives only the size, so that no text reaches a log.
///
/// ```swift
/// let text = try ClipText(validating: Array("grüezi".utf8))
/// text.byteCount  // 7
/// ```
public struct ClipText: Sendable, Equatable {
  /// Why `init(validating:)` rejects bytes.
  public enum Refusal: Error, Equatable, Sendable {
    /// All bytes are NULs, or the array is empty.
    case empty
    /// The bytes are not valid UTF-8 (a broken sequence, a surrogate, an overlong form).
    case notUTF8
    /// A NUL precedes other bytes; C programs would cut the text off there.
    case containsNUL
  }

  /// The size in bytes of the largest text that SQLite can hold.
  static let largestStored = 1_000_000_000

  /// The text in UTF-8.
  public let bytes: [UInt8]

  /// The size of the text in bytes, at least 1.
  public var byteCount: Int { bytes.count }

  /// Wraps `bytes`; copies them only to remove NULs from the end.
  ///
  /// - Throws: the reason why the bytes are not a valid text.
  public init(validating bytes: [UInt8]) throws(Refusal) {
    guard let last = bytes.lastIndex(where: { $0 != 0 }) else { throw .empty }
    let bytes = last + 1 == bytes.count ? bytes : Array(bytes[...last])
    do {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw .notUTF8
    }
    guard memchr(bytes, 0, bytes.count) == nil else { throw .containsNUL }
    self.bytes = bytes
  }

  /// Wraps `bytes` as `init(validating:)` does; nil if they are not a valid text.
  init?(_ bytes: [UInt8]) {
    do { try self.init(validating: bytes) } catch { return nil }
  }

  /// Returns the leading scalars that fit into `limit` bytes; the cost depends on `limit`, not on the text's size.
  public func leading(_ limit: Int) -> String {
    guard byteCount > limit else { return String(decoding: bytes, as: UTF8.self) }
    var end = limit
    while UTF8.isContinuation(bytes[end]) { end -= 1 }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }
}

extension ClipText: CustomStringConvertible, CustomReflectable {
  /// The size, never the text.
  public var description: String { "ClipText(\(byteCount) bytes)" }

  /// Shows only the size, because `dump` prints the mirror.
  public var customMirror: Mirror { Mirror(self, children: ["byteCount": byteCount]) }
}

/// The beginning of a text, as the list shows it: small, so that many of them can be loaded and laid out together.
public enum Preview {
  /// The largest size of a preview, in bytes; a text of at most this size needs no separate preview.
  ///
  /// SQLite keeps at least 489 bytes of a large row on the row's own page, so with a limit of 400 the list never reads
  /// overflow pages.
  public static let byteLimit = 400

  /// The maximum size of the leading white space to skip, in bytes.
  static let searchLimit = 4096

  /// Returns the preview of a text, or nil if the text itself is short enough to be shown.
  ///
  /// The preview begins at the first character that is not white space, or at the start if the first 4 KiB are blank.
  /// It ends at a grapheme boundary, never inside an emoji or between a letter and its accent, unless a single
  /// character is larger than the limit. The cost depends on these limits, not on the size of the text.
  ///
  /// ```swift
  /// let text = try ClipText(validating: Array((String(repeating: "\n", count: 500) + "hello").utf8))
  /// Preview.make(of: text)  // "hello"
  /// ```
  public static func make(of text: ClipText) -> String? {
    guard text.byteCount > byteLimit else { return nil }
    // Read one more scalar, because it determines whether a character ends at the limit.
    let window = text.leading(searchLimit + byteLimit + 4)
    return cut(window[firstVisible(in: window)...])
  }

  private static func firstVisible(in window: String) -> String.Index {
    guard let index = window.firstIndex(where: { !isBlank($0) }),
      window.utf8.distance(from: window.startIndex, to: index) <= searchLimit
    else { return window.startIndex }
    return index
  }

  /// Checks all scalars, because a space with a combining accent is visible.
  private static func isBlank(_ character: Character) -> Bool {
    character.unicodeScalars.allSatisfy(\.properties.isWhitespace)
  }

  private static func cut(_ text: Substring) -> String {
    let utf8 = text.utf8
    guard var limit = utf8.index(utf8.startIndex, offsetBy: byteLimit, limitedBy: utf8.endIndex),
      limit < utf8.endIndex
    else { return String(text) }
    var end = text.startIndex
    while case let next = text.index(after: end), next <= limit { end = next }
    if end > text.startIndex { return String(text[..<end]) }
    while UTF8.isContinuation(utf8[limit]) { limit = utf8.index(before: limit) }
    return String(text[..<limit])
  }
}
