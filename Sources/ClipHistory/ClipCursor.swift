import CSQLite

/// All clips of a history with their whole texts, oldest first, one at a time.
///
/// A cursor has a connection of its own, so it may be made and used on any one thread, beside a store and its readers.
/// Between two clips it holds no lock of SQLite's: what is deleted meanwhile is not in it, and a deleted text does not
/// stay in the log for its sake. Only imports and rescues, which would give its clips other ids, have to wait until it
/// is let go. One text at a time is in memory.
///
/// ```swift
/// let clips = try ClipCursor(location: location)
/// while let clip = try clips.next() { write(clip.text.bytes) }
/// ```
public final class ClipCursor {
  private let database: Database
  private let following: Statement
  private let lock: FolderLock
  /// Where the next clip is looked for, nil after the last there can be.
  private var start: Int64? = .min

  /// Whether the last failure was that of one clip, so that the next call goes on behind it.
  public private(set) var canGoOn = false

  /// Opens an existing history, also one that a start would have to put in its place first, and writes nothing.
  ///
  /// - Throws: as `HistoryStore.init` does, `.damaged` also if only a rescue can read what is there, `.locked`
  ///   during an import.
  public init(location: HistoryLocation) throws(StoreError) {
    (database, lock) = try HistoryOpening(location).toReadAll()
    following = try Statement(
      "SELECT id, captured_at, text FROM clip WHERE id >= ?1 ORDER BY id LIMIT 1", on: database)
  }

  /// The next newer clip, nil after the newest.
  ///
  /// - Throws: `.damaged` if it holds no valid text; the call after that goes on behind it.
  public func next() throws(StoreError) -> Clip.Whole? {
    canGoOn = false
    guard let start else { return nil }
    let found = try following.first(start) { (id: $0.integer(0), time: $0.time(1), bytes: $0.bytes(2)) }
    guard let (id, time, bytes) = found else { return nil }
    // In a damaged page the search may end at an older one, again and again.
    guard id >= start else { throw database.failure(SQLITE_CORRUPT) }
    self.start = id < .max ? id + 1 : nil
    canGoOn = true
    return Clip.Whole(id: id, capturedAt: time, text: try database.text(bytes))
  }
}
