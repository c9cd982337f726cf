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
  private let location: HistoryLocation
  /// Nil after `finish` has failed.
  private(set) var connection: WriteConnection?
  private let latest: Int64
  /// The largest id ever assigned before the import.
  private let lastID: Int64
  /// The latest time that was added; nil once an earlier time was added.
  ///
  /// It starts at one microsecond after the latest time in the history.
  ///
  /// A clip that is later than all others cannot be a repetition, so an import in chronological order needs no hashes of
  /// older clips: `added` holds only the clips with this time, and `present` is empty.
  private var newest: Int64?
  /// All clips that were in the database when `newest` became nil, sorted by a hash of time and text: 16 bytes each.
  ///
  /// An index on time and size in the database would not be enough, because many clips may have the same time and size.
  private var present: [(hash: Int, id: Int64)] = []
  /// The ids, by the same hash, of the added clips with the time `newest`; once that is nil, of the clips added since.
  private(set) var added: [Int: Int64] = [:]
  private var hasAdded = false
  private var comparison: Statement?

  /// Opens or creates the history, and begins the transaction.
  ///
  /// - Parameter now: in microseconds since 1970 UTC. Sorting ignores a clip's time if it is more than a day after
  ///   `now`, unless `now` itself is implausible.
  /// - Throws: as `HistoryStore.init` does, and `.locked` while another process has the history open.
  public init(_ location: HistoryLocation, at now: Int64) throws(StoreError) {
    latest = CaptureTime.believableClocks.contains(now) ? now + 86_400_000_000 : CaptureTime.latest
    self.location = location
    let connection = try HistoryOpening(location).toWriteAlone()
    self.connection = connection
    let database = connection.database
    try database.execute("BEGIN IMMEDIATE")
    lastID = try database.integer(Schema.lastID) ?? 0
    // A damaged id could leave no room for the ids that the import assigns.
    guard try database.integer("SELECT max(id) FROM clip") ?? 0 <= Schema.largestID else {
      throw database.failure(SQLITE_CORRUPT)
    }
    newest = try Self.latestTime(of: database) + 1
    comparison = try Statement("SELECT 1 FROM clip WHERE id = ?1 AND text = ?2", on: database)
  }

  deinit {
    if let connection { sqlite3_exec(connection.database.handle, "ROLLBACK", nil, nil, nil) }
  }

  /// Adds a clip after those already added.
  ///
  /// - Parameter time: in microseconds since 1970 UTC; 0 if unknown.
  /// - Returns: false if the history has a clip with that time and text.
  public func add(_ text: ClipText, capturedAt time: Int64) throws(StoreError) -> Bool {
    guard let connection else { throw .failed(code: SQLITE_MISUSE) }
    let time = CaptureTime.plausible(time)
    if let newest, time != newest {
      if time < newest { present = try Self.clips(of: connection.database) }
      added = [:]
      self.newest = time > newest ? time : nil
    }
    let hash = Clip.Full.hash(of: text.bytes, at: time)
    if let id = idOfPresent(hash) ?? added[hash], try clip(id, hasText: text) { return false }
    added[hash] = try connection.insert(text, capturedAt: time).id
    hasAdded = true
    return true
  }

  /// Sorts all clips by time and commits to disk.
  ///
  /// Clips of the same history keep their order: a clip stays after its predecessor if its time is unknown or not later
  /// than the predecessor's.
  public func finish() throws(StoreError) {
    guard hasAdded else { return }
    var lastID: Int64?
    do throws(StoreError) {
      try commit(&lastID)
    } catch {
      guard error.isDiskFailure, lastID != nil else { throw error }
      // The whole import may be in the log, although perhaps not on disk. Close the connection, because the log is read
      // when the history is next opened, and check then.
      (connection, comparison) = (nil, nil)
      try confirm(lastID, after: error)
    }
  }

  // MARK: -

  /// Returns the latest time of all clips; -1 if the history is empty.
  private static func latestTime(of database: Database) throws(StoreError) -> Int64 {
    var latest: Int64 = -1
    let times = try Statement("SELECT id, captured_at FROM clip ORDER BY id", on: database)
    try times.walk { _ in
      latest = max(latest, times.time(1))
      return true
    }
    return latest
  }

  /// Returns the hashes and ids of all clips, sorted by hash; reads one text at a time.
  private static func clips(of database: Database) throws(StoreError) -> [(hash: Int, id: Int64)] {
    var clips: [(hash: Int, id: Int64)] = []
    let all = try Statement("SELECT id, captured_at, text FROM clip ORDER BY id", on: database)
    try all.walk { id in
      clips.append((Clip.Full.hash(of: all.bytes(2), at: all.time(1)), id))
      return true
    }
    clips.sort { $0.hash < $1.hash }
    return clips
  }

  /// Returns the id of a clip with this hash in `present`.
  ///
  /// Comparing only its text suffices: clips with the same hash have the same text, except for a collision of 64-bit
  /// hashes.
  private func idOfPresent(_ hash: Int) -> Int64? {
    var (low, high) = (0, present.count)
    while low < high {
      let middle = (low + high) / 2
      if present[middle].hash < hash { low = middle + 1 } else { high = middle }
    }
    return low < present.count && present[low].hash == hash ? present[low].id : nil
  }

  private func clip(_ id: Int64, hasText text: ClipText) throws(StoreError) -> Bool {
    try text.bytes.span.withUnsafeBytes { bytes throws(StoreError) in
      try comparison?.first(id, bytes) { $0.integer(0) } != nil
    }
  }

  /// - Parameter lastID: becomes the last assigned id right before `COMMIT`.
  private func commit(_ lastID: inout Int64?) throws(StoreError) {
    guard let connection else { throw .failed(code: SQLITE_MISUSE) }
    let database = connection.database
    try merge(database)
    try connection.forgetLastLook()
    if database.hasMoved { throw .replaced }
    lastID = try database.integer(Schema.lastID)
    try database.execute("COMMIT")
    do throws(StoreError) {
      // Moved rows leave copies of their texts at their old places, which the checkpoint overwrites.
      _ = try database.truncateLog(waiting: 0)
    } catch {
      // Everything is committed; the next start truncates the log.
    }
  }

  /// Checks whether the import is in the file, after `COMMIT` has failed.
  ///
  /// - Throws: `error` unless the last assigned id in the file is `lastID`. Every import raises that id.
  private func confirm(_ lastID: Int64?, after error: StoreError) throws(StoreError) {
    do throws(StoreError) {
      guard try HistoryOpening(location).toRead().integer(Schema.lastID) == lastID else { throw error }
    } catch _ {
      throw error
    }
  }

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
