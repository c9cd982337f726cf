import Glibc
import GtkKit

/// Prints a line to standard output, in the encoding of the user's locale.
func printLine(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

/// Prints a one-line message to standard error, with the program's name in front.
///
/// The message must not contain a clip's text.
func printError(_ message: String) { writeError("copypasta: \(message)\n") }

/// Writes a text to standard error, in the encoding of the user's locale.
func writeError(_ text: String) { write(text, to: STDERR_FILENO) }

/// Writes a text and ignores a failure, because the message about it would fail, too.
private func write(_ text: String, to descriptor: Int32) {
  do throws(FileError) { try write(text.inLocaleEncoding, to: descriptor) } catch {}
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
