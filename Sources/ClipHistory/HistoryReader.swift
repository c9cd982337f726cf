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
  private var following: ReopeningReader?

  /// Opens an existing history.
  ///
  /// - Parameter rows: the rows of a damaged history that `HistoryStore.salvagedRows` has found.
  /// - Throws: why the history cannot be opened.
  public init(location: HistoryLocation, rows: SalvagedRows? = nil) throws(StoreError) {
    // The main thread must not wait long.
    let opening = HistoryOpener(location, timeouts: .init(lock: 100, opening: 25))
    following = try ReopeningReader(opening, salvages: rows != nil, rows: rows)
  }

  /// Closes the connections; pages can no longer be read.
  public func close() { following = nil }

  /// Returns the newest clips, newest first, at most `limit`.
  public func newestPage(limit: Int) throws(StoreError) -> [Clip] {
    try page(from: .max, limit: limit)
  }

  /// Returns the last assigned id; 0 if the history never had a clip.
  public func lastID() throws(StoreError) -> Int64 {
    try read { reads throws(StoreError) in try reads.database.lastID() }
  }

  /// Returns the clip with this id and older clips, newest first, at most `limit`; the id does not have to exist.
  public func page(from id: Int64, limit: Int) throws(StoreError) -> [Clip] {
    try read { reads throws(StoreError) in
      var clips: [Clip] = []
      // SQLite treats a negative limit as no limit.
      let page = try reads.statement(ReadConnection.pageQuery)
      try page.walk(id, Int64(max(limit, 0)), descending: true) { _ in
        clips.append(Self.clip(of: page))
        return true
      }
      return clips
    }
  }

  /// Whether this reader was closed, or its file or WAL was removed or replaced.
  public var isReplaced: Bool { following?.current.database.hasMoved ?? true }

  /// Whether the history is damaged, and a row is known to be unreadable.
  public var isIncomplete: Bool { following?.isIncomplete ?? false }

  private func read<Result>(
    _ body: (ReadConnection) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard let following else { throw .failed(code: SQLITE_MISUSE) }
    return try following.read(body)
  }

  /// Converts a row of `ReadConnection.pageQuery`; limits preview and size, because the file may be damaged.
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
