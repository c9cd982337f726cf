import ClipHistory
import Glibc
import GtkKit

/// `--export`: writes the whole history as JSON lines, oldest first, one object with `captured_at` and `text` per line.
///
/// Needs no display, does not change the history, and works while the program runs. Holds one text in memory at a time.
enum Export {
  /// Writes the history to a file descriptor; if that fails, prints one line with the reason.
  ///
  /// - Returns: The exit status: 0 if everything was written, 3 if the history is damaged and all that can be read was
  ///   written, 1 if the export failed.
  static func run(_ location: HistoryLocation, to descriptor: Int32) -> Int32 {
    do {
      // If there is no history yet, export nothing and succeed.
      guard try !location.isMissing, let isIncomplete = try write(location, to: descriptor) else { return 0 }
      printError(damageMessage(isIncomplete: isIncomplete))
      return 3
    } catch let error as StoreError {
      printError(tr("Not exported.") + " " + error.message)
    } catch let error as FileError where error.errno != EPIPE {
      printError(tr("Not exported: the output could not be written (%s).").filled(with: error.reason))
    } catch {
      // EPIPE: the program that reads the output, such as `head`, has closed it. Print nothing.
    }
    return 1
  }

  /// Writes every item that can be read.
  ///
  /// - Returns: nil if the history is sound; otherwise whether some items could not be read.
  private static func write(_ location: HistoryLocation, to descriptor: Int32) throws -> Bool? {
    let clips = try ClipCursor(location: location)
    let output = try Output(to: descriptor)
    while let clip = try clips.next() { try output.append(clip) }
    try output.finish()
    return clips.isDamaged ? clips.isIncomplete : nil
  }

  private static func damageMessage(isIncomplete: Bool) -> String {
    let damage = tr("The history file is damaged. Every item that can be read was exported.")
    return isIncomplete ? damage + " " + HistoryFailure.unread.message : damage
  }
}

/// Writes JSON to a file descriptor through a buffer, to save system calls.
private final class Output {
  private let file: UnsafeMutablePointer<FILE>

  /// Duplicates the descriptor, so that the caller's stays open.
  init(to descriptor: Int32) throws {
    guard let file = fdopen(dup(descriptor), "w") else { throw FileError(errno: errno) }
    self.file = file
    setvbuf(file, nil, _IOFBF, 65_536)
  }

  deinit { fclose(file) }

  /// Writes the rest of the buffer and closes a duplicate of the descriptor, because NFS and some quotas report errors
  /// only when a file is closed.
  func finish() throws {
    guard fflush(file) == 0, close(dup(fileno(file))) == 0 || errno == EINTR else {
      throw FileError(errno: errno)
    }
  }

  /// Appends bytes, which have to be in contiguous storage.
  private func append(_ bytes: some Sequence<UInt8>) throws {
    let isWritten = bytes.withContiguousStorageIfAvailable { bytes in
      fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count
    }
    guard isWritten == true else { throw FileError(errno: errno) }
  }

  // MARK: - JSON (RFC 8259)

  /// Appends a clip as one line with a JSON object.
  func append(_ clip: Clip.Full) throws {
    try append(#"{"captured_at":"#.utf8)
    try append((clip.capturedAt == 0 ? "null" : "\"\(Format.iso8601(clip.capturedAt))\"").utf8)
    try append(#","text":"#.utf8)
    try append(jsonString: clip.text.bytes)
    try append("}\n".utf8)
  }

  /// Appends a UTF-8 text as a JSON string.
  ///
  /// Escapes more than JSON requires: U+007F to U+009F, because a terminal may interpret them; U+2028 and U+2029, which
  /// some programs treat as line breaks; U+FEFF, which Foundation's JSON decoder drops at the start of a string.
  private func append(jsonString text: [UInt8]) throws {
    try append("\"".utf8)
    var plain = 0
    var index = 0
    while index < text.count {
      guard let (escape, length) = Self.escape(text, at: index) else {
        index += 1
        continue
      }
      try append(text[plain..<index])
      try append(escape.utf8)
      index += length
      plain = index
    }
    try append(text[plain...])
    try append("\"".utf8)
  }

  /// The escape for the character that begins at `index`, and the character's length in bytes; nil if the character
  /// needs no escape.
  private static func escape(_ text: [UInt8], at index: Int) -> (escape: String, length: Int)? {
    let byte = text[index]
    switch byte {
    case UInt8(ascii: "\""): return (#"\""#, 1)
    case UInt8(ascii: "\\"): return (#"\\"#, 1)
    case UInt8(ascii: "\n"): return (#"\n"#, 1)
    case UInt8(ascii: "\r"): return (#"\r"#, 1)
    case UInt8(ascii: "\t"): return (#"\t"#, 1)
    case ..<0x20, 0x7f: return (numbered(Int(byte)), 1)
    // U+0080 to U+009F
    case 0xc2 where index + 1 < text.count && text[index + 1] < 0xa0:
      return (numbered(Int(text[index + 1])), 2)
    // U+2028 and U+2029
    case 0xe2 where index + 2 < text.count && text[index + 1] == 0x80 && text[index + 2] & 0xfe == 0xa8:
      return (numbered(0x2000 + Int(text[index + 2] & 0x3f)), 3)
    case 0xef where text[index...].starts(with: [0xef, 0xbb, 0xbf]): return (#"\ufeff"#, 3)
    default: return nil
    }
  }

  private static func numbered(_ scalar: Int) -> String {
    let digits = String(scalar, radix: 16)
    return #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
