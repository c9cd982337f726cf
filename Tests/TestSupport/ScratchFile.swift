import Foundation

/// An open file without a name, for what a child reads or writes.
///
/// Unlike a pipe it never fills up and nobody has to drain it, and a child's child that keeps it open (xclip
/// in the background) makes nobody wait. The file is gone with the last process that has it open.
struct ScratchFile: ~Copyable {
  /// The descriptor; closed on exec, so that only the child that is given it inherits it.
  let descriptor: Int32

  /// An empty file, or one that holds `content` and is read from its start.
  init(containing content: [UInt8] = []) throws {
    let path = "/tmp/copypasta-stream.\(getpid()).\(UInt64.random(in: 0 ... .max))"
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw TestSupportError.system("open", code: errno) }
    unlink(path)
    try write(content)
  }

  deinit { close(descriptor) }

  /// Everything written so far; does not move the position that the child writes at.
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
