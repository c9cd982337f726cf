import CSQLite

/// The clips that have expired: all up to the last one whose place in the order of capture proves it.
///
/// Found by `HistoryStore.findExpired`, deleted by `HistoryStore.delete`.
public struct ExpiredClips: Sendable, Equatable {
  /// The period that they are older than.
  public let period: RetentionPeriod
  /// The clocks when they were found.
  public let reading: ClockReading
  /// How many clips there are.
  public let count: Int
  /// Whether the clock is known to be right; otherwise only the user can decide.
  public let isClockBelieved: Bool
  let lastID: Int64
  /// The first clip with a believable time within the period; `.max` if there is none.
  let firstYoungID: Int64
  /// How many clips the store had restored.
  let restorations: Int

  /// Whether a deleted clip would expire if it was restored.
  public func includes(_ clip: DeletedClip) -> Bool {
    guard let limit = period.limit(at: reading.wallTime) else { return false }
    let isYoung = (limit...max(limit, reading.wallTime)).contains(clip.capturedAt)
    let isOld = clip.capturedAt > CaptureTime.unknown && clip.capturedAt < limit
    return clip.id <= lastID ? !isYoung : isOld && clip.id < firstYoungID
  }
}

/// The rows that expire, which are a prefix of the ids.
///
/// Texts are never read: the columns lie before them.
enum ExpiredRows {
  /// How many rows, or bytes of text, are deleted in one transaction, so that captures do not wait for long.
  static let rowLimit = 4_000
  static let byteLimit: Int64 = 4 << 20

  /// Finds the end of the prefix: the last row from before `limit` that comes before the first one with a time between
  /// `limit` and `now`.
  ///
  /// Other times prove nothing: they are unknown, or the clock was ahead. A clip that was captured while the clock was
  /// behind comes after a young one, and is not looked at.
  static func find(
    in database: Database, before limit: Int64, at now: Int64
  ) throws(StoreError) -> (count: Int, lastID: Int64, firstYoungID: Int64) {
    let rows = try Statement("SELECT id, captured_at FROM clip ORDER BY id", on: database)
    return try rows.run { rows throws(StoreError) in
      var (passed, count, lastID) = (0, 0, Int64.min)
      var previous: Int64?
      while try rows.step() {
        let (id, time) = (rows.integer(0), rows.time(1))
        try check(id, follows: previous, in: database)
        previous = id
        passed += 1
        if time >= limit && time <= now { return (count, lastID, id) }
        if time > CaptureTime.unknown && time < limit { (count, lastID) = (passed, id) }
      }
      return (count, lastID, .max)
    }
  }

  /// How many rows there are up to an id.
  static func count(in database: Database, upTo id: Int64) throws(StoreError) -> Int {
    try Statement("SELECT count(*) FROM clip WHERE id <= ?1", on: database).first(id) { Int($0.integer(0)) }
      ?? 0
  }

  /// Deletes the first rows up to an id, within a transaction; returns their ids, ascending.
  static func deletePortion(in database: Database, upTo lastID: Int64) throws(StoreError) -> [Int64] {
    let rows = try Statement("SELECT id, byte_count FROM clip WHERE id <= ?1 ORDER BY id", on: database)
    let ids = try rows.run(lastID) { rows throws(StoreError) in
      var (ids, size): ([Int64], Int64) = ([], 0)
      while ids.count < rowLimit, size < byteLimit, try rows.step() {
        let id = rows.integer(0)
        guard id <= lastID else { throw database.failure(SQLITE_CORRUPT) }
        try check(id, follows: ids.last, in: database)
        ids.append(id)
        // A damaged size can be any number.
        size += min(max(rows.integer(1), 0), byteLimit)
      }
      return ids
    }
    guard let last = ids.last else { return [] }
    try Statement("DELETE FROM clip WHERE id <= ?1", on: database).execute(last)
    // The keys in a damaged interior page lead past rows.
    guard sqlite3_changes(database.handle) == ids.count else { throw database.failure(SQLITE_CORRUPT) }
    return ids
  }

  /// SQLite does not check the order of a damaged page.
  private static func check(_ id: Int64, follows previous: Int64?, in database: Database) throws(StoreError) {
    if let previous, id <= previous { throw database.failure(SQLITE_CORRUPT) }
  }
}
