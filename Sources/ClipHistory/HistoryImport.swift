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
  private var hasAdded = false
  /// The latest time of all clips; nil once an earlier time was added, and `seen` contains all clips.
  ///
  /// A clip that is later than all others cannot be a repetition, so an import in chronological order needs no hashes.
  private var newest: Int64?
  /// Finds and remembers clips by a hash of time and text, in a temporary table of some 20 bytes a clip.
  ///
  /// An index on time and size would not be enough, because many clips may have the same time and size.
  private let seen: Statement
  private let remember: Statement
  private let comparison: Statement

  /// Opens or creates the history, and begins the transaction.
  ///
  /// - Parameter now: in microseconds since 1970 UTC. Sorting ignores a clip's time if it is more than a day after
  ///   `now`, unless `now` itself is implausible.
  /// - Throws: as `HistoryStore.init` does, and `.locked` while another process has the history open.
  public init(_ location: HistoryLocation, at now: Int64) throws(StoreError) {
    latest = CaptureTime.believableClocks.contains(now) ? now + 86_400_000_000 : CaptureTime.latest
    connection = try HistoryOpener(location).openExclusively()
    let database = connection.database
    try database.execute(
      "CREATE TEMP TABLE seen(hash INTEGER PRIMARY KEY, id INTEGER NOT NULL); BEGIN IMMEDIATE")
    lastID = try database.lastID()
    // A damaged id could leave no room for the ids that the import assigns.
    guard try database.integer("SELECT max(id) FROM clip") ?? 0 <= Schema.largestID else {
      throw database.failure(SQLITE_CORRUPT)
    }
    seen = try Statement("SELECT id FROM seen WHERE hash = ?1", on: database)
    remember = try Statement("INSERT OR REPLACE INTO seen VALUES (?1, ?2)", on: database)
    comparison = try Statement("SELECT 1 FROM clip WHERE id = ?1 AND text = ?2", on: database)
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
      (self.newest, hasAdded) = (time, true)
      _ = try connection.insert(text, capturedAt: time)
      return true
    }
    if newest != nil { try rememberAll() }
    let hash = Int64(Clip.Full.hash(of: text.bytes, at: time))
    if let id = try seen.first(hash, read: { $0.integer(0) }) {
      // Clips with the same hash have the same time and text, except for a collision.
      let isPresent = try text.bytes.span.withUnsafeBytes { bytes throws(StoreError) in
        try comparison.first(id, bytes) { _ in true } ?? false
      }
      if isPresent { return false }
    }
    try remember.execute(hash, try connection.insert(text, capturedAt: time).id)
    hasAdded = true
    return true
  }

  private func rememberAll() throws(StoreError) {
    let all = try Statement("SELECT id, captured_at, text FROM clip ORDER BY id", on: connection.database)
    try all.walk { id throws(StoreError) in
      try remember.execute(Int64(Clip.Full.hash(of: all.bytes(2), at: all.time(1))), id)
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
    guard hasAdded else { return }
    let database = connection.database
    try merge(database)
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
  private func merge(_ database: Database) throws(StoreError) {
    let following = try Statement(
      "SELECT id, captured_at FROM clip WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1", on: database)
    let largestID = try database.integer("SELECT max(id) FROM clip") ?? 0
    var old = Run(from: .min, to: lastID, latest: latest)
    var new = Run(from: lastID + 1, to: largestID, latest: latest)
    try old.advance(following)
    try new.advance(following)
    guard old.id != nil, new.id != nil else { return }

    let trigger =
      try database.string("SELECT sql FROM sqlite_schema WHERE name = 'clip_is_not_updated'") ?? ""
    try database.execute("DROP TRIGGER clip_is_not_updated")
    let moving = try Statement("UPDATE clip SET id = ?2 WHERE id = ?1", on: database)
    var placed = Int64.min
    var nextID = largestID + 1
    while old.id != nil || new.id != nil {
      let takesOld = new.id == nil || (old.id != nil && old.time <= new.time)
      guard let id = takesOld ? old.id : new.id else { break }
      if id > placed {
        placed = id
        // The remaining new clips are already in order.
        if old.id == nil { break }
      } else {
        try moving.execute(id, nextID)
        placed = nextID
        nextID += 1
      }
      if takesOld { try old.advance(following) } else { try new.advance(following) }
    }
    try database.execute(
      """
      UPDATE sqlite_sequence SET seq = max(seq, \(nextID - 1)) WHERE name = 'clip';
      \(trigger)
      """)
  }
}

private struct Run {
  /// The current clip's id; nil after the last.
  private(set) var id: Int64?
  /// The current clip's sort key; it never decreases during the iteration.
  private(set) var time: Int64 = 0
  private var start: Int64?
  private let end: Int64
  private let latest: Int64

  /// - Parameter latest: the latest plausible time; a clip with a later time stays after its predecessor.
  init(from start: Int64, to end: Int64, latest: Int64) {
    self.start = start
    self.end = end
    self.latest = latest
  }

  mutating func advance(_ following: Statement) throws(StoreError) {
    let found = try following.nextClip(from: &start, to: end) { (id: $0.integer(0), time: $0.time(1)) }
    id = found?.id
    if let time = found?.time, time <= latest { self.time = max(self.time, time) }
  }
}
