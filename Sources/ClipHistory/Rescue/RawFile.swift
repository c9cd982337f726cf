import Glibc

/// A file that is read byte by byte, past SQLite.
///
/// Only for files that no connection of this process has open: closing a descriptor drops every lock on its file.
final class RawFile {
  private let descriptor: Int32
  /// The size in bytes when it was opened.
  let size: Int

  /// Nil if the file is not there.
  ///
  /// - Throws: `.folderUnusable` if it is, and cannot be read.
  init?(_ path: String) throws(StoreError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .folderUnusable(path: HistoryFolder.parent(of: path), errno: errno)
    }
    var status = stat()
    size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  deinit {
    close(descriptor)
  }

  /// These bytes, nil if the file ends before, or if the disk does not give them.
  func bytes(at offset: Int, count: Int) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let target = buffer.baseAddress?.advanced(by: filled)
        let got = pread(descriptor, target, count - filled, off_t(offset + filled))
        guard got > 0 else { break }
        filled += got
      }
    }
    return bytes.count == count ? bytes : nil
  }
}

/// Big-endian numbers, as the file format has them.
extension [UInt8] {
  func uint16(at offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }

  func uint32(at offset: Int) -> Int { uint16(at: offset) << 16 | uint16(at: offset + 2) }
}
