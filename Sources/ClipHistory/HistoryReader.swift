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
  private var following: ReopeningReader<Connection>?
  private var withoutLocks: [Connection] = []

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
  /// - Throws: as `HistoryStore.init` does.
  public init(location: HistoryLocation) throws(StoreError) {
    // The main thread must not wait long.
    following = try ReopeningReader(HistoryOpening(location, timeouts: .init(lock: 100, opening: 25)))
  }

  /// Closes the connections; pages can no longer be read.
  ///
  /// A connection that takes no locks, as on a full disk, stays open until the reader is released: closing it would drop
  /// the locks of a store in this process.
  public func close() {
    withoutLocks = following?.withoutLocks ?? []
    following = nil
  }

  /// Returns the newest clips, newest first, at most `limit`.
  public func newestPage(limit: Int) throws(StoreError) -> [Clip] {
    try page(from: .max, limit: limit)
  }

  /// Returns the last assigned id; 0 if the history never had a clip.
  public func lastID() throws(StoreError) -> Int64 {
    guard let following else { throw .failed(code: SQLITE_MISUSE) }
    return try following.read { session throws(StoreError) in
      try session.database.integer("SELECT max(seq) FROM sqlite_sequence WHERE name = 'clip'") ?? 0
    }
  }

  /// Returns the clip with this id and older clips, newest first, at most `limit`; the id does not have to exist.
  public func page(from id: Int64, limit: Int) throws(StoreError) -> [Clip] {
    guard let following else { throw .failed(code: SQLITE_MISUSE) }
    return try following.read { connection throws(StoreError) in
      var clips: [Clip] = []
      // SQLite treats a negative limit as no limit.
      try connection.pages.walk(id, Int64(max(limit, 0)), descending: true) { _ in
        clips.append(Self.clip(of: connection.pages))
        return true
      }
      return clips
    }
  }

  /// Whether the history's path no longer refers to the file that this reader shows.
  public var isReplaced: Bool { following?.current.database.hasMoved == true }

  // MARK: -

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

/// Iterates over all clips of a history with their whole texts, oldest first.
///
/// A cursor has its own connection, so any single thread can use it while a store and its readers are in use. It holds
/// no SQLite lock between two clips, so the log can be truncated, and clips that are deleted in the meantime are
/// skipped. Until the cursor is released, imports and recoveries, which may renumber the clips, throw `.locked`. Only
/// one text at a time is in memory.
///
/// ```swift
/// let clips = try ClipCursor(location: location)
/// while let clip = try clips.next() { write(clip.text.bytes) }
/// ```
public final class ClipCursor {
  private let following: ReopeningReader<Connection>
  private let lock: FolderLock
  /// The smallest possible id of the next clip; nil after the largest possible id.
  private var start: Int64? = .min

  private struct Connection: PreparedReads {
    let database: Database
    let next: Statement

    init(_ database: Database) throws(StoreError) {
      self.database = database
      next = try Statement(
        "SELECT id, captured_at, text FROM clip WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1", on: database)
    }
  }

  /// Whether the last failure concerned a single clip; the next call then continues after it.
  public private(set) var isPastFailure = false

  /// Opens an existing history, or a recovered history that is not in place yet, without writing anything.
  ///
  /// - Throws: as `HistoryStore.init` does; also `.damaged` if the files need a recovery, and `.locked` during an
  ///   import.
  public init(location: HistoryLocation) throws(StoreError) {
    let opening = HistoryOpening(location)
    lock = try opening.lockToReadAll()
    following = try ReopeningReader(opening)
  }

  /// Returns the next newer clip; nil after the newest.
  ///
  /// - Throws: `.damaged` if the clip holds no valid text; the next call continues after this clip.
  public func next() throws(StoreError) -> Clip.Full? {
    isPastFailure = false
    let (found, behind) = try following.read { connection throws(StoreError) in
      var start = start
      let found = try connection.next.nextClip(from: &start) {
        (id: $0.integer(0), time: $0.time(1), bytes: $0.bytes(2))
      }
      return (found, start)
    }
    guard let (id, time, bytes) = found else { return nil }
    (start, isPastFailure) = (behind, true)
    return Clip.Full(id: id, capturedAt: time, text: try following.current.database.text(bytes))
  }
}
