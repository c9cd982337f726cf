import CSQLite
import Glibc

/// The one place in which a history is opened: it tells what lies there, and how to go on.
///
/// | what lies there | who writes | who reads |
/// |---|---|---|
/// | nothing | makes it | gets `.cannotOpen` |
/// | a rescue that a crash kept from its place | puts it there | reads it where it lies |
/// | a damaged history | gets `.damaged`: for `HistoryRescuer` | reads as far as it goes |
/// | one in a folder that cannot be written, damaged or not | gets `.readOnly` | reads as far as it goes |
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
  /// - Throws: `.damaged` if it has to be rescued first.
  func toWrite() throws(StoreError) -> WritingSession {
    try prepareFolder()
    let lock = try finishRescueAndShare()
    if try isMarked() { throw .damaged }
    // If others have it open, it is being made, or its log is being written.
    if try lock.whileAlone(hasHiddenDamage) { throw .damaged }
    return try open(under: lock)
  }

  /// Opens the history, and keeps other processes from it.
  ///
  /// - Throws: `.locked` while another process has it open, `.damaged` if it has to be rescued first.
  func toWriteAlone() throws(StoreError) -> WritingSession {
    try prepareFolder()
    let lock = try FolderLock(location, alone: true)
    try finishRescue()
    if try isDamaged() { throw .damaged }
    return try open(under: lock)
  }

  /// Opens the history, whatever state it is in; the caller has prepared the folder, and nobody else moves the file.
  ///
  /// - Parameter lock: is held as long as the session lives; nil if the caller holds one.
  func open(under lock: FolderLock?) throws(StoreError) -> WritingSession {
    try HistoryFolder.prepareFiles(location)
    try readBeforeWriting()
    let database = try Database(path: location.database, access: .readWrite, lockTimeout: timeouts.lock)
    try bringUpToDate(database)
    // Also one that another process left: a finished history that is empty one day was emptied.
    unlink(location.creationMark)
    return try WritingSession(database, lock: lock)
  }

  // MARK: - To read

  /// Opens an existing history as far as it can be read, and writes nothing.
  ///
  /// - Returns: also whether nobody could write when it was opened: what is written later does not show.
  func toRead() throws(StoreError) -> (database: Database, isImmutable: Bool) {
    try HistoryFolder.checkKinds(location)
    if try isRescueDue() { return (try read(location.finishedRescue, .immutable), true) }
    // SQLite deletes a log beside an empty database, even if it only reads: it may be all that is left.
    if try isEmptied() { throw damage }
    do throws(StoreError) {
      return (try read(location.database, .readOnly), false)
    } catch {
      guard let access = try accessAlone(after: error) else { throw error }
      return (try read(location.database, access), true)
    }
  }

  /// Opens a history that no start has looked at yet.
  ///
  /// While the lock is held nobody moves its file, and no import gives new ids to what is in it; all others go on.
  func toReadAll() throws(StoreError) -> (Database, FolderLock) {
    guard try !isVacant() else { throw .cannotOpen(path: location.database, code: SQLITE_CANTOPEN) }
    let lock = try FolderLock(location)
    if try lock.whileAlone(hasHiddenDamage) { throw damage }
    return (try toRead().database, lock)
  }

  // MARK: - What lies there

  /// Whether there is nothing at all that a history could be read or rescued from.
  func isVacant() throws(StoreError) -> Bool {
    try HistoryFolder.checkKinds(location)
    guard try HistoryFolder.size(of: location.database) == nil, try logSize() == 0 else { return false }
    return try !isRescueDue()
  }

  /// Whether the history was found damaged while it was in use.
  func isMarked() throws(StoreError) -> Bool { try HistoryFolder.size(of: location.damageMark) != nil }

  /// Whether the history is marked or has hidden damage; to be asked only while nobody else has it open.
  func isDamaged() throws(StoreError) -> Bool {
    if try isMarked() { return true }
    return try hasHiddenDamage()
  }

  /// Whether the database was emptied, or its log is damaged; to be asked only while nobody else has the history open.
  ///
  /// SQLite takes an empty file for a new database. Of a damaged log it takes the beginning, and reports nothing. A
  /// database that is empty because making it was interrupted is not damaged: it is made anew.
  private func hasHiddenDamage() throws(StoreError) -> Bool {
    if try isEmptied() { return true }
    if try HistoryFolder.databaseSize(location) == 0 {
      return try HistoryFolder.size(of: location.creationMark) == nil
    }
    guard try logSize() > 0, let log = try RawFile(location.writeAheadLog) else { return false }
    return WALReader(log).isDamaged
  }

  /// Whether a log lies beside a database that is empty or not there.
  private func isEmptied() throws(StoreError) -> Bool {
    guard try HistoryFolder.databaseSize(location) ?? 0 == 0, try logSize() > 0 else { return false }
    return try !isRescueDue()
  }

  /// Whether a crash interrupted a rescue: it is finished, and nothing is in its place.
  private func isRescueDue() throws(StoreError) -> Bool {
    guard try HistoryFolder.size(of: location.database) == nil else { return false }
    return try HistoryFolder.size(of: location.finishedRescue) != nil
  }

  private func logSize() throws(StoreError) -> Int {
    try HistoryFolder.size(of: location.writeAheadLog) ?? 0
  }

  /// The error for damage: if nothing can be written, there is no rescue.
  private var damage: StoreError {
    HistoryFolder.isWritable(location.folder) ? .damaged : .cannotBeRescued
  }

  // MARK: - Steps to write

  /// - Throws: `.readOnly` if there is a history, and nothing can be written beside it.
  private func prepareFolder() throws(StoreError) {
    try HistoryFolder.prepareFolder(location)
    if HistoryFolder.isWritable(location.folder) { return }
    guard try isVacant() else { throw .readOnly }
  }

  /// Brings a rescue that a crash interrupted to its end; to be called only while nobody else has the history open.
  func finishRescue() throws(StoreError) {
    if try isRescueDue() { _ = try RescueInstaller(location: location).install() }
  }

  /// Brings a rescue that a crash interrupted to its end, then shares the history with others.
  ///
  /// Files are moved, so this program needs the history alone: of two that start at once, one does it.
  private func finishRescueAndShare() throws(StoreError) -> FolderLock {
    let isDue = try isRescueDue()
    var attempts = 20
    while try isRescueDue() {
      do throws(StoreError) {
        let lock = try FolderLock(location, alone: true)
        defer { withExtendedLifetime(lock) {} }
        try finishRescue()
      } catch .locked {
        // Another one is at it, or has done it and has the history open by now.
        withExtendedLifetime(try FolderLock(location, patiently: true)) {}
        if try isRescueDue() { attempts -= 1 }
        guard attempts > 0 else { throw .locked }
      }
    }
    return try FolderLock(location, patiently: isDue)
  }

  /// Looks whose file it is: a connection that may write folds the log into the file as it closes, also into a file
  /// that it has refused.
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
      // File and folder can be written, as was checked just now: a number in the file says otherwise.
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
    // Older, or empty still: for a store to migrate.
    guard version >= Schema.oldestReadable else { throw .cannotOpen(path: path, code: SQLITE_SCHEMA) }
    return database
  }

  /// How a file may be read that failed to open for want of a log or of its index; nil if that was not the reason.
  ///
  /// Even a reader makes both, which a folder that cannot be written does not allow. If there is no index, nobody has
  /// the file open, and if there is no log, there is nothing to miss in it.
  private func accessAlone(after error: StoreError) throws(StoreError) -> Database.Access? {
    switch error {
    case .readOnly, .cannotOpen:
      guard !HistoryFolder.isWritable(location.folder) else { return nil }
      if try logSize() == 0 { return .immutable }
      return try HistoryFolder.size(of: location.sharedMemory) == nil ? .immutableWithLog : nil
    default: return nil
    }
  }
}
