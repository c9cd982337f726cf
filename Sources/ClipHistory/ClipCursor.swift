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
  private let following: ReopeningReader
  /// The smallest possible id of the next clip; nil after the largest possible id.
  private var start: Int64? = .min
  private var hasSkipped = false

  /// Whether a clip could not be read so far.
  public var isIncomplete: Bool { hasSkipped || following.isIncomplete }

  /// Whether the history is damaged, as far as it has been read.
  public var isDamaged: Bool { hasSkipped || following.isDamaged }

  /// Opens an existing history, or a recovered history that is not in place yet.
  ///
  /// - Throws: why the history cannot be opened, but never `.damaged`; also `.locked` during an import.
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
      return try clips.nextClip(from: &next, skipped: &wasSkipped)
    }
    if wasSkipped {
      hasSkipped = true
      HistoryFolder.markDamaged(location.database)
    }
    start = next
    return clip
  }
}
