import CSQLite
import Glibc

/// Opens every history: finds out what lies there, and how to go on.
///
/// | what lies there | a writer | a reader |
/// |---|---|---|
/// | nothing | makes a history | gets `.cannotOpen` |
/// | a finished recovery that a crash kept from its place | puts it there | reads it where it lies |
/// | a damaged history | gets `.damaged`: for `HistoryRecovery` | reads what can be read |
/// | a history that cannot be written | gets the reason: see `StoreError.mayLeaveReadable` | reads what can be read |
/// | a newer version's, or another program's | gets `.newerSchema` or `.foreign` | the same |
struct HistoryOpening {
  private let location: HistoryLocation
  private let timeouts: HistoryStore.LockTimeouts

  /// Refers to a history; touches nothing.
  init(_ location: HistoryLocation, timeouts: HistoryStore.LockTimeouts = .init()) {
    self.location = location
    self.timeouts = timeouts
  }

  // MARK: - To write

  /// Opens the history, also if other processes have it open.
  ///
  /// - Throws: `.damaged` if it has to be recovered first.
  func toWrite() throws(StoreError) -> WriteConnection {
    try prepareFolder()
    let lock = try finishRecoveryAndShare()
    if try isMarked() { throw .damaged }
    // Not while others have the history open: they may be making it, or writing its log.
    if try lock.withExclusiveLock(hasHiddenDamage) { throw .damaged }
    return try open(under: lock)
  }

  /// Opens the history, and keeps other processes from it.
  ///
  /// - Throws: `.locked` while another process has it open, `.damaged` if it has to be recovered first.
  func toWriteAlone() throws(StoreError) -> WriteConnection {
    try prepareFolder()
    let lock = try FolderLock(location, alone: true)
    try finishRecovery()
    if try isDamaged() { throw .damaged }
    return try open(under: lock)
  }

  /// Opens the history, whatever state it is in; the caller has prepared the folder, and nobody else moves the file.
  ///
  /// - Parameter lock: is held as long as the session lives; nil if the caller holds one.
  func open(under lock: FolderLock?) throws(StoreError) -> WriteConnection {
    try HistoryFolder.prepareFiles(location)
    try readBeforeWriting()
    let database = try Database(path: location.database, access: .readWrite, lockTimeout: timeouts.lock)
    try bringUpToDate(database)
    // The mark may be another process's. If it stayed, a database that is emptied later would pass for unfinished.
    unlink(location.creationMarker)
    return try WriteConnection(database, lock: lock)
  }

  // MARK: - To read

  /// Opens an existing history as far as it can be read, and writes nothing.
  func toRead() throws(StoreError) -> Database {
    try HistoryFolder.checkKinds(location)
    if try isRecoveryDue() { return try read(location.finishedRecovery, .immutable) }
    // SQLite deletes the log beside an empty database, even when it only reads, and the log may be all that is left.
    if try isEmptied() { throw damage }
    do throws(StoreError) {
      return try read(location.database, .readOnly)
    } catch {
      guard let access = try accessAlone(after: error) else { throw error }
      return try read(location.database, access)
    }
  }

  /// Prepares to read all of an existing history, whether or not a start has put it in order.
  ///
  /// While the lock is held nobody moves the file, and no import renumbers the clips; everything else goes on.
  func lockToReadAll() throws(StoreError) -> FolderLock {
    guard try !isVacant() else { throw .cannotOpen(path: location.database, code: SQLITE_CANTOPEN) }
    let lock = try FolderLock(location)
    if try lock.withExclusiveLock(hasHiddenDamage) { throw damage }
    return lock
  }

  // MARK: - What lies there

  /// Whether there is nothing at all that a history could be read or recovered from.
  func isVacant() throws(StoreError) -> Bool {
    try HistoryFolder.checkKinds(location)
    guard try HistoryFolder.size(of: location.database) == nil, try logSize() == 0 else { return false }
    return try !isRecoveryDue()
  }

  /// Whether the history was found damaged while it was in use.
  func isMarked() throws(StoreError) -> Bool { try HistoryFolder.size(of: location.damageMarker) != nil }

  /// Whether the history is marked or has hidden damage; to be asked only while nobody else has it open.
  func isDamaged() throws(StoreError) -> Bool {
    if try isMarked() { return true }
    return try hasHiddenDamage()
  }

  /// Whether the database was emptied, or its log is damaged; to be asked only while nobody else has the history open.
  ///
  /// SQLite takes an empty file for a new database, and a damaged log up to the damage, without a word. A database that
  /// is empty because its making was interrupted is not damaged: it is made anew.
  private func hasHiddenDamage() throws(StoreError) -> Bool {
    if try isEmptied() { return true }
    if try HistoryFolder.databaseSize(location) == 0 {
      return try HistoryFolder.size(of: location.creationMarker) == nil
    }
    guard try logSize() > 0, let log = try RawFile(location.writeAheadLog) else { return false }
    return WALReader(log).isDamaged
  }

  /// Whether a log lies beside a database that is empty or missing.
  private func isEmptied() throws(StoreError) -> Bool {
    guard try HistoryFolder.databaseSize(location) ?? 0 == 0, try logSize() > 0 else { return false }
    return try !isRecoveryDue()
  }

  /// Whether a crash kept a finished recovery from taking the database's place, which is empty now.
  private func isRecoveryDue() throws(StoreError) -> Bool {
    guard try HistoryFolder.size(of: location.database) == nil else { return false }
    return try HistoryFolder.size(of: location.finishedRecovery) != nil
  }

  private func logSize() throws(StoreError) -> Int {
    try HistoryFolder.size(of: location.writeAheadLog) ?? 0
  }

  /// The error for damage, by whether a recovery can be written.
  private var damage: StoreError {
    HistoryFolder.isWritable(location.folder) ? .damaged : .cannotBeRecovered
  }

  // MARK: - Steps to write

  /// - Throws: `.readOnly` if there is a history, and nothing can be written beside it.
  private func prepareFolder() throws(StoreError) {
    try HistoryFolder.prepareFolder(location)
    if HistoryFolder.isWritable(location.folder) { return }
    guard try isVacant() else { throw .readOnly }
  }

  /// Brings a recovery that a crash interrupted to its end; to be called only while nobody else has the history open.
  func finishRecovery() throws(StoreError) {
    if try isRecoveryDue() { _ = try RecoveryInstaller(location: location).install() }
  }

  /// Brings a recovery that a crash interrupted to its end, then shares the history with others.
  ///
  /// Files are moved, so this program needs the history alone: of two programs that start at once, one does it.
  private func finishRecoveryAndShare() throws(StoreError) -> FolderLock {
    let isDue = try isRecoveryDue()
    var attempts = 20
    while try isRecoveryDue() {
      do throws(StoreError) {
        let lock = try FolderLock(location, alone: true)
        defer { withExtendedLifetime(lock) {} }
        try finishRecovery()
      } catch .locked {
        // Another program is about to, or has done so and has the history open by now.
        withExtendedLifetime(try FolderLock(location, patiently: true)) {}
        if try isRecoveryDue() { attempts -= 1 }
        guard attempts > 0 else { throw .locked }
      }
    }
    return try FolderLock(location, patiently: isDue)
  }

  /// Checks whose file it is, by a connection that only reads: one that may write folds the log into the file as it
  /// closes, even into a file that was refused.
  private func readBeforeWriting() throws(StoreError) {
    guard try HistoryFolder.size(of: location.writeAheadLog) != nil else { return }
    let look = try Database(path: location.database, access: .readOnly, lockTimeout: timeouts.lock)
    _ = try Schema.version(of: look)
  }

  /// Sets the connection up, and makes the tables or migrates them.
  private func bringUpToDate(_ database: Database) throws(StoreError) {
    try database.useCautiously()
    let version = try Schema.version(of: database)
    do throws(StoreError) {
      try database.useForWriting()
    } catch .readOnly {
      // File and folder were found writable just now, so only a damaged number in the file makes SQLite refuse.
      throw .damaged
    }
    if version < Schema.version { try Schema.migrate(database) }
    try Schema.checkSequence(of: database)
  }

  // MARK: - Steps to read

  private func read(_ path: String, _ access: Database.Access) throws(StoreError) -> Database {
    let database = try Database(path: path, access: access, lockTimeout: timeouts.lock)
    try database.useCautiously()
    let version = try Schema.version(of: database)
    // A store has to migrate a file that is older, or still empty.
    guard version >= Schema.oldestReadable else { throw .cannotOpen(path: path, code: SQLITE_SCHEMA) }
    return database
  }

  /// The access for a file that failed to open for want of a log or its index; nil if the reason was another.
  ///
  /// Even a reader makes both, which fails on a full disk and in a folder that cannot be written. Without an index that
  /// can be used no program writes to the log; without a log nothing is missing from the file.
  private func accessAlone(after error: StoreError) throws(StoreError) -> Database.Access? {
    let hasLog = try logSize() > 0
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

/// What reads a history by a connection of its own.
protocol PreparedReads {
  var database: Database { get }
  init(_ database: Database) throws(StoreError)
}

/// Reads a history, and opens it again if somebody has written to what an immutable connection shows.
final class ReopeningReader<Connection: PreparedReads> {
  private let opening: HistoryOpening
  private(set) var current: Connection
  /// Connections that are stale.
  ///
  /// Closing an immutable one would drop the locks that other connections of this process have on the file
  /// (https://sqlite.org/howtocorrupt.html).
  private var stale: [Connection] = []

  init(_ opening: HistoryOpening) throws(StoreError) {
    self.opening = opening
    current = try Connection(opening.toRead())
  }

  /// Runs `body`, again if somebody has written meanwhile: what it has found may be a mixture then.
  func read<Result>(_ body: (Connection) throws(StoreError) -> Result) throws(StoreError) -> Result {
    while true {
      if current.database.isStale {
        stale.append(current)
        current = try Connection(opening.toRead())
      }
      do throws(StoreError) {
        let result = try body(current)
        if !current.database.isStale { return result }
      } catch {
        guard current.database.isStale else { throw error }
      }
    }
  }
}
