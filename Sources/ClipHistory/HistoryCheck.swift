import CSQLite

/// The result of checking every page and every clip of a history; contains numbers, no text.
///
/// ```swift
/// let check = try HistoryCheck(location)
/// check.isSound    // true
/// check.clipCount  // 1204
/// ```
public struct HistoryCheck: Sendable, Equatable {
  /// How many clips were checked.
  public private(set) var clipCount = 0
  /// How many clips hold bytes that are not valid text.
  public private(set) var unreadableCount = 0
  /// How many clips have an invalid id, time, size or preview.
  public private(set) var wrongCount = 0
  /// The size of the database in bytes.
  public private(set) var fileSize = 0
  /// Whether SQLite's integrity check and the check of the other tables succeeded.
  public private(set) var isStructureSound = true

  /// Whether the check found nothing wrong.
  public var isSound: Bool { isStructureSound && unreadableCount == 0 && wrongCount == 0 }

  /// Reads the whole history, one text at a time, and changes nothing in it.
  ///
  /// If it finds damage, it creates the damage marker, so that the next start recovers the history even if SQLite would
  /// not detect the damage. The integrity check is a single read transaction, which may take several seconds for a
  /// large file; a text that is deleted meanwhile stays in the WAL until the check ends.
  ///
  /// - Throws: why the history cannot be checked, but never `.damaged`.
  public init(_ location: HistoryLocation) throws(StoreError) {
    do throws(StoreError) {
      let opening = HistoryOpener(location)
      let lock = try opening.lockToReadAll()
      defer { withExtendedLifetime(lock) {} }
      if try opening.isDamaged() { throw .damaged }
      let database = try opening.openForReading()
      _ = try Schema.version(of: database)
      fileSize = try HistoryFolder.size(of: database.path) ?? 0
      guard try database.string("PRAGMA integrity_check(1)") == "ok" else { throw .damaged }
      try checkClips(database)
      try checkRest(database)
      if database.isStale { throw .replaced }
    } catch .damaged {
      isStructureSound = false
    }
    if !isSound { HistoryFolder.markDamaged(location.database) }
  }

  private mutating func checkClips(_ database: Database) throws(StoreError) {
    // Run one statement per clip, because a long read would keep deleted texts in the WAL.
    let next = try Statement(
      """
      SELECT id, captured_at, byte_count, preview IS NULL, preview, text FROM clip
      WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1
      """, on: database)
    // Report ids below 1 here, because the loop below starts at 1.
    var start: Int64? = 1
    if try database.integer("SELECT coalesce(min(id), 1) FROM clip") ?? 1 < 1 { wrongCount += 1 }
    while try next.nextClip(from: &start, read: { check($0) }) != nil {}
  }

  private mutating func check(_ statement: Statement) {
    clipCount += 1
    guard let text = ClipText(statement.bytes(5)) else { return unreadableCount += 1 }
    let isWhole = statement.integer(3) != 0
    let isRight =
      statement.integer(0) <= Schema.largestID
      && (statement.integer(1) == CaptureTime.unknown || statement.time(1) != CaptureTime.unknown)
      && statement.integer(2) == text.byteCount && isWhole == (text.byteCount <= Preview.byteLimit)
      && statement.byteCount(4) <= Preview.byteLimit
    if !isRight { wrongCount += 1 }
  }

  private func checkRest(_ database: Database) throws(StoreError) {
    try Schema.checkIDs(of: database)
    let isRight = try database.integer(
      """
      SELECT count(*) FROM last_capture
      WHERE \(Schema.isLastCapture) AND byte_count >= 0 AND captured_at BETWEEN 0 AND \(CaptureTime.latest)
        AND (SELECT coalesce(max(id), 0) FROM clip)
          <= (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'clip')
      """)
    guard isRight == 1 else { throw .damaged }
    // Files of version 1 have no `last_look`.
    guard try Schema.version(of: database) > 1 else { return }
    let isLookRight = try database.integer("SELECT count(*) FROM last_look WHERE \(Schema.isLastCheck)")
    guard isLookRight == 1 else { throw .damaged }
  }
}
