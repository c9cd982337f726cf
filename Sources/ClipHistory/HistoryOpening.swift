import Glibc

/// Opens a history for writing, and makes it if there is none; a file that is up to date is only read.
struct HistoryOpening {
  private let location: HistoryLocation
  private let timeouts: HistoryStore.LockTimeouts

  /// Refers to a history; touches nothing.
  init(_ location: HistoryLocation) { self.init(location, timeouts: .init()) }

  init(_ location: HistoryLocation, timeouts: HistoryStore.LockTimeouts) {
    self.location = location
    self.timeouts = timeouts
  }

  /// Opens the history, also if other processes have it open.
  ///
  /// - Throws: `.damaged` if it has to be rescued first.
  func openShared() throws(StoreError) -> WritingSession {
    try HistoryFolder.prepareFolder(location)
    let lock = try finishRescueAndShare()
    try refuseDamage(lock)
    return try open(under: lock)
  }

  /// Opens the history, and keeps other processes from it.
  ///
  /// - Throws: `.locked` while another process has it open, `.damaged` if it has to be rescued first.
  func openAlone() throws(StoreError) -> WritingSession {
    try HistoryFolder.prepareFolder(location)
    let lock = try FolderLock(excluding: location)
    try RescueInstaller.finish(location)
    if try Damage.isThere(location) { throw .damaged }
    return try open(under: lock)
  }

  /// Opens the history, whatever state it is in; the caller has made sure that nobody moves it meanwhile.
  ///
  /// - Parameter lock: is held as long as the session lives; nil if the caller holds one.
  func open(under lock: FolderLock?) throws(StoreError) -> WritingSession {
    try HistoryFolder.prepareFolder(location)
    try HistoryFolder.prepareFiles(location)
    try readBeforeWriting()
    let database = try Database(
      path: location.database, access: .readWrite, lockTimeout: timeouts.lock)
    try bringUpToDate(database)
    // Also one that another process left: a finished history that is empty one day was emptied.
    unlink(location.creationMark)
    return try WritingSession(database, lock: lock)
  }

  // MARK: - Steps

  /// Brings a rescue that a crash interrupted to its end, then shares the history with others.
  ///
  /// That moves files, so it needs the history alone: of two programs that start at once, one does it.
  private func finishRescueAndShare() throws(StoreError) -> FolderLock {
    let isDue = try RescueInstaller.isDue(location)
    var attempts = 20
    while try RescueInstaller.isDue(location) {
      do throws(StoreError) {
        let lock = try FolderLock(excluding: location)
        defer { withExtendedLifetime(lock) {} }
        try RescueInstaller.finish(location)
      } catch .locked {
        // Another one is at it, or has done it and has the history open by now.
        withExtendedLifetime(try FolderLock(sharing: location, patiently: true)) {}
        if try RescueInstaller.isDue(location) { attempts -= 1 }
        guard attempts > 0 else { throw .locked }
      }
    }
    return try FolderLock(sharing: location, patiently: isDue)
  }

  /// - Throws: `.damaged` if the history was found damaged before, or SQLite would not say that it is.
  private func refuseDamage(_ lock: FolderLock) throws(StoreError) {
    if try Damage.isMarked(location) { throw .damaged }
    let logSize = try HistoryFolder.size(of: location.writeAheadLog) ?? 0
    let databaseSize = try HistoryFolder.databaseSize(location)
    guard logSize > 0 || databaseSize == 0 else { return }
    // If others have it open, it is being made, or its log is being written.
    try lock.ifAlone { () throws(StoreError) in
      if try Damage.isHidden(in: location) { throw .damaged }
    }
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
}
