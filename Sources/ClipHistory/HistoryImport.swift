import CSQLite

/// Imports clips from another history in one transaction, and sorts all clips by time.
///
/// An import needs exclusive access: no other CopyPasta process may have the history open. Nothing is changed until
/// `finish` commits, even if the process is killed. Only one text is in memory at a time.
///
/// ```swift
/// let history = try HistoryImport(location, at: now)
/// try history.add(text, capturedAt: time)  // true: it was not there
/// try history.finish()
/// ```
public final class HistoryImport {
  let connection: WriteConnection
  private let latest: Int64
  /// The largest id ever assigned before the import.
  private let lastID: Int64
  /// The latest time of all clips; nil once an earlier time was added, and `seen` contains all clips.
  ///
  /// A clip that is later than all others cannot be a repetition, so an import in chronological order needs no hashes.
  private var newest: Int64?
  private var seen = HashSet()

  /// Opens or creates the history, and begins the transaction.
  ///
  /// - Parameter now: in microseconds since 1970 UTC. Sorting ignores a clip's time if it is more than a day after
  ///   `now`, unless `now` itself is implausible.
  /// - Throws: why the history cannot be opened; `.locked` while another process has the history open.
  public init(_ location: HistoryLocation, at now: Int64) throws(StoreError) {
    latest = CaptureTime.believableClocks.contains(now) ? now + 86_400_000_000 : CaptureTime.latest
    connection = try HistoryOpener(location).openExclusively()
    let database = connection.database
    try database.execute("BEGIN IMMEDIATE")
    lastID = try database.lastID()
    newest = try database.integer(
      """
      SELECT coalesce(max(CASE WHEN captured_at BETWEEN 1 AND \(CaptureTime.latest) THEN captured_at ELSE 0 END), -1)
      FROM clip
      """)
  }

  deinit { sqlite3_exec(connection.database.handle, "ROLLBACK", nil, nil, nil) }

  /// Adds a clip after those already added.
  ///
  /// - Parameter time: in microseconds since 1970 UTC; 0 if unknown.
  /// - Returns: false if the history has a clip with that time and text.
  public func add(_ text: ClipText, capturedAt time: Int64) throws(StoreError) -> Bool {
    let time = CaptureTime.plausible(time)
    if let newest, time > newest {
      self.newest = time
    } else {
      if newest != nil { try rememberAll() }
      guard seen.insert(Clip.Full.hash(of: text.bytes, at: time)) else { return false }
    }
    _ = try connection.insert(text, capturedAt: time)
    return true
  }

  private func rememberAll() throws(StoreError) {
    let all = try Statement("SELECT id, captured_at, text FROM clip ORDER BY id", on: connection.database)
    try all.walk { _ in
      _ = seen.insert(Clip.Full.hash(of: all.bytes(2), at: all.time(1)))
      return true
    }
    newest = nil
  }

  /// Sorts all clips by time and commits to disk.
  ///
  /// Clips of the same history keep their order: a clip stays after its predecessor if its time is unknown or not later
  /// than the predecessor's. If the disk fails during the commit, the import may be in the history, but not in parts; it
  /// can be repeated, because clips that are there are not added again.
  public func finish() throws(StoreError) {
    let database = connection.database
    let largestID = try database.integer("SELECT max(id) FROM clip") ?? 0
    guard largestID > lastID else { return }
    try merge(database, upTo: largestID)
    try connection.forgetLastCheck()
    if database.hasMoved { throw .replaced }
    try database.execute("COMMIT")
    do throws(StoreError) {
      // Moved rows leave copies of their texts at their old places, which the checkpoint overwrites.
      _ = try database.truncateWAL(waiting: 0)
    } catch {
      // Everything is committed; the next start truncates the WAL.
    }
  }

  // MARK: -

  /// Assigns new ids from the first misplaced clip on, because ids define the order and are never reused.
  private func merge(_ database: Database, upTo largestID: Int64) throws(StoreError) {
    var old = try Run(.min...lastID, of: database, latest: latest)
    var new = try Run(lastID + 1...largestID, of: database, latest: latest)
    while old.id != nil, old.time <= new.time { try old.advance() }
    guard old.id != nil else { return }
    while new.time < old.time { try new.advance() }

    let trigger =
      try database.string("SELECT sql FROM sqlite_schema WHERE name = 'clip_is_not_updated'") ?? ""
    try database.execute("DROP TRIGGER clip_is_not_updated")
    let moving = try Statement("UPDATE clip SET id = ?2 WHERE id = ?1", on: database)
    var nextID = largestID
    while case let isOldNext = old.time <= new.time, let id = isOldNext ? old.id : new.id {
      nextID += 1
      try moving.execute(id, nextID)
      if isOldNext { try old.advance() } else { try new.advance() }
    }
    try database.execute(
      """
      UPDATE sqlite_sequence SET seq = max(seq, \(nextID)) WHERE name = 'clip';
      \(trigger)
      """)
  }
}

/// Clips in the order of their ids.
private struct Run {
  /// The current clip's id; nil after the last.
  private(set) var id: Int64?
  /// The current clip's sort key, which never decreases.
  private(set) var time: Int64 = 0
  private var start: Int64?
  private let end: Int64
  private let latest: Int64
  private let following: Statement

  /// - Parameter latest: the latest plausible time; a clip with a later time stays after its predecessor.
  init(_ ids: ClosedRange<Int64>, of database: Database, latest: Int64) throws(StoreError) {
    (start, end, self.latest) = (ids.lowerBound, ids.upperBound, latest)
    following = try Statement(
      "SELECT id, captured_at FROM clip WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1", on: database)
    try advance()
  }

  mutating func advance() throws(StoreError) {
    let found = try following.nextClip(from: &start, to: end) { (id: $0.integer(0), time: $0.time(1)) }
    id = found?.id
    guard let found else { return time = .max }
    if found.time <= latest { time = max(time, found.time) }
  }
}

/// A set of hashes in about ten bytes each, a third of what `Set` needs while it grows.
///
/// Hashes of different clips can be equal: among a million clips, with a probability of one in 30 million.
private struct HashSet {
  private var buckets = [[Int]](repeating: [], count: 1 << 14)

  /// Returns false if the set contains the hash.
  mutating func insert(_ hash: Int) -> Bool {
    let index = Int(UInt(bitPattern: hash) >> 50)
    guard !buckets[index].contains(hash) else { return false }
    if buckets[index].count == buckets[index].capacity {
      buckets[index].reserveCapacity(buckets[index].count + 16)
    }
    buckets[index].append(hash)
    return true
  }
}
