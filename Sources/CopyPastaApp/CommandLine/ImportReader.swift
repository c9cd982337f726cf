import ClipHistory
import Glibc
import GtkKit

/// Reads the items of an export from a file descriptor, line by line; one line at a time is in memory.
///
/// SQLite's JSON functions are not used. They hold several copies of a line, 270 MiB for a text of 64 MiB, and in
/// SQLite 3.40 they silently truncate a text at an escaped NUL.
struct ImportReader {
  /// A line of the output of `--export`.
  struct Item {
    /// In microseconds since 1970 UTC; 0 if it is unknown.
    var capturedAt: Int64 = 0
    let text: ClipText
  }

  enum Refusal: Error, Equatable {
    /// The line is not a JSON object with a text and, optionally, a time.
    case malformed
    /// The time is not in the format of `--export`, or is before 1970.
    case time
    /// The text is larger than any that CopyPasta records.
    case tooLarge
    /// The text is one that CopyPasta does not record.
    case text

    var message: String {
      switch self {
      case .malformed: tr("the line is not a JSON object in the format of --export")
      case .time: tr("the time is not in the format of --export")
      case .tooLarge: tr("the text is too large")
      case .text: tr("the text is empty, is not valid UTF-8, or contains a NUL character")
      }
    }
  }

  private let descriptor: Int32
  private let largestText: Int
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private var unread = 0..<0
  /// The number of the line that was read last, counted from 1.
  private(set) var number = 0

  /// - Parameter largestText: The size limit of a text, in bytes.
  init(descriptor: Int32, largestText: Int = Preferences.sizeLimits.upperBound << 20) {
    self.descriptor = descriptor
    self.largestText = largestText
  }

  /// Returns the next item, or why its line is refused; nil at the end.
  ///
  /// Skips blank lines.
  mutating func next() throws(FileError) -> Result<Item, Refusal>? {
    // A text is at most six times as long in JSON.
    while let line = try nextLine(atMost: 6 * largestText + 4096) {
      number += 1
      do throws(Refusal) {
        var json = ItemJSON(try line.get(), isFirst: number == 1)
        if !json.isBlank { return .success(try json.item(largestText: largestText)) }
      } catch {
        return .failure(error)
      }
    }
    return nil
  }

  /// Returns the next line without its line break; nil at the end.
  private mutating func nextLine(atMost limit: Int) throws(FileError) -> Result<[UInt8], Refusal>? {
    var line: [UInt8] = []
    var (isFirst, isTooLong) = (true, false)
    while true {
      if unread.isEmpty { unread = 0..<(try fill()) }
      let isAtEnd = unread.isEmpty
      if isAtEnd, isFirst { return nil }
      isFirst = false
      let end = buffer[unread].firstIndex(of: UInt8(ascii: "\n"))
      let part = buffer[unread.lowerBound..<(end ?? unread.upperBound)]
      isTooLong = isTooLong || line.count + part.count > limit
      if isTooLong { line = [] } else { line += part }
      unread = (end.map { $0 + 1 } ?? unread.upperBound)..<unread.upperBound
      if end != nil || isAtEnd { return isTooLong ? .failure(.tooLarge) : .success(line) }
    }
  }

  private mutating func fill() throws(FileError) -> Int {
    while true {
      let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 { return count }
      guard errno == EINTR else { throw FileError(errno: errno) }
    }
  }
}

/// The JSON object of an exported item (RFC 8259), whose strings are decoded in place.
private struct ItemJSON {
  private var bytes: [UInt8]
  private var position = 0

  init(_ line: [UInt8], isFirst: Bool) {
    bytes = line
    // A byte order mark
    if isFirst, bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    skipSpace()
  }

  var isBlank: Bool { position == bytes.count }

  mutating func item(largestText: Int) throws(ImportReader.Refusal) -> ImportReader.Item {
    var time: Int64 = 0
    var text: Range<Int>?
    try expect("{")
    repeat {
      let name = try string()
      try expect(":")
      switch String(decoding: bytes[name], as: UTF8.self) {
      case "text" where text == nil: text = try string()
      case "text": throw .malformed
      case "captured_at": time = try self.time()
      default: try skipValue()
      }
    } while consume(",")
    try expect("}")
    guard let text, isBlank else { throw .malformed }
    guard text.count <= largestText else { throw .tooLarge }
    bytes.removeSubrange(text.upperBound...)
    bytes.removeSubrange(..<text.lowerBound)
    do throws(ClipText.Refusal) {
      return ImportReader.Item(capturedAt: time, text: try ClipText(validating: bytes))
    } catch {
      throw .text
    }
  }

  private mutating func time() throws(ImportReader.Refusal) -> Int64 {
    if bytes[position...].starts(with: "null".utf8) {
      position += 4
      skipSpace()
      return 0
    }
    let text = String(decoding: bytes[try string()], as: UTF8.self)
    guard let time = Format.microseconds(iso8601: text), time >= 0 else { throw .time }
    return time
  }

  /// Decodes a string, and returns the range of its bytes, which may not be valid UTF-8.
  private mutating func string() throws(ImportReader.Refusal) -> Range<Int> {
    guard next() == UInt8(ascii: "\"") else { throw .malformed }
    let start = position
    var end = start
    while let byte = next() {
      switch byte {
      case UInt8(ascii: "\""):
        skipSpace()
        return start..<end
      case UInt8(ascii: "\\"):
        for decoded in try escaped() {
          bytes[end] = decoded
          end += 1
        }
      case ..<0x20: throw .malformed
      default:
        bytes[end] = byte
        end += 1
      }
    }
    throw .malformed
  }

  /// The two-character escapes: maps the character after the backslash to the character that the escape stands for.
  private static let escapes = Dictionary(
    uniqueKeysWithValues: zip(#""\/bfnrt"#.utf8, "\"\\/\u{8}\u{c}\n\r\t".utf8))

  /// Decodes the rest of an escape, which is never shorter than the character.
  private mutating func escaped() throws(ImportReader.Refusal) -> [UInt8] {
    guard let byte = next() else { throw .malformed }
    if let character = Self.escapes[byte] { return [character] }
    guard byte == UInt8(ascii: "u") else { throw .malformed }
    var unit = try hexadecimal()
    if (0xd800..<0xdc00).contains(unit) {
      guard next() == UInt8(ascii: "\\"), next() == UInt8(ascii: "u") else { throw .malformed }
      let low = try hexadecimal()
      guard (0xdc00..<0xe000).contains(low) else { throw .malformed }
      unit = 0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00)
    }
    guard let scalar = Unicode.Scalar(unit) else { throw .malformed }
    return Array(String(Character(scalar)).utf8)
  }

  private mutating func hexadecimal() throws(ImportReader.Refusal) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw .malformed
      }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// Skips the value of an unknown key, which a later version may have added: a string, a number or a literal.
  private mutating func skipValue() throws(ImportReader.Refusal) {
    let start = position
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") { _ = try string() }
    while position < bytes.count, !",}".utf8.contains(bytes[position]) { position += 1 }
    guard position > start else { throw .malformed }
  }

  // MARK: -

  private mutating func next() -> UInt8? {
    guard position < bytes.count else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  /// Consumes a character and the space after it.
  private mutating func consume(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(character.value) else { return false }
    position += 1
    skipSpace()
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(ImportReader.Refusal) {
    guard consume(character) else { throw .malformed }
  }

  private mutating func skipSpace() {
    while position < bytes.count, [0x20, 0x09, 0x0d].contains(bytes[position]) { position += 1 }
  }
}
