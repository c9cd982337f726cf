import Glibc

/// The text of a clip: not empty, valid UTF-8, without a NUL, and otherwise byte for byte what was copied.
///
/// Some programs append a NUL, as C does: NULs at the very end are taken off.
///
/// A text is checked once, as it is made. Equality is that of the bytes: unlike `String`, "é" as one scalar and "é" as
/// two are different texts. The description gives the size only, so that no clip reaches a log.
///
/// ```swift
/// let text = try ClipText(validating: Array("grüezi".utf8))
/// text.byteCount  // 7
/// ```
public struct ClipText: Sendable, Equatable {
  /// Why some bytes are not the text of a clip.
  public enum Refusal: Error, Equatable, Sendable {
    /// The text has no bytes but NULs.
    case empty
    /// The bytes are not valid UTF-8 (a broken sequence, a surrogate, an overlong form).
    case notUTF8
    /// A NUL comes before the last other byte: C programs would cut the text off there.
    case containsNUL
  }

  /// The size in bytes of the largest text that SQLite can hold.
  static let largestStored = 1_000_000_000

  /// The text in UTF-8.
  public let bytes: [UInt8]

  /// The size of the text in bytes, at least 1.
  public var byteCount: Int { bytes.count }

  /// Takes the bytes over, without copying them if no NUL is to be taken off, or says why they are refused.
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

  /// The first scalars of the text that fit into `limit` bytes; the cost is that of the limit, not of the text.
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

  /// The size, never the text: `dump` looks here.
  public var customMirror: Mirror { Mirror(self, children: ["byteCount": byteCount]) }
}

/// The part of a text that the list shows: its beginning, small enough to be laid out and to be read by the page.
public enum Preview {
  /// The size of the largest preview, and of the largest text that needs none, in bytes.
  ///
  /// SQLite keeps at least 489 bytes of a large row on the row's own page: with 400 the list never
  /// follows a row to its overflow pages.
  public static let byteLimit = 400

  /// How far into a text something visible is looked for, in bytes.
  static let searchLimit = 4096

  /// The preview of a text, or nil if the text itself is short enough to be shown.
  ///
  /// The preview begins at the first character that is not white space, or at the first of all if the first
  /// 4 KiB are blank, and ends between two characters as a reader sees them, never inside an emoji or
  /// between a letter and its accent; only if a single character is larger than the limit, inside that one.
  /// The cost depends on these limits, not on the size of the text.
  ///
  /// ```swift
  /// let text = try ClipText(validating: Array((String(repeating: "\n", count: 500) + "hello").utf8))
  /// Preview.make(of: text)  // "hello"
  /// ```
  public static func make(of text: ClipText) -> String? {
    guard text.byteCount > byteLimit else { return nil }
    // A scalar more than can be used: whether a character ends at the limit depends on what follows it.
    let window = text.leading(searchLimit + byteLimit + 4)
    return cut(window[firstVisible(in: window)...])
  }

  private static func firstVisible(in window: String) -> String.Index {
    guard let index = window.firstIndex(where: { !isBlank($0) }),
      window.utf8.distance(from: window.startIndex, to: index) <= searchLimit
    else { return window.startIndex }
    return index
  }

  /// A space that carries an accent is not blank.
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
