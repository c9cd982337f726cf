import Glibc

/// The pages of a database with those of its log laid over them, as far as each can be read.
///
/// SQLite, which may refuse a whole file for want of one page, has no part in this: the file format is read
/// (https://sqlite.org/fileformat2.html).
struct DatabasePages {
  static let pageSize = WALReader.pageSize

  /// How many pages there are.
  var count: Int { fileCount + logOnly.count }
  /// The file has the pages with the numbers from 1 to this one.
  let fileCount: Int
  /// The numbers of the pages that only the log has; a damaged log may name any number.
  let logOnly: [Int]
  /// Whether the file begins as a database of SQLite's does.
  var isDatabase: Bool { header?.starts(with: Array("SQLite format 3\0".utf8)) ?? false }

  private let file: RawFile?
  private let log: RawFile?
  private let logPages: WALReader?

  /// - Throws: `.folderUnusable` if a file is there, and may not be read.
  init(_ location: HistoryLocation) throws(StoreError) {
    file = try RawFile(location.database)
    log = try RawFile(location.writeAheadLog)
    logPages = log.map(WALReader.init)
    let fileCount = (file?.size ?? 0) / Self.pageSize
    self.fileCount = fileCount
    logOnly = logPages?.offsets.keys.filter { $0 > fileCount }.sorted() ?? []
  }

  /// The bytes of a page, nil if it is missing.
  func page(_ number: Int) -> [UInt8]? {
    guard number > 0 else { return nil }
    if let offset = logPages?.offsets[number], let log {
      return log.bytes(at: offset, count: Self.pageSize)
    }
    guard number <= fileCount else { return nil }
    return file?.bytes(at: (number - 1) * Self.pageSize, count: Self.pageSize)
  }

  /// The number that marks a program's files, and the schema's version; nil if the header is missing.
  var schemaVersion: (applicationID: Int64, version: Int)? {
    guard isDatabase, let header else { return nil }
    return (Int64(header.uint32(at: 68)), header.uint32(at: 60))
  }

  private var header: [UInt8]? {
    // The file may be cut off within the first page.
    page(1) ?? file?.bytes(at: 0, count: 100)
  }
}

/// A file that is read byte by byte, past SQLite.
///
/// Only for files that no connection of this process has open: closing a descriptor drops every lock on its file.
final class RawFile {
  private let descriptor: Int32
  /// The size in bytes when it was opened.
  let size: Int

  /// Nil if the file is not there.
  ///
  /// - Throws: `.folderUnusable` if the file is there and cannot be read.
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

  /// The bytes from an offset on; nil if the file ends before, or the disk does not give them.
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

/// Where the newest committed image of each page is in a write-ahead log, damaged or not.
///
/// SQLite stops at the first frame whose checksum is wrong, and forgets without a word what was committed after it. A
/// frame's checksum continues that of the frame before, which is stored there: so every frame can be judged by itself
/// (https://sqlite.org/fileformat2.html#the_write_ahead_log).
struct WALReader {
  /// The size of a page in every history; SQLite's default for new files.
  static let pageSize = 4096

  /// The number that a log begins with; the lowest bit says that its checksums are of big-endian numbers.
  private static let magic = 0x377f_0682
  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// The offset in the log of each page's bytes.
  private(set) var offsets: [Int: Int] = [:]

  /// Whether something that was on disk is lost to SQLite.
  ///
  /// An incomplete last transaction is no damage: a power cut leaves one, and nobody was told that it is on disk.
  /// Transactions after a broken one prove that the broken one was complete once.
  private(set) var isDamaged = false

  init(_ log: RawFile) {
    guard let header = log.bytes(at: 0, count: Self.headerSize) else { return }
    // SQLite computes checksums in the machine's byte order; without a sound header the usual order is assumed.
    let checksum = WALChecksum(isBigEndian: header.uint32(at: 0) == Self.magic | 1)
    let isHeaderSound =
      header.uint32(at: 0) & ~1 == Self.magic && header.uint32(at: 8) == Self.pageSize
      && checksum.of(header[..<24], after: [0, 0]) == checksum.stored(in: header, at: 24)
    var previous = isHeaderSound ? checksum.stored(in: header, at: 24) : nil
    var salts = isHeaderSound ? header[16..<24] : nil
    var pending: [Int: Int] = [:]
    var isWhole = isHeaderSound
    var hasCommitAfterBreak = false

    let frameSize = Self.frameHeaderSize + Self.pageSize
    for offset in stride(from: Self.headerSize, through: log.size - frameSize, by: frameSize) {
      guard let frame = log.bytes(at: offset, count: frameSize) else {
        (previous, isWhole) = (nil, false)
        continue
      }
      // Frames of an earlier use of the file have other salts.
      guard frame[8..<16].elementsEqual(salts ?? frame[8..<16]) else {
        (previous, isWhole) = (nil, false)
        continue
      }
      salts = frame[8..<16]
      if hasCommitAfterBreak { isDamaged = true }
      let stored = checksum.stored(in: frame, at: 16)
      let isSound =
        previous.map { checksum.of(frame[24...], after: checksum.of(frame[..<8], after: $0)) == stored }
        ?? (offset == Self.headerSize)
      previous = stored
      isWhole = isWhole && isSound
      let commitSize = frame.uint32(at: 4)
      if !isWhole, commitSize > 0 { hasCommitAfterBreak = true }
      guard isSound, case let number = frame.uint32(at: 0), number > 0 else { continue }
      pending[number] = offset + Self.frameHeaderSize
      guard commitSize > 0 else { continue }
      offsets.merge(pending) { $1 }
      pending = [:]
    }
    if !isHeaderSound, !offsets.isEmpty { isDamaged = true }
  }
}

/// The checksum of a log, over pairs of numbers of 32 bits.
private struct WALChecksum {
  /// The byte order of the numbers that are added up; the sums themselves are stored big-endian.
  let isBigEndian: Bool

  func of(_ bytes: ArraySlice<UInt8>, after start: [UInt32]) -> [UInt32] {
    bytes.withUnsafeBytes { buffer in
      var (first, second) = (start[0], start[1])
      var offset = 0
      while offset + 8 <= buffer.count {
        first &+= number(buffer, offset) &+ second
        second &+= number(buffer, offset + 4) &+ first
        offset += 8
      }
      return [first, second]
    }
  }

  func stored(in bytes: [UInt8], at offset: Int) -> [UInt32] {
    [UInt32(bytes.uint32(at: offset)), UInt32(bytes.uint32(at: offset + 4))]
  }

  private func number(_ buffer: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    let value = buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    return isBigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value)
  }
}
