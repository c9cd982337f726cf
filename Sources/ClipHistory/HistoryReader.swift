import CSQLite

/// The reading connection: pages for the list, in some microseconds each, also while the store writes 64 MiB.
///
/// A reader belongs to the thread that made it, the main thread; a page holds no lock after it has been read. The
/// history is one that a `HistoryStore` has made, also in a folder that cannot be written.
///
/// ```swift
/// let reader = try HistoryReader(location: location)
/// let first = try reader.newestPage(limit: 50)
/// ```
public final class HistoryReader {
  private var following: ReopeningReader<Session>?

  private struct Session: PreparedReads {
    let database: Database
    let pages: Statement

    init(_ database: Database) throws(StoreError) {
      self.database = database
      pages = try Statement(HistoryReader.pageQuery, on: database)
    }
  }

  /// The query behind every page.
  ///
  /// The query names `text` only if `preview` is NULL, that is, if the text is short: SQLite never reads a large text
  /// for the list.
  static let pageQuery = """
    SELECT id, captured_at, byte_count, coalesce(preview, text), preview IS NULL FROM clip
    WHERE id <= ?1 ORDER BY id DESC LIMIT ?2
    """

  /// Opens an existing history, and writes nothing.
  ///
  /// - Throws: as `HistoryStore.init` does.
  public init(location: HistoryLocation) throws(StoreError) {
    following = try ReopeningReader(HistoryOpening(location))
  }

  /// Closes the connection, whoever still holds the reader; no page can be read any more.
  public func close() { following = nil }

  /// The newest clips, newest first, at most `limit`.
  public func newestPage(limit: Int) throws(StoreError) -> [Clip] {
    try page(from: .max, limit: limit)
  }

  /// The clip with this id and the older ones after it, newest first, at most `limit`; the id need not exist.
  public func page(from id: Int64, limit: Int) throws(StoreError) -> [Clip] {
    guard let following else { throw .failed(code: SQLITE_MISUSE) }
    return try following.read { session throws(StoreError) in
      // SQLite takes a negative limit for no limit.
      try session.pages.run(id, Int64(max(limit, 0))) { statement throws(StoreError) in
        var clips: [Clip] = []
        while try statement.step() {
          // SQLite does not check the order of a damaged page.
          guard statement.integer(0) < clips.last?.id ?? .max || clips.isEmpty else {
            throw session.database.failure(SQLITE_CORRUPT)
          }
          clips.append(Self.clip(of: statement))
        }
        return clips
      }
    }
  }

  /// Whether another file, or none, has the history's name by now: this reader still shows the one that it opened.
  public var isReplaced: Bool { following?.current.database.hasMoved == true }

  // MARK: -

  /// The clip in a row of `pageQuery`; whatever the file says, its preview and its size are possible ones.
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

/// All clips of a history with their whole texts, oldest first, one at a time.
///
/// A cursor has a connection of its own, so it may be made and used on any one thread, beside a store and its readers.
/// Between two clips the cursor holds no lock of SQLite's: clips that are deleted meanwhile are left out, and no
/// deleted text stays in the log. Only imports and recoveries, which would renumber the clips, wait until the cursor is
/// let go. One text at a time is in memory.
///
/// ```swift
/// let clips = try ClipCursor(location: location)
/// while let clip = try clips.next() { write(clip.text.bytes) }
/// ```
public final class ClipCursor {
  private let following: ReopeningReader<Session>
  private let lock: FolderLock
  /// The least id of the next clip; nil after the largest id that there can be.
  private var start: Int64? = .min

  private struct Session: PreparedReads {
    let database: Database
    let next: Statement

    init(_ database: Database) throws(StoreError) {
      self.database = database
      next = try Statement(
        "SELECT id, captured_at, text FROM clip WHERE id >= ?1 ORDER BY id LIMIT 1", on: database)
    }
  }

  /// Whether the last failure was that of one clip, so that the next call goes on behind it.
  public private(set) var canGoOn = false

  /// Opens an existing history, even a recovery that is not in its place yet, and writes nothing.
  ///
  /// - Throws: as `HistoryStore.init` does, `.damaged` also if only a recovery can read what is there, `.locked`
  ///   during an import.
  public init(location: HistoryLocation) throws(StoreError) {
    let opening = HistoryOpening(location)
    lock = try opening.lockToReadAll()
    following = try ReopeningReader(opening)
  }

  /// The next newer clip, nil after the newest.
  ///
  /// - Throws: `.damaged` if the clip holds no valid text; the call after that goes on behind the clip.
  public func next() throws(StoreError) -> Clip.Whole? {
    canGoOn = false
    guard let start else { return nil }
    let found = try following.read { session throws(StoreError) in
      let found = try session.next.first(start) { (id: $0.integer(0), time: $0.time(1), bytes: $0.bytes(2)) }
      // In a damaged page the search may lead back to an older clip, for ever.
      guard found?.id ?? .max >= start else { throw session.database.failure(SQLITE_CORRUPT) }
      return found
    }
    guard let (id, time, bytes) = found else { return nil }
    self.start = id < .max ? id + 1 : nil
    canGoOn = true
    return Clip.Whole(id: id, capturedAt: time, text: try following.current.database.text(bytes))
  }
}
