import CSQLite

/// Iterates over all clips of a history with their whole texts, oldest first, without those that cannot be read.
///
/// A cursor has its own connection, so any single thread can use it while a store and its readers are in use. It holds
/// no SQLite lock between two clips, so the WAL can be truncated, and clips that are deleted in the meantime are
/// skipped. Until the cursor is released, imports and recoveries, which may renumber the clips, throw `.locked`. Only
/// one text at a time is in memory.
///
/// ```swift
/// let clips = try ClipCursor(location: location)
/// while let clip = try clips.next() { write(clip.text.bytes) }
/// clips.isDamaged  // false
/// ```
public final class ClipCursor {
  private let location: HistoryLocation
  private let lock: FolderLock
  private let following: ReopeningReader<ClipWalk>
  /// The smallest possible id of the next clip; nil after the largest possible id.
  private var start: Int64? = .min
  private var hasSkipped = false

  /// Whether a clip could not be read so far.
  public var isIncomplete: Bool { hasSkipped || following.isIncomplete }

  /// Whether the history is damaged, as far as it has been read.
  public var isDamaged: Bool { hasSkipped || following.isDamaged }

  /// Opens an existing history, or a recovered history that is not in place yet.
  ///
  /// - Throws: as `HistoryStore.init` does, but never `.damaged`; also `.locked` during an import.
  public init(location: HistoryLocation) throws(StoreError) {
    self.location = location
    lock = try HistoryOpener(location).lockToReadAll()
    following = try ReopeningReader(HistoryOpener(location), salvages: true)
    try following.read { clips throws(StoreError) in try clips.checkSearch() }
  }

  /// Returns the next newer clip that can be read; nil after the newest.
  public func next() throws(StoreError) -> Clip.Full? {
    var (next, wasSkipped) = (start, false)
    let clip = try following.read { clips throws(StoreError) in
      (next, wasSkipped) = (start, false)
      return try clips.next(from: &next, skipped: &wasSkipped)
    }
    if wasSkipped {
      hasSkipped = true
      HistoryFolder.markDamaged(location.database)
    }
    start = next
    return clip
  }
}

/// The statements that iterate over all clips.
struct ClipWalk: PreparedReads {
  let database: Database
  private let clip: Statement
  private let id: Statement

  init(_ database: Database) throws(StoreError) {
    self.database = database
    clip = try Statement(
      "SELECT id, captured_at, text FROM clip WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1", on: database)
    id = try Statement("SELECT id FROM clip WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1", on: database)
  }

  /// Searches for every clip by its id, without reading texts.
  ///
  /// A damaged id, or a damaged key in an interior page, makes such a search skip clips.
  ///
  /// - Throws: `.damaged` if a search does not find every clip.
  func checkSearch() throws(StoreError) {
    guard database.salvaged == nil else { return }
    let ids = try Statement(
      "SELECT id, EXISTS (SELECT 1 FROM clip AS found WHERE found.id = clip.id) FROM clip ORDER BY id",
      on: database)
    try ids.walk { _ throws(StoreError) in
      guard ids.integer(1) == 1 else { throw database.failure(SQLITE_CORRUPT) }
      return true
    }
  }

  /// Returns the first readable clip with an id from `start` on, and moves `start` past it; nil if there is none.
  ///
  /// - Parameter isSkipped: becomes true if a clip was skipped because it cannot be read.
  func next(from start: inout Int64?, skipped isSkipped: inout Bool) throws(StoreError) -> Clip.Full? {
    while start != nil {
      do throws(StoreError) {
        let found = try clip.nextClip(from: &start) {
          (id: $0.integer(0), time: $0.time(1), bytes: $0.bytes(2))
        }
        guard let found else { return nil }
        if let text = Self.text(found.bytes) {
          return Clip.Full(id: found.id, capturedAt: found.time, text: text)
        }
      } catch {
        guard error == .clipUnreadable else { throw error }
        _ = try id.nextClip(from: &start) { _ in true }
      }
      isSkipped = true
    }
    return nil
  }

  private static func text(_ bytes: [UInt8]) -> ClipText? {
    do { return try ClipText(validating: bytes) } catch { return nil }
  }
}
