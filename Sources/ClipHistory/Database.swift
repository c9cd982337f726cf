import CSQLite
import Glibc

/// A connection to a database file; it stays open while this object or any of its statements exists.
///
/// A connection belongs to one actor or thread at a time; the compiler enforces this, because the class is not
/// `Sendable`.
final class Database {
  enum Access { case readWrite, readOnly }

  /// SQLITE_IOERR_FSYNC, a macro that Swift cannot import.
  private static let syncFailure = SQLITE_IOERR | 4 << 8

  let handle: OpaquePointer
  let path: String
  /// How long a call waits for another program's lock, in milliseconds.
  var lockTimeout: Int32 {
    didSet { wait(atMost: lockTimeout) }
  }
  /// What the connection reads instead of the file; nil if it reads the file.
  private let source: (any PageSource)?
  /// Must outlive `handle`, which reads or writes through it.
  private let methods: FileMethods?
  private var walFiles: [UInt?] = [nil, nil]

  init(path: String, access: Access, lockTimeout: Int32) throws(StoreError) {
    let flags = access == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    handle = try Self.open(path, flags, fileSystem: nil, for: path)
    (self.path, self.lockTimeout, source) = (path, lockTimeout, nil)
    methods = access == .readWrite ? FileMethods(of: handle) : nil
    wait(atMost: lockTimeout)
    // Refuse to write if deleted texts would remain in the file.
    if access == .readWrite, methods == nil { throw .failed(code: SQLITE_ERROR) }
  }

  /// Reads the pages of `source` instead of the file at `path`.
  ///
  /// - Throws: `.failed` if SQLite has no file system in memory, which serves as a basis.
  init(_ source: any PageSource, path: String) throws(StoreError) {
    handle = try Self.open("pages", SQLITE_OPEN_READONLY, fileSystem: "memdb", for: path)
    (self.path, lockTimeout, self.source) = (path, 0, source)
    methods = FileMethods(of: handle, reading: source)
    guard methods != nil else { throw .failed(code: SQLITE_ERROR) }
  }

  /// Debian's SQLite would parse a name that begins with `file:` as a URI; a path is absolute.
  private static func open(
    _ name: String, _ flags: Int32, fileSystem: String?, for path: String
  ) throws(StoreError) -> OpaquePointer {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX, fileSystem)
    guard code == SQLITE_OK, let handle else {
      defer { sqlite3_close_v2(handle) }
      throw StoreError(code: code, system: handle.map { sqlite3_system_errno($0) } ?? 0, path: path)
    }
    sqlite3_extended_result_codes(handle, 1)
    return handle
  }

  deinit {
    // Closing fails only with open statements. No statement is open here, because every statement retains its
    // connection.
    sqlite3_close(handle)
  }

  /// Whether a file that this connection opened was removed or replaced: the database, its WAL or the wal-index.
  var hasMoved: Bool {
    if let source { return source.pages.files.database?.hasMoved == true }
    return hasDatabaseMoved || zip(walFiles, walInodes).contains { $0 != nil && $0 != $1 }
  }

  /// The inode numbers of the WAL and of its index.
  private var walInodes: [UInt?] { ["-wal", "-shm"].map { FileState(path + $0)?.inode } }

  private var hasDatabaseMoved: Bool {
    var moved: Int32 = 0
    let isKnown = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK
    return isKnown && moved != 0
  }

  /// Whether the database no longer has its WAL, or the WAL its database.
  ///
  /// A checkpoint then still saves what is in the WAL, and keeps it out of a file that has replaced the database.
  var hasLostFile: Bool {
    let found = walInodes
    if hasDatabaseMoved { return found == walFiles }
    return found != walFiles && zip(walFiles, found).allSatisfy { $0 == $1 || $1 == nil }
  }

  /// Stores the inodes of the WAL and its index, for `hasMoved`; call this once SQLite has opened both.
  ///
  /// SQLite itself neither removes nor replaces them while a connection is open.
  func rememberWAL() { walFiles = walInodes }

  /// What is readable of a damaged history; nil if no damage was found.
  var salvaged: SalvagedFile? { source as? SalvagedFile }

  /// Whether the files have been written since a connection without locks opened them.
  var isStale: Bool { (source as? UnlockedFile)?.isStale ?? false }

  /// Returns the last assigned id; 0 if the history never had a clip.
  func lastID() throws(StoreError) -> Int64 {
    if let salvaged { return salvaged.rows.largestID }
    return try integer("SELECT max(seq) FROM sqlite_sequence WHERE name = 'clip'") ?? 0
  }

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
      // If the WAL could not be synced, it still contains the whole transaction. On a full disk, it may contain a part.
      let isInLog = sqlite3_extended_errcode(handle) == Self.syncFailure || error == .diskFull
      // If the disk is full, SQLite has already rolled back. Throw the original error, because it names the cause.
      if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      if isInLog { removeFailedTransaction() }
      throw error
    }
  }

  /// Truncates the WAL after a transaction that failed: a crash would otherwise bring it back, or it takes room on a full
  /// disk.
  private func removeFailedTransaction() {
    do throws(StoreError) {
      _ = try truncateWAL(waiting: 0)
    } catch {
      // Ignore: the next transaction overwrites the WAL.
    }
  }

  /// Checks that the disk has room for a large text in the WAL and, as far as no free pages are left, in the database.
  ///
  /// - Throws: `.diskFull` if not: the WAL could then not be truncated, and would keep deleted texts.
  func checkRoom(forTextOf byteCount: Int) throws(StoreError) {
    let free = try (integer("PRAGMA freelist_count") ?? 0) * (integer("PRAGMA page_size") ?? 0)
    try HistoryFolder.checkRoom(byteCount + max(0, byteCount - Int(free)), in: HistoryFolder.parent(of: path))
  }

  /// Begins a read transaction, if the file is readable; it ends when the connection is closed.
  func beginRead() {
    sqlite3_exec(handle, "BEGIN; SELECT count(*) FROM sqlite_schema", nil, nil, nil)
  }

  /// Checkpoints the whole WAL into the database file and truncates it.
  ///
  /// - Parameter limit: how long to wait for readers, in milliseconds.
  /// - Returns: false if a reader blocks the checkpoint.
  func truncateWAL(waiting limit: Int32) throws(StoreError) -> Bool {
    wait(atMost: limit)
    defer { wait(atMost: lockTimeout) }
    let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    if code & 0xff == SQLITE_BUSY { return false }
    guard code == SQLITE_OK else { throw failure(code) }
    return true
  }

  /// Whether more than half of the file consists of free pages, and the used pages take at most `limit` bytes.
  func isMostlyEmpty(upTo limit: Int64) throws(StoreError) -> Bool {
    let (all, free) = (try integer("PRAGMA page_count") ?? 0, try integer("PRAGMA freelist_count") ?? 0)
    return try all - free < min(free, limit / max(1, integer("PRAGMA page_size") ?? 1))
  }

  /// Returns the error for a result code that a call on this connection has just returned.
  ///
  /// If the error is `.damaged`, this creates the damage marker.
  func failure(_ code: Int32) -> StoreError {
    // On a file system without locks SQLite reports SQLITE_BUSY, as for a lock that is held; only `errno` differs.
    let system = code & 0xff == SQLITE_BUSY ? errno : sqlite3_system_errno(handle)
    var error = StoreError(code: code, system: system, path: path)
    if salvaged != nil { return error == .damaged || code == SQLITE_NOMEM ? .clipUnreadable : error }
    if code == SQLITE_NOMEM, failsQuickCheck() { error = .damaged }
    if error == .damaged, isStale || hasMoved { return .replaced }
    if error == .damaged { HistoryFolder.markDamaged(path) }
    return error
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
    guard let text = ClipText(bytes) else { throw failure(SQLITE_CORRUPT) }
    return text
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

  // MARK: - Settings

  /// Makes the connection distrust the file, and keep temporary data in memory, so that no text reaches other files.
  func useCautiously() throws(StoreError) {
    try execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY")
  }

  /// Configures the write connection.
  ///
  /// - FULL: a commit is on disk when it returns. With NORMAL a power cut loses the last commits.
  /// - secure_delete: deleted content is overwritten with zeros. FAST leaves it in the WAL and on free pages.
  /// - journal_size_limit: a WAL that grew with one large text is cut back to 4 MiB when it is next restarted.
  func useForWriting() throws(StoreError) {
    try execute(
      "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = \(4 << 20)")
    try useWriteAheadLog()
  }

  /// Enables WAL mode; the file stores this setting.
  private func useWriteAheadLog() throws(StoreError) {
    // The pragma ignores the busy timeout, and fails if two processes open a new file together.
    try retrying(Int(lockTimeout) / 5, after: { $0 == .locked }) { () throws(StoreError) in
      guard try string("PRAGMA journal_mode = WAL") == "wal" else { throw failure(SQLITE_CANTOPEN) }
    }
  }
}
