import CSQLite

/// The reading connection: pages for the list, in some microseconds each, also while the store writes 64 MiB.
///
/// It is used on the thread that made it, the main thread; a page holds no lock after it has been read. It opens a
/// history that a `HistoryStore` has made, also one in a folder that cannot be written.
///
/// ```swift
/// let reader = try HistoryReader(location: location)
/// let first = try reader.newestPage(limit: 50)
/// ```
public final class HistoryReader {
  private let location: HistoryLocation
  private var database: Database
  private var pages: Statement
  private var isImmutable: Bool

  /// The query behind every page.
  ///
  /// It names `text` only if `preview` is NULL, that is, if the text is short: SQLite never reads a large text for the
  /// list.
  static let pageQuery = """
    SELECT id, captured_at, byte_count, coalesce(preview, text), preview IS NULL FROM clip
    WHERE id <= ?1 ORDER BY id DESC LIMIT ?2
    """

  /// Opens an existing history, and writes nothing.
  ///
  /// - Throws: as `HistoryStore.init` does.
  public init(location: HistoryLocation) throws(StoreError) {
    self.location = location
    (database, pages, isImmutable) = try Self.open(location)
  }

  /// The newest clips, newest first, at most `limit`.
  public func newestPage(limit: Int) throws(StoreError) -> [Clip] {
    try page(from: .max, limit: limit)
  }

  /// The clip with this id and the older ones after it, newest first, at most `limit`; the id need not exist.
  public func page(from id: Int64, limit: Int) throws(StoreError) -> [Clip] {
    try followChange()
    return try pages.run { statement throws(StoreError) in
      statement.bind(id, at: 1)
      statement.bind(Int64(max(limit, 0)), at: 2)  // A negative limit would be none.
      var clips: [Clip] = []
      while try statement.step() {
        // SQLite takes the order of a damaged page as it is.
        guard statement.integer(0) < clips.last?.id ?? .max || clips.isEmpty else {
          throw database.failure(SQLITE_CORRUPT)
        }
        clips.append(Self.clip(of: statement))
      }
      return clips
    }
  }

  /// Whether another file, or none, has the history's name by now: this reader still shows the one that it opened.
  public var isReplaced: Bool { database.hasMoved }

  // MARK: -

  /// The row of `pageQuery`; whatever the file says, the preview and the size are ones that a clip can have.
  private static func clip(of statement: Statement) -> Clip {
    let shownCount = statement.byteCount(3)
    let isWhole = statement.integer(4) != 0
    return Clip(
      id: statement.integer(0), capturedAt: statement.time(1),
      byteCount: isWhole
        ? shownCount : min(max(Int(statement.integer(2)), shownCount), ClipText.largestStored),
      preview: statement.string(3, atMost: Preview.byteLimit))
  }

  /// Once somebody can write, an immutable connection would not see what is written.
  private func followChange() throws(StoreError) {
    guard isImmutable, HistoryFolder.isWritable(location.folder) else { return }
    (database, pages, isImmutable) = try Self.open(location)
  }

  private static func open(
    _ location: HistoryLocation
  ) throws(StoreError) -> (Database, pages: Statement, isImmutable: Bool) {
    let (database, isImmutable) = try connect(to: location)
    return (database, try Statement(pageQuery, on: database), isImmutable)
  }

  /// Opens a history that no start has looked at yet.
  ///
  /// While the lock is held nobody moves its file, and no import gives new ids to what is in it; all others go on.
  static func connectToWhatIsThere(
    _ location: HistoryLocation
  ) throws(StoreError) -> (Database, FolderLock) {
    guard try !location.isVacant else {
      throw .cannotOpen(path: location.database, code: SQLITE_CANTOPEN)
    }
    let lock = try FolderLock(sharing: location)
    if try RescueInstaller.isDue(location) {
      // Nobody writes to it while the lock is held.
      return (try connect(to: location.finishedRescue, access: .immutable), lock)
    }
    try lock.ifAlone { () throws(StoreError) in
      if try Damage.isHidden(in: location) { throw .damaged }
    }
    return (try connect(to: location).database, lock)
  }

  /// Opens an existing history, and writes nothing.
  static func connect(
    to location: HistoryLocation
  ) throws(StoreError) -> (database: Database, isImmutable: Bool) {
    try HistoryFolder.checkKinds(location)
    // SQLite deletes a log beside an empty database, even if it only reads: it may be all that is left.
    if try Damage.isEmptied(location) { throw .damaged }
    do throws(StoreError) {
      return (try connect(to: location, access: .readOnly), false)
    } catch {
      guard let access = try accessAlone(after: error, location) else { throw error }
      return (try connect(to: location, access: access), true)
    }
  }

  /// How a file may be read that failed to open for want of a log or of its index; nil if that was not the reason.
  ///
  /// Even a reader makes both, which a folder that cannot be written does not allow. Where there is no index, nobody
  /// has the file open, and where there is no log, there is nothing to miss in it.
  private static func accessAlone(
    after error: StoreError, _ location: HistoryLocation
  ) throws(StoreError) -> Database.Access? {
    switch error {
    case .readOnly, .cannotOpen:
      guard !HistoryFolder.isWritable(location.folder) else { return nil }
      if try (HistoryFolder.size(of: location.writeAheadLog) ?? 0) == 0 { return .immutable }
      return try HistoryFolder.size(of: location.sharedMemory) == nil ? .immutableWithLog : nil
    default: return nil
    }
  }

  private static func connect(
    to location: HistoryLocation, access: Database.Access
  ) throws(StoreError) -> Database {
    let database = try Database(
      path: location.database, access: access, lockTimeout: HistoryStore.LockTimeouts().lock)
    try database.useCautiously()
    let version = try Schema.version(of: database)
    guard version >= Schema.oldestReadable else {
      // Older, or empty still: for a store to migrate.
      throw .cannotOpen(path: location.database, code: SQLITE_SCHEMA)
    }
    return database
  }
}
