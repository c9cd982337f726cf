import CSQLite
import Glibc

/// Opens a history in any state, after examining its files.
///
/// | what exists | a writer | a reader |
/// |---|---|---|
/// | nothing | creates a history | gets `.cannotOpen` |
/// | a recovered history that is not in place because of a crash | puts it in place | reads it where it is |
/// | a damaged history | gets `.damaged`, for `HistoryRecovery` | reads what is readable, with `DamagedHistory` |
/// | a history with another layout | gets `.otherLayout`, for `HistoryRecovery` | reads it |
/// | a history that cannot be written | gets the reason, see `StoreError.mayLeaveReadable` | reads what is readable |
/// | a file of a newer version or of another program | gets `.newerSchema` or `.foreign` | gets the same error |
struct HistoryOpening {
  let location: HistoryLocation
  private let timeouts: HistoryStore.LockTimeouts

  init(_ location: HistoryLocation, timeouts: HistoryStore.LockTimeouts = .init()) {
    self.location = location
    self.timeouts = timeouts
  }

  // MARK: - Opening for writing

  /// Opens the history; other processes may have it open, too.
  ///
  /// - Parameter anyLayout: whether to accept a layout that another program has changed.
  /// - Throws: `.damaged` if it has to be recovered first, `.otherLayout` if it has to be rewritten first.
  func toWrite(withAnyLayout anyLayout: Bool = false) throws(StoreError) -> WriteConnection {
    try prepareFolder()
    let lock = try finishRecoveryAndShare()
    let isReplaced = try setForeignLogAside()
    if try isMarked() { throw .damaged }
    if try isEmptied() { throw .damaged }
    var isAlone = false
    var isDamaged = try lock.withExclusiveLock { () throws(StoreError) in
      isAlone = true
      try removeLeftovers()
      return try hasHiddenDamage()
    }
    if !isAlone { isDamaged = try hasDamageAtRest() }
    if isDamaged { throw .damaged }
    var connection = try open(under: lock, withAnyLayout: anyLayout)
    connection.hasReplacedDatabase = isReplaced
    return connection
  }

  /// Opens the history, and excludes other processes from it.
  ///
  /// - Throws: `.locked` while another process has it open, `.damaged` if it has to be recovered first.
  func toWriteAlone() throws(StoreError) -> WriteConnection {
    try prepareFolder()
    let lock = try FolderLock(location, alone: true)
    try finishRecovery()
    if try isDamaged() { throw .damaged }
    return try open(under: lock, withAnyLayout: true)
  }

  /// Sets the WAL of a replaced database aside; returns whether there was one.
  @discardableResult
  func setForeignLogAside() throws(StoreError) -> Bool {
    guard try WALPairing.isBroken(location) else { return false }
    let path = try SetAside(in: location.folder).path(isDatabaseMoved: false) + "-wal"
    guard rename(location.writeAheadLog, path) == 0 || errno == ENOENT else {
      throw .folderUnusable(path: location.folder, errno: errno)
    }
    try HistoryFolder.remove(location.sharedMemory)
    return true
  }

  /// Opens the history without checking for hidden damage.
  ///
  /// The caller must have prepared the folder, and must prevent other processes from moving the file.
  ///
  /// - Parameter lock: is held until the connection is released; nil if the caller already holds a lock.
  func open(under lock: FolderLock?, withAnyLayout anyLayout: Bool = false) throws(StoreError)
    -> WriteConnection
  {
    try HistoryFolder.prepareFiles(location)
    try readBeforeWriting()
    let database = try Database(path: location.database, access: .readWrite, lockTimeout: timeouts.opening)
    try bringUpToDate(database)
    if !anyLayout, try !database.hasOurLayout() { throw .otherLayout }
    // Remove the marker file even if another process created it: while the file exists, an emptied database does not
    // count as damaged.
    unlink(location.creationMarker)
    database.lockTimeout = timeouts.lock
    let connection = try WriteConnection(database, lock: lock)
    if lock != nil { try WALPairing.store(location) }
    return connection
  }

  // MARK: - Opening for reading

  /// Opens an existing history, and writes nothing.
  ///
  /// - Throws: `.damaged` or `.cannotBeRecovered` if SQLite cannot read it; `DamagedHistory` may still be able to.
  func toRead() throws(StoreError) -> Database {
    try HistoryFolder.checkKinds(location)
    if try isRecoveryDue() { return try read(location.finishedRecovery, .immutable) }
    // Do not open an empty database: SQLite would delete its log, even for a reader. The log may be all that is left.
    if try isEmptied() { throw damage }
    if try WALPairing.isBroken(location) { return try read(location.database, .immutable) }
    var attempts = 20
    while true {
      do throws(StoreError) {
        return try readAsPossible()
      } catch {
        // In a read-only folder, the way of reading that works changes when another program opens or closes the history.
        guard error.isTransient, attempts > 0 else { throw error }
        attempts -= 1
        usleep(5_000)
      }
    }
  }

  private func readAsPossible() throws(StoreError) -> Database {
    do throws(StoreError) {
      return try read(location.database, .readOnly)
    } catch {
      guard let access = try accessAlone(after: error) else { throw error }
      return try read(location.database, access)
    }
  }

  /// Examines a history that SQLite could not read.
  ///
  /// - Parameter error: is thrown again if it does not mean damage.
  func damaged(after error: StoreError) throws(StoreError) -> DamagedHistory {
    try Self.confirmDamage(error)
    return try DamagedHistory(location)
  }

  /// Whether `damaged(after:)` finds a clip.
  func hasDamagedClips(after error: StoreError) throws(StoreError) -> Bool {
    try Self.confirmDamage(error)
    return try DamagedHistory.hasClips(location)
  }

  private static func confirmDamage(_ error: StoreError) throws(StoreError) {
    guard error == .damaged || error == .cannotBeRecovered || error.isDiskFailure else { throw error }
  }

  /// Locks an existing history to read all of it, even if a writer would first have to migrate it or put a recovered
  /// history in place.
  ///
  /// While the lock is held, no process moves the file and no import renumbers the clips; other changes remain
  /// possible.
  ///
  /// - Returns: the lock, and whether there is damage that SQLite would not notice.
  func lockToReadAll() throws(StoreError) -> (lock: FolderLock, isDamaged: Bool) {
    guard try !isVacant() else { throw .cannotOpen(path: location.database, code: SQLITE_CANTOPEN) }
    let lock = try FolderLock(location)
    if try isMarked() { return (lock, true) }
    return (lock, try lock.withExclusiveLock(hasHiddenDamage))
  }

  // MARK: - State of the files

  /// Whether there is no history, or its creation was interrupted before it had any content.
  func isVacant() throws(StoreError) -> Bool {
    try HistoryFolder.checkKinds(location)
    guard let size = try HistoryFolder.databaseSize(location) else {
      if try isRecoveryDue() { return false }
      return try logSize() == 0
    }
    guard try HistoryFolder.size(of: location.creationMarker) != nil, try !isMarked() else { return false }
    if size == 0 { return try logSize() == 0 }
    // SQLite first makes an empty file a database without tables, and undoes that if it was interrupted.
    if let journal = try RawFile(location.rollbackJournal), RollbackJournal.pageCount(in: journal) == 0 {
      return true
    }
    do throws(StoreError) {
      return try Schema.version(
        of: Database(path: location.database, access: .readOnly, lockTimeout: timeouts.opening)) == 0
    } catch {
      return false
    }
  }

  /// Whether the history was found damaged while it was in use.
  func isMarked() throws(StoreError) -> Bool { try HistoryFolder.size(of: location.damageMarker) != nil }

  /// Whether the history is marked as damaged, or has hidden damage; call this only while no other process has the
  /// history open.
  func isDamaged() throws(StoreError) -> Bool {
    if try isMarked() { return true }
    return try hasHiddenDamage()
  }

  /// Whether the history is known to be damaged without reading it; false if that cannot be determined now.
  func isKnownDamaged() throws(StoreError) -> Bool {
    if try isMarked() { return true }
    do throws(StoreError) {
      return try FolderLock(location).withExclusiveLock(hasHiddenDamage)
    } catch .locked {
      return false
    }
  }

  /// Whether the database was emptied or its log is damaged; another process that has the history open may be creating
  /// the file or writing the log.
  ///
  /// SQLite silently treats an empty file as a new database, and ignores a log from its first damaged frame on. A
  /// database that is empty because its creation was interrupted is not damaged: it is created again.
  func hasHiddenDamage() throws(StoreError) -> Bool {
    if try isEmptied() { return true }
    if try HistoryFolder.databaseSize(location) == 0 {
      return try HistoryFolder.size(of: location.creationMarker) == nil
    }
    guard try logSize() > 0, try !WALPairing.isBroken(location), let log = try RawFile(location.writeAheadLog)
    else { return false }
    let layout = PageLayout(of: try RawFile(location.database)) ?? .ours
    return WALReader(log, pageSize: layout.pageSize).isDamaged
  }

  /// Whether the history has hidden damage, although other processes have it open; false while one of them writes.
  private func hasDamageAtRest() throws(StoreError) -> Bool {
    let before = try HistoryFolder.modification(of: location.writeAheadLog)
    guard try hasHiddenDamage() else { return false }
    // A write within the clock's granularity would not change the time.
    usleep(20_000)
    guard try hasHiddenDamage() else { return false }
    return try HistoryFolder.modification(of: location.writeAheadLog) == before
  }

  /// Whether the database is empty or missing, but its log is not.
  private func isEmptied() throws(StoreError) -> Bool {
    guard try HistoryFolder.databaseSize(location) ?? 0 == 0, try logSize() > 0 else { return false }
    return try !isRecoveryDue()
  }

  /// Whether the disk has room for a second history.
  func hasRoomToRecover() throws(StoreError) -> Bool {
    let size = try HistoryFolder.databaseSize(location) ?? 0
    let room = HistoryRecovery.room(for: size + (try logSize()))
    return try HistoryFolder.freeSpace(in: location.folder) >= room
  }

  /// Whether a crash has left a recovered history that is not in place yet; the database is missing then.
  private func isRecoveryDue() throws(StoreError) -> Bool {
    guard try HistoryFolder.size(of: location.database) == nil else { return false }
    return try HistoryFolder.size(of: location.finishedRecovery) != nil
  }

  private func logSize() throws(StoreError) -> Int {
    try HistoryFolder.size(of: location.writeAheadLog) ?? 0
  }

  /// The error to throw for damage, depending on whether a recovery can be written.
  private var damage: StoreError {
    HistoryFolder.isWritable(location.folder) ? .damaged : .cannotBeRecovered
  }

  // MARK: - Steps to write

  /// - Throws: `.readOnly` if a history exists and nothing can be written next to it.
  private func prepareFolder() throws(StoreError) {
    try HistoryFolder.prepareFolder(location)
    if HistoryFolder.isWritable(location.folder) { return }
    guard try isVacant() else { throw .readOnly }
  }

  /// Puts a recovered history in place if a crash prevented that, and removes what an unfinished recovery has left; call
  /// this only while no other process has the history open.
  func finishRecovery() throws(StoreError) {
    if try isRecoveryDue() { try RecoveryInstaller(location: location).finish(isContinued: true) }
    try removeLeftovers()
    try setForeignLogAside()
  }

  /// Removes the copies of texts that an unfinished recovery has left; the next start tries again if that fails.
  private func removeLeftovers() throws(StoreError) {
    if try HistoryFolder.size(of: location.unfinishedRecovery.database) != nil {
      for file in location.leftovers { unlink(file) }
    }
    // Without a database, the finished recovery is the history.
    if try HistoryFolder.size(of: location.database) != nil { unlink(location.finishedRecovery) }
  }

  /// Whether another program has changed the history's layout.
  ///
  /// - Throws: `.damaged` if the history is damaged.
  func hasOtherLayout() throws(StoreError) -> Bool {
    try !open(under: nil, withAnyLayout: true).database.hasOurLayout()
  }

  /// Puts a recovered history in place if a crash prevented that, then takes the shared lock.
  ///
  /// Moving the files needs the exclusive lock; if two programs start together, only one of them moves the files.
  private func finishRecoveryAndShare() throws(StoreError) -> FolderLock {
    let isDue = try isRecoveryDue()
    var attempts = 20
    while try isRecoveryDue() {
      do throws(StoreError) {
        let lock = try FolderLock(location, alone: true)
        defer { withExtendedLifetime(lock) {} }
        try finishRecovery()
      } catch .locked {
        // Another program is about to put the recovered history in place, or has done so and has it open.
        withExtendedLifetime(try FolderLock(location, patiently: true)) {}
        if try isRecoveryDue() { attempts -= 1 }
        guard attempts > 0 else { throw .locked }
      }
    }
    return try FolderLock(location, patiently: isDue)
  }

  /// Checks through a read-only connection that the file is ours, because closing a write connection checkpoints the
  /// log into the file, even if the file was rejected.
  private func readBeforeWriting() throws(StoreError) {
    guard try HistoryFolder.size(of: location.writeAheadLog) != nil else { return }
    let reading = try Database(path: location.database, access: .readOnly, lockTimeout: timeouts.opening)
    _ = try Schema.version(of: reading)
  }

  private func bringUpToDate(_ database: Database) throws(StoreError) {
    try database.useCautiously()
    let version = try Schema.version(of: database)
    if version == 0 { try database.useOurLayout() }
    do throws(StoreError) {
      try database.useForWriting()
    } catch .readOnly {
      // The folder and the file were found writable before, so a damaged number in the file causes SQLite's refusal.
      throw .damaged
    }
    if version < Schema.version { try Schema.migrate(database) }
    try Schema.checkSequence(of: database)
  }

  // MARK: - Steps to read

  private func read(_ path: String, _ access: Database.Access) throws(StoreError) -> Database {
    let database = try Database(path: path, access: access, lockTimeout: timeouts.opening)
    try database.useCautiously()
    let version = try Schema.version(of: database, isForReading: true)
    // Only a store can migrate a file that is older or still empty.
    guard version >= Schema.oldestReadable else { throw .cannotOpen(path: path, code: SQLITE_SCHEMA) }
    if access == .readOnly { database.rememberLog() }
    database.lockTimeout = timeouts.lock
    return database
  }

  /// Returns how to open a file that failed to open because its log or index could not be created; nil for other
  /// errors.
  ///
  /// Even a reader creates the log and its index, which fails on a full disk and in a read-only folder. Reading without
  /// locks is safe then: no program can write to the log without a usable index, and without a log the database file is
  /// complete.
  private func accessAlone(after error: StoreError) throws(StoreError) -> Database.Access? {
    let hasLog = try logSize() > 0
    // Only a connection that locks and writes can undo an interrupted transaction.
    if try HistoryFolder.size(of: location.rollbackJournal) ?? 0 > 0, error == .readOnly { throw damage }
    switch error {
    case .diskFull: return hasLog ? .immutableWithLog : .immutable
    case .readOnly, .cannotOpen:
      guard hasLog else { return .immutable }
      let isAlone = try HistoryFolder.size(of: location.sharedMemory) == nil
      return isAlone && !HistoryFolder.isWritable(location.folder) ? .immutableWithLog : nil
    default: return nil
    }
  }
}

protocol PreparedReads {
  var database: Database { get }
  init(_ database: Database) throws(StoreError)
}

/// Reads a history, and reopens it when the file has changed under an immutable connection.
final class ReopeningReader<Connection: PreparedReads> {
  private let opening: HistoryOpening
  private(set) var current: Connection

  init(_ opening: HistoryOpening) throws(StoreError) {
    self.opening = opening
    current = try Connection(opening.toRead())
  }

  /// Runs `body`, and repeats it if the file was written during the read, because the result may be inconsistent, or if
  /// the file can be read only in another way now.
  func read<Result>(_ body: (Connection) throws(StoreError) -> Result) throws(StoreError) -> Result {
    var attempts = 20
    while true {
      if current.database.isStale { try reopen() }
      do throws(StoreError) {
        let result = try body(current)
        if !current.database.isStale { return result }
      } catch {
        if current.database.isStale { continue }
        guard error.isTransient, attempts > 0 else { throw error }
        attempts -= 1
        usleep(5_000)
        try reopen()
      }
    }
  }

  private func reopen() throws(StoreError) {
    current = try Connection(opening.toRead())
  }
}
