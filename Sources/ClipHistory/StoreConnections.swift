import CSQLite

/// Reads a history, on a write connection or on a connection of its own; compiles each statement at its first use.
final class ReadConnection {
  let database: Database
  private var statements: [String: Statement] = [:]

  /// The query for every page.
  ///
  /// It reads `text` only if `preview` is NULL, that is, if the text is short, so SQLite never loads a large text for
  /// the list.
  static let pageQuery = """
    SELECT id, captured_at, byte_count, coalesce(preview, text), preview IS NULL FROM clip
    WHERE id <= ?1 ORDER BY id DESC LIMIT ?2
    """

  init(_ database: Database) { self.database = database }

  func statement(_ sql: String) throws(StoreError) -> Statement {
    if let statement = statements[sql] { return statement }
    let statement = try Statement(sql, on: database)
    statements[sql] = statement
    return statement
  }

  func text(of id: Int64) throws(StoreError) -> ClipText? {
    let text = try statement("SELECT text FROM clip WHERE id = ?1")
    guard let bytes = try text.first(id, read: { $0.bytes(0) }) else {
      try confirmAbsence(of: id)
      return nil
    }
    return try database.text(bytes)
  }

  /// Reads every row, after a clip was not found by its id.
  ///
  /// - Throws: `.damaged` if the clip exists after all: a damaged key in an interior page hides it from SQLite's
  ///   search.
  func confirmAbsence(of id: Int64) throws(StoreError) {
    // The unary plus disables the search by id, so that every row is read.
    let misplaced = try statement(
      "SELECT 1 FROM clip WHERE +id = ?1 AND NOT EXISTS (SELECT 1 FROM clip WHERE id = ?1)")
    if try misplaced.first(id, read: { $0.integer(0) }) != nil { throw database.failure(SQLITE_CORRUPT) }
  }

  /// Searches for every clip by its id, without reading texts.
  ///
  /// A damaged id, or a damaged key in an interior page, makes such a search skip clips.
  ///
  /// - Throws: `.damaged` if a search does not find every clip.
  func checkSearch() throws(StoreError) {
    guard database.salvaged == nil else { return }
    let ids = try statement(
      "SELECT id, EXISTS (SELECT 1 FROM clip AS found WHERE found.id = clip.id) FROM clip ORDER BY id")
    try ids.walk { _ throws(StoreError) in
      guard ids.integer(1) == 1 else { throw database.failure(SQLITE_CORRUPT) }
      return true
    }
  }

  /// Returns the first readable clip with an id from `start` on, and moves `start` past it; nil if there is none.
  ///
  /// - Parameter isSkipped: becomes true if a clip was skipped because it cannot be read.
  func nextClip(from start: inout Int64?, skipped isSkipped: inout Bool) throws(StoreError) -> Clip.Full? {
    let next = "FROM clip WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1"
    let clip = try statement("SELECT id, captured_at, text " + next)
    while start != nil {
      do throws(StoreError) {
        let found = try clip.nextClip(from: &start) {
          (id: $0.integer(0), time: $0.time(1), bytes: $0.bytes(2))
        }
        guard let found else { return nil }
        if let text = ClipText(found.bytes) {
          return Clip.Full(id: found.id, capturedAt: found.time, text: text)
        }
      } catch {
        guard error == .clipUnreadable else { throw error }
        _ = try statement("SELECT id " + next).nextClip(from: &start) { _ in true }
      }
      isSkipped = true
    }
    return nil
  }
}

/// The connection that writes a history.
struct WriteConnection {
  let reads: ReadConnection
  /// The key of the fingerprint.
  let key: [UInt8]

  /// Whether another file has replaced the database that the WAL belonged to.
  var hasReplacedDatabase = false

  /// Excludes recoveries and imports while the connection is open.
  private let lock: FolderLock?

  /// The size in bytes above which a text that cannot be checkpointed would fill the disk.
  private static let large = 1 << 20

  /// - Parameter lock: is held until the connection is released.
  /// - Throws: `.damaged` if a table of a single row has none.
  init(_ database: Database, lock: FolderLock?) throws(StoreError) {
    (reads, self.lock) = (ReadConnection(database), lock)
    let key = try Statement("SELECT key FROM last_capture WHERE \(Schema.isLastCapture)", on: database)
    guard let key = try key.first(read: { $0.bytes(0) }) else { throw .damaged }
    self.key = key
    _ = try readLastCheck()
    database.rememberWAL()
  }

  var database: Database { reads.database }

  func readLastCapture() throws(StoreError) -> (fingerprint: HistoryStore.Fingerprint, capturedAt: Int64) {
    let last = try reads.statement("SELECT digest, byte_count, captured_at FROM last_capture").first {
      (HistoryStore.Fingerprint(digest: $0.bytes(0), byteCount: Int($0.integer(1))), capturedAt: $0.time(2))
    }
    guard let last else { throw .damaged }
    return last
  }

  func writeLastCapture(_ fingerprint: HistoryStore.Fingerprint, capturedAt: Int64) throws(StoreError) {
    try reads.statement("UPDATE last_capture SET digest = ?1, byte_count = ?2, captured_at = ?3")
      .execute(fingerprint.digest, Int64(fingerprint.byteCount), capturedAt)
  }

  /// Returns the clocks at the last check for expired clips; nil before the first check, or if the stored time is
  /// implausible.
  func readLastCheck() throws(StoreError) -> ClockReading? {
    let look = "SELECT wall_time, boot_time, boot_id FROM last_look WHERE \(Schema.isLastCheck)"
    let last = try reads.statement(look).first {
      ClockReading(wallTime: $0.integer(0), bootTime: $0.integer(1), bootID: $0.string(2, atMost: 64))
    }
    guard let last else { throw database.failure(SQLITE_CORRUPT) }
    return last.isPlausible ? last : nil
  }

  func writeLastCheck(_ reading: ClockReading) throws(StoreError) {
    try reads.statement("UPDATE last_look SET wall_time = ?1, boot_time = ?2, boot_id = ?3")
      .execute(reading.wallTime, reading.bootTime, reading.bootID)
  }

  /// Forgets the last check, because the clips have changed; the next check for expired clips then asks the user.
  func forgetLastCheck() throws(StoreError) {
    try writeLastCheck(ClockReading(wallTime: 0, bootTime: 0, bootID: ""))
  }

  func newestIs(_ text: ClipText) throws(StoreError) -> Bool {
    // Use CASE, because AND may read the text, however large, even if the sizes differ.
    let newest = try reads.statement(
      "SELECT CASE WHEN byte_count = ?1 THEN text = ?2 ELSE 0 END FROM clip ORDER BY id DESC LIMIT 1")
    return try text.bytes.span.withUnsafeBytes { bytes throws(StoreError) in
      try newest.first(Int64(text.byteCount), bytes) { $0.integer(0) } == 1
    }
  }

  /// Adds a deleted row again with its old id, in a transaction.
  ///
  /// - Throws: `.damaged` if the deleted bytes were not valid text.
  func restore(_ deleted: DeletedClip) throws(StoreError) -> Clip {
    // Validate before the transaction, because other programs cannot write during it.
    let text = try database.text(deleted.bytes)
    return try database.transaction { () throws(StoreError) in
      try insert(text, capturedAt: deleted.capturedAt, id: deleted.id)
    }
  }

  /// Adds a row without copying its text; assigns a new id if `id` is nil.
  func insert(_ text: ClipText, capturedAt: Int64, id: Int64? = nil) throws(StoreError) -> Clip {
    if text.byteCount > Self.large { try database.checkRoom(forTextOf: text.byteCount) }
    let preview = Preview.make(of: text)
    let insertion = try reads.statement(
      "INSERT INTO clip(captured_at, byte_count, preview, text, id) VALUES (?1, ?2, ?3, ?4, ?5)")
    try text.bytes.span.withUnsafeBytes { bytes throws(StoreError) in
      do throws(StoreError) {
        // SQLite assigns the next id for NULL.
        try insertion.execute(capturedAt, Int64(text.byteCount), preview, bytes, id)
      } catch {
        // SQLite reports a full disk if a row has the largest possible id. Before an id is assigned, the trigger that
        // looks for a row with the same id sees -1.
        if id == nil, error == .diskFull || error == .alreadyThere { try Schema.checkIDs(of: database) }
        throw error
      }
    }
    return Clip(
      id: database.lastInsertedID, capturedAt: capturedAt, byteCount: text.byteCount,
      preview: preview ?? String(decoding: text.bytes, as: UTF8.self))
  }

  /// Deletes every row, and returns how many.
  func deleteAll() throws(StoreError) -> Int {
    try database.transaction { () throws(StoreError) in
      try database.execute("DELETE FROM clip")
      return Int(try database.integer("SELECT changes()") ?? 0)
    }
  }

  /// Deletes a row.
  ///
  /// - Returns: the deleted clip; nil if it did not exist.
  func delete(_ id: Int64) throws(StoreError) -> DeletedClip? {
    let found = try reads.statement("SELECT captured_at, text FROM clip WHERE id = ?1").first(id) {
      DeletedClip(id: id, capturedAt: $0.time(0), bytes: $0.bytes(1))
    }
    if found != nil { try reads.statement("DELETE FROM clip WHERE id = ?1").execute(id) }
    return found
  }
}
