import CSQLite

/// Reads pages of clips for the list; reading a page takes microseconds, even while the store writes a text of 64 MiB.
///
/// A reader belongs to the thread that created it, the main thread. It holds no lock between pages. It can open any
/// history that a `HistoryStore` has created, even in a read-only folder.
///
/// ```swift
/// let reader = try HistoryReader(location: location)
/// let first = try reader.newestPage(limit: 50)
/// ```
public final class HistoryReader {
  private let opening: HistoryOpening
  private let evenIfDamaged: Bool
  private var following: ReopeningReader<Connection>?
  /// Reads the history instead, after damage was found.
  private var damaged: DamagedHistory?

  private struct Connection: PreparedReads {
    let database: Database
    let pages: Statement

    init(_ database: Database) throws(StoreError) {
      self.database = database
      pages = try Statement(HistoryReader.pageQuery, on: database)
    }
  }

  /// The query for every page.
  ///
  /// It reads `text` only if `preview` is NULL, that is, if the text is short, so SQLite never loads a large text for
  /// the list.
  static let pageQuery = """
    SELECT id, captured_at, byte_count, coalesce(preview, text), preview IS NULL FROM clip
    WHERE id <= ?1 ORDER BY id DESC LIMIT ?2
    """

  /// Opens an existing history without writing anything.
  ///
  /// - Parameter evenIfDamaged: whether to read the readable clips of a damaged history, without recovering it;
  ///   in a read-only folder, they are always read.
  /// - Throws: as `HistoryStore.init` does.
  public init(location: HistoryLocation, evenIfDamaged: Bool = false) throws(StoreError) {
    // The main thread must not wait long.
    opening = HistoryOpening(location, timeouts: .init(lock: 100, opening: 25))
    self.evenIfDamaged = evenIfDamaged
    do throws(StoreError) {
      if evenIfDamaged, try opening.isKnownDamaged() { throw .damaged }
      following = try ReopeningReader(opening)
    } catch {
      try switchToDamaged(after: error)
    }
  }

  /// Closes the connections; pages can no longer be read.
  public func close() { (following, damaged) = (nil, nil) }

  /// Returns the newest clips, newest first, at most `limit`.
  public func newestPage(limit: Int) throws(StoreError) -> [Clip] {
    try page(from: .max, limit: limit)
  }

  /// Returns the last assigned id; 0 if the history never had a clip.
  public func lastID() throws(StoreError) -> Int64 {
    try read { connection throws(StoreError) in
      try connection.database.integer(Schema.lastID) ?? 0
    } ifDamaged: {
      $0.lastID
    }
  }

  /// Returns the clip with this id and older clips, newest first, at most `limit`; the id does not have to exist.
  public func page(from id: Int64, limit: Int) throws(StoreError) -> [Clip] {
    try read { connection throws(StoreError) in
      var clips: [Clip] = []
      // SQLite treats a negative limit as no limit.
      try connection.pages.walk(id, Int64(max(limit, 0)), descending: true) { _ in
        clips.append(Self.clip(of: connection.pages))
        return true
      }
      return clips
    } ifDamaged: {
      $0.page(from: id, limit: limit)
    }
  }

  /// Whether the file that this reader shows, or its log, was removed or replaced.
  public var isReplaced: Bool { following?.current.database.hasMoved ?? damaged?.hasMoved ?? false }

  /// An upper bound for the number of clips that could not be read so far.
  public var unreadableCount: Int { damaged?.lostCount ?? 0 }

  // MARK: -

  private func read<Result>(
    _ body: (Connection) throws(StoreError) -> Result, ifDamaged: (DamagedHistory) -> Result
  ) throws(StoreError) -> Result {
    if damaged == nil {
      guard let following else { throw .failed(code: SQLITE_MISUSE) }
      do throws(StoreError) {
        return try following.read(body)
      } catch {
        try switchToDamaged(after: error)
      }
    }
    guard let damaged else { throw .failed(code: SQLITE_MISUSE) }
    return ifDamaged(damaged)
  }

  /// Switches to reading what is readable of the damaged file.
  ///
  /// - Throws: `error` if it may still be recovered and damaged histories are not to be read, or if the file cannot be
  ///   read at all.
  private func switchToDamaged(after error: StoreError) throws(StoreError) {
    guard evenIfDamaged || error == .cannotBeRecovered else { throw error }
    // The damaged file is opened by its path, so it must still be the file that was read so far.
    if following?.current.database.hasMoved == true { throw .replaced }
    damaged = try opening.damaged(after: error)
  }

  /// Converts a row of `pageQuery`; limits preview and size, because the file may be damaged.
  private static func clip(of statement: Statement) -> Clip {
    let shownCount = statement.byteCount(3)
    let isWhole = statement.integer(4) != 0
    return Clip(
      id: statement.integer(0), capturedAt: statement.time(1),
      byteCount: isWhole
        ? shownCount : min(max(Int(statement.integer(2)), shownCount), ClipText.largestStored),
      preview: statement.string(3, atMost: Preview.byteLimit))
  }
}

/// Iterates over all clips of a history with their whole texts, oldest first; clips that cannot be read are counted.
///
/// A cursor has its own connection, so any single thread can use it while a store and its readers are in use. It holds
/// no SQLite lock between two clips, so the log can be truncated, and clips that are deleted in the meantime are
/// skipped. Until the cursor is released, imports and recoveries, which may renumber the clips, throw `.locked`. Only
/// one text at a time is in memory.
///
/// ```swift
/// let clips = try ClipCursor(location: location)
/// while let clip = try clips.next() { write(clip.text.bytes) }
/// clips.unreadableCount  // 0
/// ```
public final class ClipCursor {
  private let opening: HistoryOpening
  private let lock: FolderLock
  private var following: ReopeningReader<Connection>?
  /// Reads the history instead, after damage was found.
  private var damaged: DamagedHistory?
  /// The smallest possible id of the next clip; nil after the largest possible id.
  private var start: Int64? = .min

  private struct Connection: PreparedReads {
    let database: Database
    let next: Statement
    private let ids: Statement

    init(_ database: Database) throws(StoreError) {
      self.database = database
      ids = try Statement(
        "SELECT id, EXISTS (SELECT 1 FROM clip AS found WHERE found.id = clip.id) FROM clip ORDER BY id",
        on: database)
      next = try Statement(
        "SELECT id, captured_at, text FROM clip WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1", on: database)
    }

    /// Searches for every clip by its id, without reading texts.
    ///
    /// A damaged id, or a damaged key in an interior page, makes such a search skip clips.
    ///
    /// - Throws: `.damaged` if a search does not find every clip.
    func checkSearch() throws(StoreError) {
      try ids.walk { _ throws(StoreError) in
        guard ids.integer(1) == 1 else { throw database.failure(SQLITE_CORRUPT) }
        return true
      }
    }
  }

  /// The number of clips that could not be read so far, or an upper bound if clips were deleted on a damaged page.
  public private(set) var unreadableCount = 0

  /// Whether the history is damaged, as far as it has been read.
  public private(set) var isDamaged = false

  /// Opens an existing history, or a recovered history that is not in place yet, without writing anything.
  ///
  /// - Throws: as `HistoryStore.init` does, but never `.damaged`; also `.locked` during an import.
  public init(location: HistoryLocation) throws(StoreError) {
    opening = HistoryOpening(location)
    let isDamaged: Bool
    (lock, isDamaged) = try opening.lockToReadAll()
    do throws(StoreError) {
      if isDamaged { throw .damaged }
      let following = try ReopeningReader<Connection>(opening)
      self.following = following
      try following.read { connection throws(StoreError) in try connection.checkSearch() }
    } catch {
      try switchToDamaged(after: error)
    }
  }

  /// Returns the next newer clip that can be read; nil after the newest.
  public func next() throws(StoreError) -> Clip.Full? {
    while let least = start {
      if let damaged {
        let clip = damaged.next(from: least, unread: &unreadableCount)
        start = clip.flatMap { $0.id < .max ? $0.id + 1 : nil }
        return clip
      }
      do throws(StoreError) {
        guard let found = try read() else { return nil }
        if let clip = clip(found) { return clip }
      } catch {
        try switchToDamaged(after: error)
      }
    }
    return nil
  }

  // MARK: -

  private func read() throws(StoreError) -> (id: Int64, time: Int64, bytes: [UInt8])? {
    guard let following else { return nil }
    let (found, behind) = try following.read { connection throws(StoreError) in
      var start = start
      let found = try connection.next.nextClip(from: &start) {
        (id: $0.integer(0), time: $0.time(1), bytes: $0.bytes(2))
      }
      return (found, start)
    }
    start = behind
    return found
  }

  /// Returns a clip; if its text is not valid, counts it as unread, marks the history as damaged, and returns nil.
  private func clip(_ found: (id: Int64, time: Int64, bytes: [UInt8])) -> Clip.Full? {
    do {
      return Clip.Full(id: found.id, capturedAt: found.time, text: try ClipText(validating: found.bytes))
    } catch {
      HistoryFolder.markDamaged(opening.location.database)
      (unreadableCount, isDamaged) = (unreadableCount + 1, true)
      return nil
    }
  }

  /// Reads what is readable from now on, after `error` has shown damage.
  private func switchToDamaged(after error: StoreError) throws(StoreError) {
    // Begin a transaction, so that the pages stay as they are while other programs write to the log.
    following?.current.database.beginRead()
    let damaged = try opening.damaged(after: error)
    (self.damaged, isDamaged) = (damaged, true)
    unreadableCount += damaged.lostCount
  }
}
