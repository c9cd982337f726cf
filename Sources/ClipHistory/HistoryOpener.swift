import CSQLite
import Glibc

/// Opens a history in any state, after examining its files.
///
/// | what exists | a writer | a reader |
/// |---|---|---|
/// | nothing | creates a history | gets `.cannotOpen` |
/// | a recovered history that is not in place because of a crash | puts it in place | reads it where it is |
/// | a damaged history | gets `.damaged`, for `HistoryRecovery` | gets `.damaged`, or reads what is `salvaged` |
/// | a history that cannot be written | gets the reason, see `StoreError.mayLeaveReadable` | reads what is readable |
/// | a file of a newer version or of another program | gets `.newerSchema` or `.foreign` | gets the same error |
struct HistoryOpener {
  let location: HistoryLocation
  private let timeouts: HistoryStore.LockTimeouts

  init(_ location: HistoryLocation, timeouts: HistoryStore.LockTimeouts = .init()) {
    self.location = location
    self.timeouts = timeouts
  }

  // MARK: - Opening for writing

  /// Opens the history; other processes may have it open, too.
  ///
  /// - Throws: `.damaged` if it has to be recovered first.
  func openShared() throws(StoreError) -> WriteConnection {
    try prepareFolder()
    let lock = try completeAndShare()
    let isReplaced = try quarantineForeignWAL()
    var connection = try open(under: lock)
    connection.hasReplacedDatabase = isReplaced
    return connection
  }

  /// Opens the history, and excludes other processes from it.
  ///
  /// - Throws: `.locked` while another process has it open, `.damaged` if it has to be recovered first.
  func openExclusively() throws(StoreError) -> WriteConnection {
    try prepareFolder()
    let lock = try FolderLock(location, alone: true)
    try complete()
    return try open(under: lock)
  }

  /// Sets the WAL of a replaced database aside; returns whether there was one.
  @discardableResult
  func quarantineForeignWAL() throws(StoreError) -> Bool {
    guard try WALPairing.isBroken(location) else { return false }
    let path = try Quarantine(in: location.folder).path(isDatabaseMoved: false) + "-wal"
    guard rename(location.wal, path) == 0 || errno == ENOENT else {
      throw StoreError(errno: errno, folder: location.folder)
    }
    try HistoryFolder.remove(location.walIndex)
    return true
  }

  /// Opens a complete history in a prepared folder, while no other process can move the file.
  ///
  /// - Parameter lock: is held until the connection is released; nil if the caller already holds a lock.
  /// - Throws: `.damaged` if the history has to be recovered first.
  func open(under lock: FolderLock?) throws(StoreError) -> WriteConnection {
    if try isDamaged() { throw .damaged }
    return try connect(under: lock)
  }

  private func connect(under lock: FolderLock?) throws(StoreError) -> WriteConnection {
    try HistoryFolder.prepareFiles(location)
    if try HistoryFolder.size(of: location.wal) != nil {
      // Closing a write connection checkpoints the WAL into the file, even if the file was rejected.
      let reading = try Database(path: location.database, access: .readOnly, lockTimeout: timeouts.opening)
      _ = try Schema.version(of: reading)
    }
    let database = try Database(path: location.database, access: .readWrite, lockTimeout: timeouts.opening)
    try bringUpToDate(database)
    database.lockTimeout = timeouts.lock
    let connection = try WriteConnection(database, lock: lock)
    if lock != nil { try WALPairing.store(location) }
    return connection
  }

  /// Creates an empty history in place of whatever is left there.
  ///
  /// It has a temporary name until it is complete and on disk. Call this only while no other process has the history
  /// open.
  static func create(_ location: HistoryLocation) throws(StoreError) -> WriteConnection {
    let unfinished = location.unfinishedRecovery
    for file in location.leftovers { try HistoryFolder.remove(file) }
    guard mknod(unfinished.database, S_IFREG | 0o600, 0) == 0 else {
      throw StoreError(errno: errno, folder: location.folder)
    }
    return try HistoryOpener(unfinished).connect(under: nil)
  }

  // MARK: - Opening for reading

  /// Opens an existing history, and writes nothing.
  ///
  /// - Throws: `.damaged` if SQLite cannot read it; `salvaged` may still be able to.
  func openForReading() throws(StoreError) -> Database {
    switch try state() {
    case .recovered: return try readUnlocked(location.finishedRecovery, withLog: false)
    // Do not open an empty database: SQLite would delete its WAL, even for a reader. The WAL may be all that is left.
    case .emptied: throw .damaged
    case .missing, .present: break
    }
    if try WALPairing.isBroken(location) { return try readUnlocked(location.database, withLog: false) }
    // In a read-only folder, the way of reading that works changes when another program opens or closes the history.
    return try retrying(20, after: \.isTransient) { () throws(StoreError) in
      do throws(StoreError) {
        let database = try Database(path: location.database, access: .readOnly, lockTimeout: timeouts.opening)
        try checkReadable(database)
        database.rememberWAL()
        database.lockTimeout = timeouts.lock
        return database
      } catch {
        guard try needsNoLock(after: error) else { throw error }
        return try readUnlocked(location.database, withLog: true)
      }
    }
  }

  /// Opens what is readable of a damaged history, without recovering it.
  ///
  /// - Parameter rows: what an earlier call has found; nil to examine every page.
  func salvaged(_ rows: SalvagedRows? = nil) throws(StoreError) -> Database {
    let pages = DatabasePages(try RawFiles(location))
    let file = try SalvagedFile(pages, rows)
    try pages.checkIsOurs(hasRows: !file.rows.rows.isEmpty)
    let database = try Database(file, path: location.database)
    try database.useCautiously()
    return database
  }

  /// Locks an existing history to read all of it, even if a writer would first have to migrate it or put a recovered
  /// history in place.
  ///
  /// While the lock is held, no process moves the file and no import renumbers the clips; other changes remain
  /// possible.
  func lockToReadAll() throws(StoreError) -> FolderLock {
    guard try state() != .missing else { throw .cannotOpen(path: location.database, code: SQLITE_CANTOPEN) }
    return try FolderLock(location, patiently: true)
  }

  // MARK: - State of the files

  enum State {
    /// There is no history, nor a file from which it could be recovered.
    case missing
    /// A crash has left a recovered history that is not in place yet.
    case recovered
    /// The database is empty, or missing although there is a WAL.
    case emptied
    case present
  }

  func state() throws(StoreError) -> State {
    try HistoryFolder.checkKinds(location)
    // SQLite treats a file of one byte as empty, too.
    if let size = try HistoryFolder.size(of: location.database) { return size > 1 ? .present : .emptied }
    if try HistoryFolder.size(of: location.finishedRecovery) != nil { return .recovered }
    return try walSize() == 0 ? .missing : .emptied
  }

  /// Whether the history was found damaged while it was in use.
  func isMarked() throws(StoreError) -> Bool { try HistoryFolder.size(of: location.damageMarker) != nil }

  /// Whether the history is damaged, as far as that is known without SQLite, which silently treats an empty file as a
  /// new database, and ignores a WAL from its first damaged frame on.
  func isDamaged() throws(StoreError) -> Bool {
    if try isMarked() { return true }
    if try state() == .emptied { return true }
    let before = try HistoryFolder.state(of: location.wal)
    guard try hasDamagedWAL() else { return false }
    // Another process may be writing the WAL. A write within the clock's granularity would not change the time.
    usleep(20_000)
    guard try hasDamagedWAL() else { return false }
    return try HistoryFolder.state(of: location.wal) == before
  }

  private func hasDamagedWAL() throws(StoreError) -> Bool {
    guard try walSize() > 0, try !WALPairing.isBroken(location), let wal = try RawFile(location.wal)
    else { return false }
    let layout = PageLayout(of: try RawFile(location.database)) ?? .ours
    return WALReader(wal, pageSize: layout.pageSize).isDamaged
  }

  /// - Throws: `.diskFull` if the disk has no room for a second history.
  func checkRoomToRecover() throws(StoreError) {
    let size = try (HistoryFolder.size(of: location.database) ?? 0) + walSize()
    try HistoryFolder.checkRoom(size, in: location.folder)
  }

  private func walSize() throws(StoreError) -> Int {
    try HistoryFolder.size(of: location.wal) ?? 0
  }

  // MARK: - Steps to write

  /// - Throws: `.readOnly` if a history exists and nothing can be written next to it.
  private func prepareFolder() throws(StoreError) {
    try HistoryFolder.prepareFolder(location)
    if HistoryFolder.isWritable(location.folder) { return }
    guard try state() == .missing else { throw .readOnly }
  }

  /// Puts a recovered history in place if a crash prevented that, removes what an unfinished recovery has left, and
  /// creates a history if there is none; call this only while no other process has the history open.
  func complete() throws(StoreError) {
    try finishRecovery()
    guard try state() == .missing else { return }
    do {
      let connection = try Self.create(location)
      guard try connection.database.truncateWAL(waiting: 0) else { throw .locked }
    }
    try HistoryFolder.move(location.unfinishedRecovery.database, to: location.database)
  }

  /// Puts a recovered history in place if a crash prevented that, and removes what an unfinished recovery has left;
  /// call this only while no other process has the history open.
  func finishRecovery() throws(StoreError) {
    if try state() == .recovered { try RecoveryInstaller(location: location).finish(isContinued: true) }
    // The next start tries again to remove these copies of texts if that fails.
    for file in location.leftovers { unlink(file) }
    // Without a database, the finished recovery is the history.
    if try HistoryFolder.size(of: location.database) != nil { unlink(location.finishedRecovery) }
    try quarantineForeignWAL()
  }

  /// Completes the history if necessary, then takes the shared lock.
  ///
  /// Moving and removing files needs the exclusive lock; if two programs start together, only one of them does it.
  private func completeAndShare() throws(StoreError) -> FolderLock {
    let wasIncomplete = try isIncomplete()
    var attempts = 20
    while true {
      if try !isIncomplete(), try !hasLeftovers() { break }
      do throws(StoreError) {
        let lock = try FolderLock(location, alone: true)
        defer { withExtendedLifetime(lock) {} }
        try complete()
        break
      } catch .locked {
        // Leftovers can wait. Another program is about to complete the history, or has done so and has it open.
        guard try isIncomplete() else { break }
        withExtendedLifetime(try FolderLock(location, patiently: true)) {}
        attempts -= 1
        guard attempts > 0 else { throw .locked }
      }
    }
    return try FolderLock(location, patiently: wasIncomplete)
  }

  private func isIncomplete() throws(StoreError) -> Bool { try [.missing, .recovered].contains(state()) }

  private func hasLeftovers() throws(StoreError) -> Bool {
    if try HistoryFolder.size(of: location.unfinishedRecovery.database) != nil { return true }
    return try HistoryFolder.size(of: location.finishedRecovery) != nil
  }

  private func bringUpToDate(_ database: Database) throws(StoreError) {
    try database.useCautiously()
    let version = try Schema.version(of: database)
    do throws(StoreError) {
      try database.useForWriting()
    } catch .readOnly {
      // The folder and the file were found writable before, so a damaged number in the file causes SQLite's refusal.
      throw .damaged
    }
    if version < Schema.version { try Schema.migrate(database) }
    try Schema.checkIDs(of: database)
  }

  // MARK: - Steps to read

  private func readUnlocked(_ path: String, withLog: Bool) throws(StoreError) -> Database {
    let database = try Database(UnlockedFile(location, database: path, withLog: withLog), path: path)
    try checkReadable(database)
    return database
  }

  private func checkReadable(_ database: Database) throws(StoreError) {
    try database.useCautiously()
    // Only a store can migrate a file that is older or still empty.
    guard try Schema.version(of: database, isForReading: true) >= Schema.oldestReadable else {
      throw .cannotOpen(path: database.path, code: SQLITE_SCHEMA)
    }
  }

  /// Whether the history can be read without locks, after SQLite could not create the WAL or its index.
  private func needsNoLock(after error: StoreError) throws(StoreError) -> Bool {
    switch error {
    case .diskFull, .noSharedMemory: return true
    case .readOnly, .cannotOpen:
      guard try walSize() > 0 else { return true }
      let isAlone = try HistoryFolder.size(of: location.walIndex) == nil
      return isAlone && !HistoryFolder.isWritable(location.folder)
    default: return false
    }
  }
}

/// Repeats `body` every 5 ms, at most `count` times, after an error that may not last.
func retrying<Result>(
  _ count: Int, after mayPass: (StoreError) -> Bool, _ body: () throws(StoreError) -> Result
) throws(StoreError) -> Result {
  for _ in 0..<count {
    do throws(StoreError) {
      return try body()
    } catch {
      guard mayPass(error) else { throw error }
    }
    usleep(5_000)
  }
  return try body()
}

/// Reads a history, and reopens it when the file has changed under a connection without locks, or is damaged.
final class ReopeningReader {
  private let opening: HistoryOpener
  /// Whether to read what is readable of a damaged history, which takes long for a large one.
  var salvages: Bool
  private(set) var current: ReadConnection
  /// The connection that has found the damage; its transaction keeps the pages as they are.
  private var damaged: ReadConnection?

  /// - Parameter rows: what is known to be readable of a damaged history.
  init(_ opening: HistoryOpener, salvages: Bool = false, rows: SalvagedRows? = nil) throws(StoreError) {
    (self.opening, self.salvages) = (opening, salvages)
    do throws(StoreError) {
      if rows != nil { throw .damaged }
      if salvages, try opening.isDamaged() { throw .damaged }
      current = try ReadConnection(opening.openForReading())
    } catch {
      guard salvages, error.isDamage else { throw error }
      current = try ReadConnection(opening.salvaged(rows))
    }
  }

  /// Whether damage was found, and what is readable is read.
  var isDamaged: Bool { current.database.salvaged != nil }

  /// Whether a row is known to be unreadable.
  var isIncomplete: Bool { current.database.salvaged?.rows.isIncomplete ?? false }

  /// Reads what is readable of the file from now on.
  func salvage() throws(StoreError) {
    guard !isDamaged else { return }
    // The file is opened by its path, so it must still be the file that was read so far.
    if current.database.hasMoved { throw .replaced }
    current.database.beginRead()
    let salvaged = try ReadConnection(opening.salvaged())
    (damaged, current) = (current, salvaged)
  }

  /// Runs `body`, and repeats it if the file was written during the read, because the result may be inconsistent, or if
  /// the file can be read only in another way now.
  func read<Result>(_ body: (ReadConnection) throws(StoreError) -> Result) throws(StoreError) -> Result {
    var attempts = 20
    while true {
      if current.database.isStale { try reopen() }
      do throws(StoreError) {
        let result = try body(current)
        if !current.database.isStale { return result }
      } catch {
        if current.database.isStale { continue }
        if salvages, !isDamaged, error.isDamage {
          try salvage()
          continue
        }
        guard error.isTransient, attempts > 0 else { throw error }
        attempts -= 1
        usleep(5_000)
        try reopen()
      }
    }
  }

  private func reopen() throws(StoreError) {
    current = try ReadConnection(opening.openForReading())
  }
}
