import CSQLite
import Glibc

/// The files from which a history can be recovered.
struct RawFiles {
  let database: RawFile?
  let log: RawFile?

  /// - Throws: `.folderUnusable` if a file exists but is unreadable.
  init(_ location: HistoryLocation) throws(StoreError) {
    try self.init(database: location.database, log: location.wal)
  }

  init(database: String, log: String?) throws(StoreError) {
    self.database = try RawFile(database)
    self.log = try log.flatMap { (log) throws(StoreError) in try RawFile(log) }
  }
}

/// The readable pages of a damaged database, as they were last committed: pages in its WAL replace older versions.
///
/// Reads the file format directly (https://sqlite.org/fileformat2.html), because SQLite may reject a whole file for a
/// single damaged page.
struct DatabasePages {
  let layout: PageLayout
  let files: RawFiles
  /// The numbers of all pages except the first, which holds the header and the schema; in a damaged WAL they may be
  /// arbitrary.
  let numbers: [Int]
  /// The largest number of a page that a row can refer to.
  let last: Int
  /// The number of pages after the last commit.
  let committedCount: Int
  private let fileCount: Int
  private let logPages: [Int: Int]

  var count: Int { numbers.count + 1 }

  init(_ files: RawFiles) { self.init(files, layout: PageLayout(of: files)) }

  init(_ files: RawFiles, layout: PageLayout) {
    self.files = files
    self.layout = layout
    let log = files.log.map { WALReader($0, pageSize: layout.pageSize) }
    logPages = log?.offsets ?? [:]
    let fileCount = (files.database?.size ?? 0) / layout.pageSize
    self.fileCount = fileCount
    committedCount = log?.pageCount ?? fileCount
    let logOnly = logPages.keys.filter { $0 > fileCount }.sorted()
    numbers = Array(stride(from: 2, through: fileCount, by: 1)) + logOnly
    // Leave room for the pages that `SalvagedFile` adds.
    last = min(numbers.last ?? 1, 1 << 31)
  }

  /// Returns the part of a page that SQLite uses, or the whole page.
  func page(_ number: Int, whole: Bool = false) -> [UInt8]? {
    guard number > 0 else { return nil }
    let count = whole ? layout.pageSize : layout.usable
    if let offset = logPages[number] { return files.log?.bytes(at: offset, count: count) }
    guard number <= fileCount else { return nil }
    return files.database?.bytes(at: (number - 1) * layout.pageSize, count: count)
  }

  /// Returns the bytes of a row on its page.
  func cell(_ page: UInt32, _ offset: UInt16) -> ArraySlice<UInt8>? {
    guard let bytes = self.page(Int(page)), let cell = LeafCell(in: bytes, at: Int(offset)) else {
      return nil
    }
    return bytes[cell.offset..<cell.end]
  }

  /// Rejects a file that another program, or a newer version, has marked as its own.
  func checkIsOurs(hasRows: Bool) throws(StoreError) {
    // The file may be truncated within the first page.
    guard let header = page(1) ?? files.database?.bytes(at: 0, count: 100),
      header.starts(with: Array("SQLite format 3\0".utf8))
    else { return }
    let (application, version) = (Int64(header.uint32(at: 68)), header.uint32(at: 60))
    if application == Schema.applicationID {
      // A negative version is damage.
      guard version <= Schema.version || version > Int(Int32.max) else {
        throw .newerSchema(found: version, known: Schema.version)
      }
    } else if application != 0 || !hasRows {
      throw .foreign
    }
  }
}

/// A file whose bytes are read directly.
///
/// SQLite opens and closes it: closing a descriptor drops all of the process's locks on the file, so SQLite keeps the
/// descriptor while a connection of this process has locks (https://sqlite.org/howtocorrupt.html).
final class RawFile {
  private let file: UnsafeMutablePointer<sqlite3_file>
  /// SQLite reads it while the file is open.
  private let name: UnsafeMutablePointer<CChar>
  private let path: String
  private let inode: UInt
  let size: Int

  /// Returns nil if the file does not exist.
  ///
  /// - Throws: `.folderUnusable` if the file exists but is unreadable, `.irregular` if it is a link or a special file.
  init?(_ path: String) throws(StoreError) {
    guard let status = try HistoryFolder.status(path, lstat) else { return nil }
    // Opening a pipe would wait for its writer.
    guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { throw .irregular(path: path) }
    guard let system = sqlite3_vfs_find("unix"), let name = strdup(path) else {
      throw .failed(code: SQLITE_NOMEM)
    }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: Int(system.pointee.szOsFile), alignment: 16)
    file = memory.bindMemory(to: sqlite3_file.self, capacity: 1)
    // SQLite sets the methods only if it opens the file.
    file.pointee.pMethods = nil
    (self.path, self.name) = (path, name)
    inode = UInt(status.st_ino)
    let code = system.pointee.xOpen(system, name, file, SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READONLY, nil)
    let problem = errno
    var length: sqlite3_int64 = 0
    _ = file.pointee.pMethods?.pointee.xFileSize(file, &length)
    size = Int(length)
    guard code == SQLITE_OK else {
      if problem == ENOENT { return nil }
      throw StoreError(errno: problem, folder: HistoryFolder.parent(of: path))
    }
  }

  /// Whether this file was removed or replaced.
  var hasMoved: Bool { FileState(path)?.inode != inode }

  deinit {
    _ = file.pointee.pMethods?.pointee.xClose(file)
    UnsafeMutableRawPointer(file).deallocate()
    free(name)
  }

  /// Returns `count` bytes at `offset`; nil if the file is shorter or the read fails.
  func bytes(at offset: Int, count: Int) -> [UInt8]? {
    guard let read = file.pointee.pMethods?.pointee.xRead, let length = Int32(exactly: count) else {
      return nil
    }
    var code = SQLITE_OK
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      code = read(file, buffer.baseAddress, length, sqlite3_int64(offset))
      filled = code == SQLITE_OK ? count : 0
    }
    return code == SQLITE_OK ? bytes : nil
  }
}

/// Big-endian numbers, as in SQLite's file format.
extension RandomAccessCollection<UInt8> where Index == Int {
  func uint16(at offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }

  func uint32(at offset: Int) -> Int { uint16(at: offset) << 16 | uint16(at: offset + 2) }
}

/// Finds the newest committed image of each page in a write-ahead log, even if the WAL is damaged.
///
/// SQLite stops at the first frame with a wrong checksum, and silently discards later commits. A frame's checksum
/// is computed from the frame and from the checksum stored in the frame before it, so a frame can be verified even if
/// earlier frames are damaged
/// (https://sqlite.org/fileformat2.html#the_write_ahead_log).
struct WALReader {
  /// The magic number of a WAL; its lowest bit is set if checksums use big-endian numbers.
  private static let magic = 0x377f_0682
  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// For each page, the offset of its newest image in the WAL.
  private(set) var offsets: [Int: Int] = [:]

  /// The number of pages of the database after the last commit; nil if there is none.
  private(set) var pageCount: Int?

  /// Whether SQLite would lose committed data.
  ///
  /// An incomplete last transaction is not damage: a power cut can cause it, and its commit was never confirmed. A
  /// later transaction proves that a broken transaction was once complete.
  private(set) var isDamaged = false

  /// - Parameter pageSize: the size to expect if the WAL's header is damaged.
  init(_ log: RawFile, pageSize: Int) {
    guard let header = log.bytes(at: 0, count: Self.headerSize) else { return }
    // SQLite computes checksums in the machine's byte order; without a valid header, assume little-endian.
    let checksum = WALChecksum(isBigEndian: header.uint32(at: 0) == Self.magic | 1)
    let isHeaderSound =
      header.uint32(at: 0) & ~1 == Self.magic && PageLayout.pageSizes.contains(header.uint32(at: 8))
      && checksum.of(header[..<24], after: [0, 0]) == checksum.stored(in: header, at: 24)
    var previous = isHeaderSound ? checksum.stored(in: header, at: 24) : nil
    var salts = isHeaderSound ? header[16..<24] : nil
    var pending: [Int: Int] = [:]
    var isWhole = isHeaderSound
    var hasCommitAfterBreak = false

    let frameSize = Self.frameHeaderSize + (isHeaderSound ? header.uint32(at: 8) : pageSize)
    for offset in stride(from: Self.headerSize, through: log.size - frameSize, by: frameSize) {
      guard let frame = log.bytes(at: offset, count: frameSize) else {
        (previous, isWhole) = (nil, false)
        continue
      }
      // Frames from before the WAL was last restarted have different salts.
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
      pageCount = commitSize
      pending = [:]
    }
    if !isHeaderSound, !offsets.isEmpty { isDamaged = true }
  }
}

/// The checksum of a WAL, computed over pairs of 32-bit numbers.
private struct WALChecksum {
  /// The byte order of the summed numbers; the checksums themselves are stored big-endian.
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
