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
  private let location: HistoryLocation
  private var database: Database
  private var isImmutable: Bool
  private var pages: Statement

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
    self.location = location
    (database, isImmutable) = try HistoryOpening(location).toRead()
    pages = try Statement(Self.pageQuery, on: database)
  }

  /// The newest clips, newest first, at most `limit`.
  public func newestPage(limit: Int) throws(StoreError) -> [Clip] {
    try page(from: .max, limit: limit)
  }

  /// The clip with this id and the older ones after it, newest first, at most `limit`; the id need not exist.
  public func page(from id: Int64, limit: Int) throws(StoreError) -> [Clip] {
    try followChange()
    // A negative limit would be none.
    return try pages.run(id, Int64(max(limit, 0))) { statement throws(StoreError) in
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
    (database, isImmutable) = try HistoryOpening(location).toRead()
    pages = try Statement(Self.pageQuery, on: database)
  }
}
