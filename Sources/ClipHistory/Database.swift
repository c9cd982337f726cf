import CSQLite
import Glibc

/// A connection to a database file; it stays open while this object or any of its statements exists.
///
/// A connection belongs to one actor or thread at a time; the compiler enforces this, because the class is not
/// `Sendable`.
final class Database {
  enum Access {
    case readWrite, readOnly
    /// Reads a database that has no log; takes no locks and creates no file.
    case immutable
    /// Reads a database and its log; takes no locks, and keeps the log's index in memory.
    case immutableWithLog
  }

  /// SQLITE_IOERR_FSYNC, a macro that Swift cannot import.
  private static let syncFailure = SQLITE_IOERR | 4 << 8

  let handle: OpaquePointer
  let path: String
  /// How long a call waits for another program's lock, in milliseconds.
  var lockTimeout: Int32 {
    didSet { wait(atMost: lockTimeout) }
  }
  /// Must outlive `handle`, which writes through it.
  private let methods: FileMethods?
  /// The state of the files before an immutable connection opened them; nil for connections that take locks.
  private let stamps: [FileStamp?]?
  private var logFiles: [UInt?] = [nil, nil]

  init(path: String, access: Access, lockTimeout: Int32) throws(StoreError) {
    let isImmutable = access == .immutable || access == .immutableWithLog
    stamps = isImmutable ? FileStamp.ofDatabase(path) : nil
    var handle: OpaquePointer?
    let flags = access == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    let code = sqlite3_open_v2(
      Self.uri(path, access), &handle, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let handle else {
      let error = StoreError(code: code, system: handle.map { sqlite3_system_errno($0) } ?? 0, path: path)
      sqlite3_close_v2(handle)
      guard Self.isTooLong(path) else { throw error }
      throw .folderUnusable(path: HistoryFolder.parent(of: path), errno: ENAMETOOLONG)
    }
    self.handle = handle
    self.path = path
    self.lockTimeout = lockTimeout
    let change: FileMethods.Change? =
      switch access {
      case .readWrite: .zeroing
      case .immutableWithLog: .withoutLocks
      case .readOnly, .immutable: nil
      }
    methods = change.flatMap { FileMethods(of: handle, $0) }
    sqlite3_extended_result_codes(handle, 1)
    wait(atMost: lockTimeout)
    // Refuse to write if deleted texts would remain in the file, and to read with locks where locking is impossible.
    if change != nil, methods == nil { throw .failed(code: SQLITE_ERROR) }
    if access == .immutableWithLog {
      // Without locks, SQLite takes this connection for the last one when it closes, and could delete another's log.
      var keepsLog: Int32 = 1
      guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keepsLog) == SQLITE_OK else {
        throw .failed(code: SQLITE_ERROR)
      }
      // An exclusive connection keeps the log's index in its own memory (https://sqlite.org/wal.html#noshm).
      try execute("PRAGMA locking_mode = EXCLUSIVE")
    }
  }

  deinit {
    // Closing fails only with open statements. No statement is open here, because every statement retains its
    // connection.
    sqlite3_close(handle)
  }

  /// Whether a file that this connection opened was removed or replaced: the database, its log or the log's index.
  var hasMoved: Bool {
    hasDatabaseMoved || zip(logFiles, FileStamp.inodesOfLog(path)).contains { $0 != nil && $0 != $1 }
  }

  private var hasDatabaseMoved: Bool {
    var moved: Int32 = 0
    let isKnown = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK
    return isKnown && moved != 0
  }

  /// Whether the database no longer has its log, or the log its database.
  ///
  /// A checkpoint then still saves what is in the log, and keeps it out of a file that has replaced the database.
  var hasLostFile: Bool {
    let found = FileStamp.inodesOfLog(path)
    if hasDatabaseMoved { return found == logFiles }
    return found != logFiles && zip(logFiles, found).allSatisfy { $0 == $1 || $1 == nil }
  }

  /// Stores the inodes of the log and its index, for `hasMoved`; call this once SQLite has opened both.
  ///
  /// SQLite itself neither removes nor replaces them while a connection is open.
  func rememberLog() { logFiles = FileStamp.inodesOfLog(path) }

  /// Whether the file has been written since an immutable connection opened it; reads may then be inconsistent.
  var isStale: Bool { stamps.map { $0 != FileStamp.ofDatabase(path) } ?? false }

  var lastInsertedID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Runs SQL that returns no rows.
  func execute(_ sql: String) throws(StoreError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Returns the integer in the first row of a query's result; nil if the result is empty.
  func integer(_ sql: String) throws(StoreError) -> Int64? {
    try Statement(sql, on: self).first { $0.integer(0) }
  }

  /// Returns the text in the first row of a query's result; nil if the result is empty.
  func string(_ sql: String) throws(StoreError) -> String? {
    try Statement(sql, on: self).first { $0.string(0) }
  }

  /// Runs `body` as one write transaction: on return, all of its changes are on disk; after an error, none.
  ///
  /// - Throws: `.replaced` if the file was removed or replaced, because anything written to it would be lost.
  func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    // Use IMMEDIATE, because upgrading a read lock at the first write would fail without waiting.
    try execute("BEGIN IMMEDIATE")
    do throws(StoreError) {
      if hasMoved { throw .replaced }
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // If the log could not be synced, it still contains the whole transaction. On a full disk, it may contain a part.
      let isInLog = sqlite3_extended_errcode(handle) == Self.syncFailure || error == .diskFull
      // If the disk is full, SQLite has already rolled back. Throw the original error, because it names the cause.
      if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      if isInLog { removeFailedTransaction() }
      throw error
    }
  }

  /// Truncates the log after a transaction that failed: a crash would otherwise bring it back, or it takes room on a full
  /// disk.
  private func removeFailedTransaction() {
    do throws(StoreError) {
      _ = try truncateLog(waiting: 0)
    } catch {
      // Ignore: the next transaction overwrites the log.
    }
  }

  /// Checks that the disk has room for a large text in the log and, as far as no free pages are left, in the database.
  ///
  /// - Throws: `.diskFull` if not: the log could then not be truncated, and would keep deleted texts.
  func checkRoom(forTextOf byteCount: Int) throws(StoreError) {
    let free = try (integer("PRAGMA freelist_count") ?? 0) * (integer("PRAGMA page_size") ?? 0)
    try HistoryFolder.checkRoom(byteCount + max(0, byteCount - Int(free)), in: HistoryFolder.parent(of: path))
  }

  /// Begins a read transaction, if the file is readable; it ends when the connection is closed.
  func beginRead() {
    sqlite3_exec(handle, "BEGIN; SELECT count(*) FROM sqlite_schema", nil, nil, nil)
  }

  /// Checkpoints the whole log into the database file and truncates it.
  ///
  /// - Parameter limit: how long to wait for readers, in milliseconds.
  /// - Returns: false if a reader blocks the checkpoint.
  func truncateLog(waiting limit: Int32) throws(StoreError) -> Bool {
    wait(atMost: limit)
    defer { wait(atMost: lockTimeout) }
    let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    if code & 0xff == SQLITE_BUSY { return false }
    guard code == SQLITE_OK else { throw failure(code) }
    return true
  }

  /// Whether more than half of the file consists of free pages, and the used pages take at most `limit` bytes.
  func isMostlyEmpty(upTo limit: Int64) throws(StoreError) -> Bool {
    let sizes = try ["page_count", "freelist_count", "page_size"].map { (name) throws(StoreError) in
      try Statement("PRAGMA \(name)", on: self).first { $0.integer(0) } ?? 0
    }
    let used = sizes[0] - sizes[1]
    return used < sizes[1] && used <= limit / max(sizes[2], 1)
  }

  /// Returns the error for a result code that a call on this connection has just returned.
  ///
  /// If the error is `.damaged`, this creates the damage marker.
  func failure(_ code: Int32) -> StoreError {
    // On a file system without locks SQLite reports SQLITE_BUSY, as for a lock that is held; only `errno` differs.
    let system = code & 0xff == SQLITE_BUSY ? errno : sqlite3_system_errno(handle)
    var error = StoreError(code: code, system: system, path: path)
    if error == .readOnly, isWronglyReadOnly { error = .damaged }
    if code == SQLITE_NOMEM, failsQuickCheck() { error = .damaged }
    if error == .damaged, isStale || hasMoved { return .replaced }
    if error == .damaged, !HistoryFolder.markDamaged(path) { error = .cannotBeRecovered }
    return error
  }

  /// Whether SQLite treats a writable file as read-only, because the write version in its header is damaged.
  ///
  /// A file with an unknown write version can be read but not written (SQLite's file format, 1.3.3).
  private var isWronglyReadOnly: Bool {
    stamps == nil && methods != nil && sqlite3_db_readonly(handle, "main") == 1
      && HistoryFolder.isWritable(path)
  }

  /// Whether a check of the file's structure finds damage.
  ///
  /// SQLite may report a lack of memory because a row states an enormous size.
  private func failsQuickCheck() -> Bool {
    var check: OpaquePointer?
    defer { sqlite3_finalize(check) }
    guard sqlite3_prepare_v2(handle, "PRAGMA quick_check(1)", -1, &check, nil) == SQLITE_OK,
      sqlite3_step(check) == SQLITE_ROW, let result = sqlite3_column_text(check, 0)
    else { return false }
    return String(cString: result) != "ok"
  }

  /// Validates a text that was read from this file.
  ///
  /// - Throws: `.damaged` if the bytes are not valid; the next start then recovers the history.
  func text(_ bytes: [UInt8]) throws(StoreError) -> ClipText {
    do {
      return try ClipText(validating: bytes)
    } catch {
      throw failure(SQLITE_CORRUPT)
    }
  }

  /// Makes calls wait up to `limit` milliseconds for a lock, with an attempt every 2 ms.
  ///
  /// SQLite's own busy handler slows down to an attempt every 100 ms. While another program wrote continuously, that
  /// handler failed to get the lock within 2 s in two of ten runs on a busy machine.
  private func wait(atMost limit: Int32) {
    sqlite3_busy_handler(
      handle,
      { limit, attempts in
        guard Int(attempts) * 2 < Int(bitPattern: limit), errno != ENOLCK else { return 0 }
        usleep(2_000)
        return 1
      }, UnsafeMutableRawPointer(bitPattern: Int(limit)))
  }

  /// Whether SQLite refuses a path because it would exceed 512 bytes with `-journal` appended.
  private static func isTooLong(_ path: String) -> Bool {
    // SQLite resolves symbolic links before it checks the length.
    guard let real = realpath(path, nil) else { return path.utf8.count + 8 > 512 }
    defer { free(real) }
    return strlen(real) + 8 > 512
  }

  /// Returns a URI even for plain paths, because Debian's SQLite parses any path that begins with `file:` as a URI.
  private static func uri(_ path: String, _ access: Access) -> String {
    // Add an empty authority, because SQLite would parse the start of a path with two leading slashes as an authority.
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

  /// Makes the connection distrust the file, and keep temporary data in memory, so that no text reaches other files.
  func useCautiously() throws(StoreError) {
    try execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY")
  }

  /// Gives a new file our layout, even if this build of SQLite has other defaults.
  func useOurLayout() throws(StoreError) {
    try execute(
      "PRAGMA page_size = \(PageLayout.ours.pageSize); PRAGMA encoding = 'UTF-8'; PRAGMA auto_vacuum = NONE")
  }

  /// Whether the file has the layout of the histories that CopyPasta creates.
  func hasOurLayout() throws(StoreError) -> Bool {
    // A negative value reads the setting without changing it.
    var reserved: Int32 = -1
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
    guard reserved <= 0, try integer("PRAGMA page_size") == Int64(PageLayout.ours.pageSize) else {
      return false
    }
    guard try string("PRAGMA encoding") == "UTF-8" else { return false }
    return try integer("PRAGMA auto_vacuum") == 0
  }

  /// Configures the write connection.
  ///
  /// - FULL: a commit is on disk when it returns. With NORMAL a power cut loses the last commits.
  /// - secure_delete: deleted content is overwritten with zeros. FAST leaves it in the log and on free pages.
  /// - journal_size_limit: a log that grew with one large text is cut back to 4 MiB when it is next restarted.
  func useForWriting() throws(StoreError) {
    try execute(
      "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = \(4 << 20)")
    try useWriteAheadLog()
  }

  /// Enables WAL mode; the file stores this setting.
  private func useWriteAheadLog() throws(StoreError) {
    let pause: Int32 = 5
    var waited: Int32 = 0
    while true {
      do throws(StoreError) {
        guard try string("PRAGMA journal_mode = WAL") == "wal" else { throw failure(SQLITE_CANTOPEN) }
        return
      } catch .locked where waited < lockTimeout {
        // Try again after a pause: the pragma ignores the busy timeout, and fails if two processes open a new file
        // together.
        usleep(UInt32(pause) * 1000)
        waited += pause
      }
    }
  }
}

/// The state of a file; two stamps differ if the file was written, created or replaced in between.
private struct FileStamp: Equatable {
  private let inode: UInt
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  /// Returns nil if the file does not exist.
  private init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
    // Do not compare the time of the last status change: when run by root, SQLite sets the owner of a log that it
    // opens, which changes this time.
    seconds = Int(status.st_mtim.tv_sec)
    nanoseconds = Int(status.st_mtim.tv_nsec)
  }

  /// The inode numbers of the log and of its index.
  static func inodesOfLog(_ path: String) -> [UInt?] {
    ["-wal", "-shm"].map { FileStamp(path + $0)?.inode }
  }

  static func ofDatabase(_ path: String) -> [FileStamp?] { [FileStamp(path), FileStamp(path + "-wal")] }
}
