import Glibc
import GtkKit

/// Occupies the standard descriptors that are closed, so that the history’s files do not get their numbers.
///
/// Reading the input and writing the output still fail.
func occupyStandardStreams() {
  let unusable = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
  for (descriptor, access) in unusable where fcntl(descriptor, F_GETFD) < 0 {
    // The system assigns the lowest number that is free.
    _ = open("/dev/null", access)
  }
}

/// Prints a line to standard output, in the encoding of the user's locale; see `printBytes`.
@discardableResult
func printLine(_ text: String) -> Bool { printBytes((text + "\n").inLocaleEncoding, to: STDOUT_FILENO) }

/// Writes bytes to a file descriptor; if that fails, prints one line with the reason.
///
/// Prints nothing if the program that reads the output, such as `head`, has closed it.
///
/// - Returns: Whether all bytes were written.
func printBytes(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  do throws(FileError) {
    try write(bytes, to: descriptor)
    // NFS and some quotas report errors only when a file is closed.
    guard close(dup(descriptor)) == 0 || errno == EINTR else { throw FileError(errno: errno) }
    return true
  } catch {
    if error.errno != EPIPE {
      printError(tr("Not printed: the output could not be written (%s).").filled(with: error.reason))
    }
    return false
  }
}

/// Prints a one-line message to standard error, with the program's name in front.
///
/// The message must not contain a clip's text.
func printError(_ message: String) {
  // A path or an argument may contain control characters, which a terminal would obey.
  let line = message.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
  writeError("copypasta: \(String(String.UnicodeScalarView(line)))\n")
}

/// Writes a text to standard error, in the encoding of the user's locale.
///
/// Ignores a failure, because the message about it would fail, too.
func writeError(_ text: String) {
  do throws(FileError) { try write(text.inLocaleEncoding, to: STDERR_FILENO) } catch {}
}

/// Writes bytes to a file descriptor, unchanged and completely.
func write(_ bytes: [UInt8], to descriptor: Int32) throws(FileError) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw FileError(errno: errno) }
    rest = rest.dropFirst(count)
  }
}

/// A failure to write the output or to read the input.
struct FileError: Error {
  let errno: Int32

  var reason: String { systemMessage(errno) }
}
