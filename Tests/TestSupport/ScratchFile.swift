import Foundation

/// An open file without a name, as a standard stream of a child.
///
/// Unlike a pipe, it never fills up, need not be drained, and does not block the reader while a grandchild has it open
/// (xclip in the background). The kernel deletes the file when the last process closes it.
struct ScratchFile: ~Copyable {
  /// The descriptor, closed on exec, so that a child inherits it only if it is passed explicitly.
  let descriptor: Int32

  /// Makes a file with `content`, which is read from its start.
  init(containing content: [UInt8] = []) throws {
    let path = NSTemporaryDirectory() + "copypasta-stream.\(getpid()).\(UInt64.random(in: 0 ... .max))"
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw TestSupportError.system("open", code: errno) }
    unlink(path)
    try write(content)
  }

  deinit { close(descriptor) }

  /// Everything written so far, read without moving the child's position.
  func content() -> [UInt8] {
    Array(FileManager.default.contents(atPath: "/proc/self/fd/\(descriptor)") ?? Data())
  }

  private func write(_ content: [UInt8]) throws {
    var written = 0
    while written < content.count {
      let count = content[written...].withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress, $0.count, off_t(written))
      }
      guard count > 0 else { throw TestSupportError.system("pwrite", code: errno) }
      written += count
    }
  }
}
