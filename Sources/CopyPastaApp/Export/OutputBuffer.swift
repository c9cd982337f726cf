import Glibc

/// Why output could not be written.
enum OutputError: Error, Equatable {
  /// Nobody reads it any more.
  case readerGone
  /// Anything else, such as a full disk.
  case failed(errno: Int32)
}

/// Bytes on their way to a file descriptor, collected so that not each few of them are a system call.
struct OutputBuffer {
  private static let size = 65_536

  private let descriptor: Int32
  private var bytes: [UInt8] = []

  init(descriptor: Int32) {
    self.descriptor = descriptor
    bytes.reserveCapacity(2 * Self.size)
  }

  /// Adds some bytes, and writes what has come together.
  mutating func append(_ more: some Collection<UInt8>) throws(OutputError) {
    var rest = more[...]
    while !rest.isEmpty {
      bytes += rest.prefix(Self.size)
      rest = rest.dropFirst(Self.size)
      if bytes.count >= Self.size { try flush() }
    }
  }

  /// Writes what is there.
  mutating func flush() throws(OutputError) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        throw errno == EPIPE ? .readerGone : .failed(errno: errno)
      }
    }
    bytes.removeAll(keepingCapacity: true)
  }
}
