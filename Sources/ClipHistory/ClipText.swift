import Glibc

/// The text of a clip: not empty, valid UTF-8, without a NUL, and otherwise byte for byte what was copied.
///
/// Some programs append a NUL, as C has it; those at the very end are taken off.
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
    /// There are no bytes but NULs.
    case empty
    /// The bytes are not valid UTF-8 (a broken sequence, a surrogate, an overlong form).
    case notUTF8
    /// There is a zero byte before the last other one, at which C programs would cut the text off.
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
