import Glibc
import GtkKit

/// Reads lines of JSON from a file descriptor, holding only the text of one line in memory.
///
/// SQLite's JSON functions are not used. They hold several copies of a line, 270 MiB for a text of 64 MiB, and in
/// SQLite 3.40 they silently truncate a text at an escaped NUL.
struct ImportReader {
  /// A line of the output of `--export`.
  struct Line: Equatable {
    /// In microseconds since 1970 UTC; 0 if it is unknown.
    var capturedAt: Int64 = 0
    var text: [UInt8] = []
  }

  enum Refusal: Error, Equatable {
    /// The line is not a JSON object with a text and, optionally, a time.
    case malformed
    /// The time is not in the format of `--export`, or is before 1970.
    case time
    /// The text is larger than any that CopyPasta records.
    case tooLarge

    var message: String {
      switch self {
      case .malformed: tr("the line is not a JSON object in the format of --export")
      case .time: tr("the time is not in the format of --export")
      case .tooLarge: tr("the text is too large")
      }
    }
  }

  private let largestText: Int
  private var input: InputBuffer
  /// The number of the line that was read last, counted from 1.
  private(set) var number = 0

  /// - Parameter largestText: The size limit of a text, in bytes.
  init(descriptor: Int32, largestText: Int = Preferences.sizeLimits.upperBound << 20) {
    input = InputBuffer(descriptor: descriptor)
    self.largestText = largestText
  }

  /// Returns the next line that is not blank, or why it is refused; nil at the end.
  mutating func next() throws -> Result<Line, Refusal>? {
    if number == 0 { try skipByteOrderMark() }
    while try input.peek() != nil {
      number += 1
      try skipSpace()
      guard let byte = try input.peek() else { return nil }
      if byte == UInt8(ascii: "\n") {
        input.advance()
        continue
      }
      do {
        return .success(try object())
      } catch let refusal as Refusal {
        try skipLine()
        return .failure(refusal)
      }
    }
    return nil
  }

  // MARK: JSON (RFC 8259), but without line breaks between tokens

  private mutating func object() throws -> Line {
    var line = Line()
    var hasText = false
    try expect("{")
    repeat {
      try skipSpace()
      let name = try string(atMost: 64, orThrow: .malformed)
      try skipSpace()
      try expect(":")
      try skipSpace()
      switch String(decoding: name, as: UTF8.self) {
      case "text" where !hasText:
        line.text = try string(atMost: largestText)
        hasText = true
      case "captured_at": line.capturedAt = try time()
      case "text": throw Refusal.malformed
      default: try skipValue()
      }
      try skipSpace()
    } while try input.consume(",")
    try expect("}")
    try skipSpace()
    guard hasText, try input.peek() == nil || input.consume("\n") else { throw Refusal.malformed }
    return line
  }

  private mutating func time() throws -> Int64 {
    if try input.consume("n") {
      for character in "ull".unicodeScalars { try expect(character) }
      return 0
    }
    let text = String(decoding: try string(atMost: 64, orThrow: .time), as: UTF8.self)
    guard let time = Format.microseconds(iso8601: text), time >= 0 else { throw Refusal.time }
    return time
  }

  /// Returns the bytes of a string, without checking that they are valid UTF-8.
  private mutating func string(
    atMost limit: Int, orThrow refusal: Refusal = .tooLarge
  ) throws -> [UInt8] {
    try expect("\"")
    var bytes: [UInt8] = []
    while true {
      try input.consumePlain(into: &bytes)
      guard bytes.count <= limit else { throw refusal }
      guard let byte = try input.peek() else { throw Refusal.malformed }
      switch byte {
      case UInt8(ascii: "\""):
        input.advance()
        return bytes
      case UInt8(ascii: "\\"):
        input.advance()
        try appendEscape(to: &bytes)
      case ..<0x20: throw Refusal.malformed
      default: break  // `consumePlain` stopped at the end of the buffer.
      }
    }
  }

  private mutating func appendEscape(to bytes: inout [UInt8]) throws {
    guard let byte = try input.peek(), byte != UInt8(ascii: "\n") else { throw Refusal.malformed }
    input.advance()
    if let escaped = Self.escapes[byte] { return bytes.append(escaped) }
    guard byte == UInt8(ascii: "u") else { throw Refusal.malformed }
    var unit = try hexadecimal()
    if (0xd800..<0xdc00).contains(unit) {
      try expect("\\")
      try expect("u")
      let low = try hexadecimal()
      guard (0xdc00..<0xe000).contains(low) else { throw Refusal.malformed }
      unit = 0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00)
    }
    guard let scalar = Unicode.Scalar(unit) else { throw Refusal.malformed }
    bytes += String(Character(scalar)).utf8
  }

  /// The two-character escapes: maps the character after the backslash to the character that the escape stands for.
  private static let escapes = Dictionary(
    uniqueKeysWithValues: zip(#""\/bfnrt"#.utf8, "\"\\/\u{8}\u{c}\n\r\t".utf8))

  private mutating func hexadecimal() throws -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = try input.peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw Refusal.malformed
      }
      input.advance()
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// Skips the value of an unknown key, which a later version may have added, checking only that brackets balance.
  private mutating func skipValue() throws {
    var depth = 0
    var isEmpty = true
    while let byte = try input.peek() {
      switch byte {
      case UInt8(ascii: "\""): _ = try string(atMost: largestText)
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        input.advance()
      case UInt8(ascii: "}") where depth == 0, UInt8(ascii: ",") where depth == 0:
        guard !isEmpty else { throw Refusal.malformed }
        return
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0 else { throw Refusal.malformed }
        depth -= 1
        input.advance()
      case ..<0x20 where byte != UInt8(ascii: "\t") && byte != UInt8(ascii: "\r"): throw Refusal.malformed
      default: input.advance()
      }
      isEmpty = false
    }
    throw Refusal.malformed
  }

  // MARK: -

  private mutating func expect(_ character: Unicode.Scalar) throws {
    guard try input.consume(character) else { throw Refusal.malformed }
  }

  private mutating func skipSpace() throws {
    while let byte = try input.peek(), byte == 0x20 || byte == 0x09 || byte == 0x0d { input.advance() }
  }

  private mutating func skipLine() throws {
    while let byte = try input.peek() {
      input.advance()
      if byte == UInt8(ascii: "\n") { return }
    }
  }

  private mutating func skipByteOrderMark() throws {
    for byte: UInt8 in [0xef, 0xbb, 0xbf] {
      guard try input.peek() == byte else { return }
      input.advance()
    }
  }
}

private struct InputBuffer {
  private let descriptor: Int32
  private var bytes = [UInt8](repeating: 0, count: 65_536)
  private var position = 0
  private var end = 0

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Returns the next byte without consuming it; nil at the end.
  mutating func peek() throws -> UInt8? {
    if position == end { try fill() }
    return position < end ? bytes[position] : nil
  }

  mutating func advance() { position += 1 }

  mutating func consume(_ character: Unicode.Scalar) throws -> Bool {
    guard try peek() == UInt8(character.value) else { return false }
    advance()
    return true
  }

  /// Consumes buffered bytes of a JSON string up to a quotation mark, an escape or a control character.
  mutating func consumePlain(into text: inout [UInt8]) throws {
    guard try peek() != nil else { return }
    var stop = position
    while stop < end, bytes[stop] >= 0x20, bytes[stop] != UInt8(ascii: "\""),
      bytes[stop] != UInt8(ascii: "\\")
    {
      stop += 1
    }
    text += bytes[position..<stop]
    position = stop
  }

  private mutating func fill() throws {
    while true {
      let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileError(errno: errno) }
      (position, end) = (0, count)
      return
    }
  }
}
