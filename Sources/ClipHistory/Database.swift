import CSQLite
import Glibc

/// A connection to a database file, open as long as the connection or one of its statements lives.
///
/// A connection belongs to one actor or thread at a time, which the compiler sees to: it is not `Sendable`.
final class Database {
  enum Access {
    case readWrite, readOnly
    /// Without locks and without a log beside the file: where no index of a log can be made.
    case immutable
    /// Without locks, with a log whose index is in memory: where no index of a log can be made.
    case immutableWithLog
  }

  let handle: OpaquePointer
  let path: String
  /// How long a call waits for another program's lock, in milliseconds.
  let lockTimeout: Int32
  /// The handle writes through this object until it is closed.
  private let erasing: ZeroingFileMethods?
  /// The files before an immutable connection opened them; nil for the others, which take locks.
  private let stamps: [FileStamp?]?

  /// Opens an existing file.
  init(path: String, access: Access, lockTimeout: Int32) throws(StoreError) {
    let isImmutable = access == .immutable || access == .immutableWithLog
    stamps = isImmutable ? FileStamp.ofDatabase(path) : nil
    var handle: OpaquePointer?
    let flags = access == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    let code = sqlite3_open_v2(
      Self.uri(path, access), &handle, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
      access == .immutableWithLog ? "unix-none" : nil)
    guard code == SQLITE_OK, let handle else {
      let error = StoreError(code: code, system: handle.map { sqlite3_system_errno($0) } ?? 0, path: path)
      sqlite3_close_v2(handle)
      guard Self.isTooLong(path) else { throw error }
      throw .folderUnusable(path: HistoryFolder.parent(of: path), errno: ENAMETOOLONG)
    }
    self.handle = handle
    self.path = path
    self.lockTimeout = lockTimeout
    erasing = access == .readWrite ? ZeroingFileMethods(of: handle) : nil
    sqlite3_extended_result_codes(handle, 1)
    wait(atMost: lockTimeout)
    // A history that keeps what was deleted is worse than none.
    if access == .readWrite, erasing == nil { throw .failed(code: SQLITE_ERROR) }
    // A reader that is alone needs no index that others can see (https://sqlite.org/wal.html#noshm).
    if access == .immutableWithLog { try execute("PRAGMA locking_mode = EXCLUSIVE") }
  }

  deinit {
    // Closing cannot fail: every statement keeps its connection.
    sqlite3_close(handle)
  }

  /// Whether another file, or none, has the name under which this one was opened.
  var hasMoved: Bool {
    var moved: Int32 = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
  }

  /// Whether somebody has written since an immutable connection was opened, which may show a mixture then.
  var isStale: Bool { stamps.map { $0 != FileStamp.ofDatabase(path) } ?? false }

  /// The id of the row that the last insertion made.
  var lastInsertedID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Runs SQL that returns no rows.
  func execute(_ sql: String) throws(StoreError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// The number in the first row that a query gives; nil if it gives none.
  func integer(_ sql: String) throws(StoreError) -> Int64? {
    try Statement(sql, on: self).first { $0.integer(0) }
  }

  /// The text in the first row that a query gives; nil if it gives none.
  func string(_ sql: String) throws(StoreError) -> String? {
    try Statement(sql, on: self).first { $0.string(0) }
  }

  /// Runs `body` as one transaction that may write: all of it is on disk at the return, or none of it.
  ///
  /// - Throws: `.replaced` if the file was removed or replaced: what is written to it now would be lost without a word.
  func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    // IMMEDIATE: a lock taken at the first write instead would fail without waiting, after a read.
    try execute("BEGIN IMMEDIATE")
    do throws(StoreError) {
      if hasMoved { throw .replaced }
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // A full disk makes SQLite roll back by itself. The first error is the one that says what happened.
      if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      throw error
    }
  }

  /// Moves the whole log into the database file and empties it.
  ///
  /// - Parameter limit: how long to wait for readers, in milliseconds.
  /// - Returns: false if a reader is in the way.
  func truncateLog(waiting limit: Int32) throws(StoreError) -> Bool {
    wait(atMost: limit)
    defer { wait(atMost: lockTimeout) }
    let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    if code & 0xff == SQLITE_BUSY { return false }
    guard code == SQLITE_OK else { throw failure(code) }
    return true
  }

  /// Whether more than half of the file is empty, and the rest has at most `limit` bytes.
  func isMostlyEmpty(upTo limit: Int64) throws(StoreError) -> Bool {
    let sizes = try ["page_count", "freelist_count", "page_size"].map { (name) throws(StoreError) in
      try Statement("PRAGMA \(name)", on: self).first { $0.integer(0) } ?? 0
    }
    let used = sizes[0] - sizes[1]
    return used < sizes[1] && used <= limit / max(sizes[2], 1)
  }

  /// The error behind a result code that a call on this connection has just given.
  func failure(_ code: Int32) -> StoreError {
    // On a file system without locks SQLite reports a lock that is taken; only `errno` tells the difference.
    let system = code & 0xff == SQLITE_BUSY ? errno : sqlite3_system_errno(handle)
    var error = StoreError(code: code, system: system, path: path)
    if error == .readOnly, saysWronglyItIsReadOnly { error = .damaged }
    if error == .damaged, isStale { return .replaced }
    if error == .damaged, !HistoryFolder.markDamaged(path) { error = .cannotBeRecovered }
    return error
  }

  /// Whether only the file's format version keeps SQLite from writing: one that SQLite can read and not write (SQLite's
  /// file format, 1.3.3).
  private var saysWronglyItIsReadOnly: Bool {
    erasing != nil && sqlite3_db_readonly(handle, "main") == 1 && HistoryFolder.isWritable(path)
  }

  /// The text that a row of this file holds.
  ///
  /// - Throws: `.damaged` if the bytes are not the text of a clip; the next start then recovers the history.
  func text(_ bytes: [UInt8]) throws(StoreError) -> ClipText {
    do {
      return try ClipText(validating: bytes)
    } catch {
      throw failure(SQLITE_CORRUPT)
    }
  }

  /// Waits for a lock at most `limit` milliseconds, trying every 2 ms.
  ///
  /// SQLite's own timeout ends up trying every 100 ms: beside a program that writes all the time, none of its tries met
  /// a free moment for 2 s, in two of ten runs on a busy machine.
  private func wait(atMost limit: Int32) {
    sqlite3_busy_handler(
      handle,
      { limit, attempts in
        guard Int(attempts) * 2 < Int(bitPattern: limit), errno != ENOLCK else { return 0 }
        usleep(2_000)
        return 1
      }, UnsafeMutableRawPointer(bitPattern: Int(limit)))
  }

  /// Whether SQLite refuses a path for its length: with `-journal` behind it, it may have 512 bytes at most.
  private static func isTooLong(_ path: String) -> Bool {
    // SQLite follows links before it counts.
    guard let real = realpath(path, nil) else { return path.utf8.count + 8 > 512 }
    defer { free(real) }
    return strlen(real) + 8 > 512
  }

  /// Always a URI, because Debian's SQLite would read a path that begins with `file:` as one.
  private static func uri(_ path: String, _ access: Access) -> String {
    // Without an authority of its own, a URI would take one from a path that begins with two slashes.
    var uri = path.hasPrefix("/") ? "file://" : "file:"
    for scalar in path.unicodeScalars {
      switch scalar {
      case "%", "?", "#": uri += "%" + String(scalar.value, radix: 16)
      default: uri.unicodeScalars.append(scalar)
      }
    }
    return access == .immutable ? uri + "?immutable=1" : uri
  }

  // MARK: - Settings

  /// Makes the connection distrust the file, and write no text into temporary files elsewhere.
  func useCautiously() throws(StoreError) {
    try execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY")
  }

  /// Sets up the writing connection.
  ///
  /// - FULL: a commit is on disk when it returns. With NORMAL a power cut takes the last ones.
  /// - secure_delete: what is deleted is overwritten with zeros. FAST leaves it in the log and the file.
  /// - journal_size_limit: a log that one large text has grown is cut back to 4 MiB at its next start.
  func useForWriting() throws(StoreError) {
    try execute(
      "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = \(4 << 20)")
    try useWriteAheadLog()
  }

  /// Turns the write-ahead log on, which the file remembers.
  private func useWriteAheadLog() throws(StoreError) {
    let pause: Int32 = 5
    var waited: Int32 = 0
    while true {
      do throws(StoreError) {
        guard try string("PRAGMA journal_mode = WAL") == "wal" else { throw failure(SQLITE_CANTOPEN) }
        return
      } catch .locked where waited < lockTimeout {
        // The pragma ignores the busy timeout, and of two processes that open a new file one waits for the other here.
        usleep(UInt32(pause) * 1000)
        waited += pause
      }
    }
  }
}

/// Tells whether a file was written, made or replaced.
private struct FileStamp: Equatable {
  private let number: UInt
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  /// Nil if there is no such file.
  private init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    number = UInt(status.st_ino)
    size = Int(status.st_size)
    seconds = Int(status.st_ctim.tv_sec)
    nanoseconds = Int(status.st_ctim.tv_nsec)
  }

  /// The stamps of a database and of its log.
  static func ofDatabase(_ path: String) -> [FileStamp?] { [FileStamp(path), FileStamp(path + "-wal")] }
}
