import ClipHistory
import Glibc
import GtkKit

/// The whole history as JSON lines, oldest first: an object a line, with `captured_at` and `text`.
///
/// No display is needed, and nothing is written to the history; the program may run meanwhile. Only one text is in
/// memory at a time.
enum Export {
  /// Writes the history to a file descriptor, and says in one line what failed.
  ///
  /// - Returns: the exit status.
  static func run(_ location: HistoryLocation, to descriptor: Int32) -> Int32 {
    do {
      // If nothing was ever recorded there is nothing to write, which is no failure.
      if try !location.isVacant { try write(location, to: descriptor) }
      return 0
    } catch let error as StoreError {
      printError(tr("Not exported.") + " " + error.message)
    } catch let error as FileError where error.errno != EPIPE {
      printError(tr("Not exported: the output could not be written (%s).").filled(with: error.reason))
    } catch {
      // The program that read the output, such as `head`, has seen enough.
    }
    return 1
  }

  private static func write(_ location: HistoryLocation, to descriptor: Int32) throws {
    let clips = try ClipCursor(location: location)
    let output = try Output(to: descriptor)
    // Texts that can be read beside a damage are written as well.
    var damage: StoreError?
    while true {
      do {
        guard let clip = try clips.next() else { break }
        try output.append(clip)
      } catch let error as StoreError {
        damage = error
        guard clips.canGoOn else { break }
      }
    }
    try output.finish()
    if let damage { throw damage }
  }
}

/// The output could not be written, or the input not be read.
struct FileError: Error {
  let errno: Int32

  /// Why, in the user's language.
  var reason: String { String(cString: strerror(errno)) }
}

/// JSON on its way to a file descriptor, collected so that a few bytes cost no system call.
private final class Output {
  private let file: UnsafeMutablePointer<FILE>

  /// Takes a descriptor of its own: the caller's stays open.
  init(to descriptor: Int32) throws {
    guard let file = fdopen(dup(descriptor), "w") else { throw FileError(errno: errno) }
    self.file = file
    setvbuf(file, nil, _IOFBF, 65_536)
  }

  deinit { fclose(file) }

  /// Writes what is left, and asks whether all of it has arrived: NFS, and some quotas, say so only at a close.
  func finish() throws {
    guard fflush(file) == 0, close(dup(fileno(file))) == 0 || errno == EINTR else {
      throw FileError(errno: errno)
    }
  }

  /// Adds some bytes, which lie in one piece.
  private func append(_ bytes: some Sequence<UInt8>) throws {
    let isWritten = bytes.withContiguousStorageIfAvailable { bytes in
      fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count
    }
    guard isWritten == true else { throw FileError(errno: errno) }
  }

  // MARK: - JSON (RFC 8259)

  /// Adds a clip as an object, on a line of its own.
  func append(_ clip: Clip.Whole) throws {
    try append(#"{"captured_at":"#.utf8)
    try append((clip.capturedAt == 0 ? "null" : "\"\(Format.iso8601(clip.capturedAt))\"").utf8)
    try append(#","text":"#.utf8)
    try append(jsonString: clip.text.bytes)
    try append("}\n".utf8)
  }

  /// Adds a text, in UTF-8, as a JSON string (RFC 8259).
  ///
  /// Control characters are escaped, those of U+0080 to U+009F too, which a terminal may obey, and so are U+2028 and
  /// U+2029, which some programs take for the end of a line, and U+FEFF, which Foundation's reader drops if it comes
  /// first. Everything else stays as it is.
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

  /// How the character that begins at `index` is escaped, and how many bytes it has; nil if it stays.
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
