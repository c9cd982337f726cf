import CSQLite

/// The number of a history's clips, and of those that are too old: captured before a given time.
///
/// A clip whose time is unknown is counted, and never too old.
public struct Ages: Sendable, Equatable {
  /// How many clips there are.
  public internal(set) var count = 0
  /// How many clips were captured before that time.
  public internal(set) var expired = 0
  /// When the newest clip was captured, in microseconds since 1970 UTC; 0 if no time is known.
  public internal(set) var newest: Int64 = 0
  /// When the oldest clip that is not too old was captured.
  var oldest = CaptureTime.latest
}

/// A walk through all clips in the order of their ids, by their times, a stretch at a step.
///
/// Times are not in the order of ids: a clock can have been wrong, for a while or for good. So every clip is looked at.
struct AgedClips {
  /// How many clips are looked at in a step: some 5 ms.
  private static let stretch: Int64 = 20_000

  /// How many clips, or bytes of text, are deleted in a step.
  private static let deletions = 4_000
  private static let bytes: Int64 = 4 << 20

  private let database: Database
  private let clips: Statement
  private let time: Int64

  /// - Parameter time: in microseconds since 1970 UTC; clips from before are too old.
  init(_ database: Database, before time: Int64) throws(StoreError) {
    self.database = database
    self.time = time
    clips = try Statement(
      "SELECT id, captured_at, byte_count FROM clip WHERE id > ?1 ORDER BY id LIMIT ?2", on: database)
  }

  /// Adds the clips of the stretch after an id to `ages`.
  ///
  /// - Returns: the last id in the stretch; nil if there was none.
  func count(after id: Int64, into ages: inout Ages) throws(StoreError) -> Int64? {
    try walk(after: id) { _, captured, _ in
      ages.count += 1
      ages.newest = max(ages.newest, captured)
      if isExpired(captured) {
        ages.expired += 1
      } else if captured > 0 {
        ages.oldest = min(ages.oldest, captured)
      }
      return true
    }
  }

  /// Deletes old clips after an id: at most so many, or so many bytes, that nothing else waits for long.
  ///
  /// - Returns: the deleted ids, ascending, and the last id that was looked at; nil if there was none.
  func delete(after id: Int64) throws(StoreError) -> (deleted: [Int64], last: Int64?) {
    try database.transaction { () throws(StoreError) in
      var (ids, size): ([Int64], Int64) = ([], 0)
      let last = try walk(after: id) { id, captured, byteCount in
        guard isExpired(captured) else { return true }
        ids.append(id)
        size += min(max(byteCount, 0), Self.bytes)
        return ids.count < Self.deletions && size < Self.bytes
      }
      guard let last, !ids.isEmpty else { return (ids, last) }
      try Statement(
        "DELETE FROM clip WHERE id > ?1 AND id <= ?2 AND captured_at > 0 AND captured_at < ?3", on: database
      ).execute(id, last, time)
      return (ids, last)
    }
  }

  private func isExpired(_ captured: Int64) -> Bool { captured > 0 && captured < time }

  /// Calls `body` with the id, the time and the size of each clip of a stretch, until it returns false.
  private func walk(
    after id: Int64, _ body: (_ id: Int64, _ captured: Int64, _ byteCount: Int64) -> Bool
  ) throws(StoreError) -> Int64? {
    try clips.run(id, Self.stretch) { statement throws(StoreError) in
      var last: Int64?
      while try statement.step() {
        // SQLite does not check the order of a damaged page.
        guard statement.integer(0) > last ?? id else { throw database.failure(SQLITE_CORRUPT) }
        last = statement.integer(0)
        guard body(statement.integer(0), statement.time(1), statement.integer(2)) else { break }
      }
      return last
    }
  }
}
