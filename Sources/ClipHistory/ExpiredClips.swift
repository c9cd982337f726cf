import CSQLite

/// The expired clips: the newest clip that is provably too old, and all older clips.
///
/// `HistoryStore.findExpired` finds them, `HistoryStore.delete` deletes them.
public struct ExpiredClips: Sendable, Equatable {
  /// The retention period that the clips exceed.
  public let period: RetentionPeriod
  /// The clock reading with which `findExpired` was called.
  public let reading: ClockReading
  /// The number of expired clips.
  public let count: Int
  /// Whether the clock can be trusted; if not, ask the user before deleting.
  public let isClockBelieved: Bool
  let lastID: Int64
  /// The id of the first clip whose time is within the retention period; `.max` if there is none.
  let firstYoungID: Int64
  /// The store's `revision` when `findExpired` was called.
  let revision: UInt64

  /// Whether the clock was not set since the search, so that an answer of the user holds.
  public func agrees(with now: ClockReading) -> Bool {
    RetentionPolicy.agree(now, reading, keeping: period.duration ?? 0)
  }

  /// Whether a deleted clip would count as expired if it were restored.
  public func includes(_ clip: DeletedClip) -> Bool {
    guard let limit = period.limit(at: reading.wallTime) else { return false }
    let isYoung = (limit...max(limit, reading.wallTime)).contains(clip.capturedAt)
    let isOld = clip.capturedAt > CaptureTime.unknown && clip.capturedAt < limit
    return clip.id <= lastID ? !isYoung : isOld && clip.id < firstYoungID
  }
}

/// Queries for expired rows, which have the lowest ids.
///
/// They never read texts, because the columns that they need precede the text in a row.
enum ExpiredRows {
  /// The limits of one transaction, in rows and in bytes of text, so that captures wait only briefly.
  static let rowLimit = 4_000
  static let byteLimit: Int64 = 4 << 20

  /// Finds the last row older than `limit`; stops at the first row whose time is between `limit` and `now`.
  ///
  /// Skips times that are unknown, and times after `now`, which come from a clock that was ahead. Rows after the stop
  /// are not examined, so a clip that was captured while the clock was behind does not expire early.
  static func find(
    in database: Database, before limit: Int64, at now: Int64
  ) throws(StoreError) -> (count: Int, lastID: Int64, firstYoungID: Int64) {
    let rows = try Statement("SELECT id, captured_at FROM clip ORDER BY id", on: database)
    var (passed, count, lastID, firstYoungID) = (0, 0, Int64.min, Int64.max)
    try rows.walk { id in
      let time = rows.time(1)
      passed += 1
      if time > CaptureTime.unknown && time < limit { (count, lastID) = (passed, id) }
      let isYoung = time >= limit && time <= now
      if isYoung { firstYoungID = id }
      return !isYoung
    }
    return (count, lastID, firstYoungID)
  }

  static func count(in database: Database, upTo id: Int64) throws(StoreError) -> Int {
    try Statement("SELECT count(*) FROM clip WHERE id <= ?1", on: database).first(id) { Int($0.integer(0)) }
      ?? 0
  }

  /// Deletes one batch of the rows up to `lastID`, and returns their ids in ascending order.
  ///
  /// Call this inside a transaction.
  static func deletePortion(in database: Database, upTo lastID: Int64) throws(StoreError) -> [Int64] {
    let rows = try Statement("SELECT id, byte_count FROM clip WHERE id <= ?1 ORDER BY id", on: database)
    var (ids, size): ([Int64], Int64) = ([], 0)
    try rows.walk(lastID) { id throws(StoreError) in
      guard id <= lastID else { throw database.failure(SQLITE_CORRUPT) }
      ids.append(id)
      // A damaged size can be any number.
      size += min(max(rows.integer(1), 0), byteLimit)
      return ids.count < rowLimit && size < byteLimit
    }
    guard let last = ids.last else { return [] }
    try Statement("DELETE FROM clip WHERE id <= ?1", on: database).execute(last)
    // Damaged keys in an interior page can hide rows from a search, so compare the counts.
    guard sqlite3_changes(database.handle) == ids.count else { throw database.failure(SQLITE_CORRUPT) }
    return ids
  }
}
