import Glibc
import SerialQueue

/// Sets a damaged history aside and copies what is readable into a new history, on a thread of its own.
///
/// Use it for a history that is `.damaged`, while no store or reader of this process has it
/// open.
///
/// ```swift
/// let recovery = try await HistoryRecovery().recover(location)
/// recovery?.clipCount    // 1204
/// recovery?.damagedFile  // ".../history-damaged-2026-11-21-190626.sqlite3"
/// ```
public actor HistoryRecovery {
  /// The result of a recovery.
  public struct Outcome: Sendable, Equatable {
    /// How many clips were recovered.
    public let clipCount: Int
    /// Whether a clip, or a page that may have held clips, could not be read.
    public let isIncomplete: Bool
    /// The path of the damaged file, which was set aside together with its WAL.
    public let damagedFile: String
  }

  private let queue = SerialQueue(label: "org.copypasta.recovery")

  /// Runs the actor on its own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Creates a recovery without accessing any file.
  public init() {}

  /// Recovers a damaged history.
  ///
  /// The damaged file stays as it is, under a dated name in the same folder. Nothing is changed until the new history
  /// is complete and on disk.
  ///
  /// - Returns: nil if the history is in order, or another program has already recovered it.
  /// - Throws: `.foreign` for another program's file, `.newerSchema` for a newer version's, `.locked` if another
  ///   program has the history open, `.diskFull` if there is not enough room for a second history,
  ///   `.cannotBeRecovered` if the folder is not writable. The history is then unchanged, and no second copy is left.
  public func recover(_ location: HistoryLocation) throws(StoreError) -> Outcome? {
    let opening = HistoryOpener(location)
    guard try opening.state() != .missing else { return nil }
    guard HistoryFolder.isWritable(location.folder) else { throw .cannotBeRecovered }
    let lock = try FolderLock(location, alone: true)
    defer { withExtendedLifetime(lock) {} }
    try opening.finishRecovery()
    // After an error, remove the copy of the texts, which may have filled the disk.
    defer { Self.abandon(location) }
    do throws(StoreError) {
      _ = try opening.open(under: nil)
      return nil
    } catch .damaged {
      return try Self.replace(location, keepingClips: true)
    }
  }

  /// Removes the copy that a recovery in this process has made so far, because the process ends now.
  ///
  /// The recovery fails if it has not begun to replace the history, which is then unchanged.
  public static func abandon(_ location: HistoryLocation) {
    for file in location.leftovers { unlink(file) }
  }

  /// Replaces a damaged history with one that has no clip, only its last captured text and its last id.
  ///
  /// - Returns: the number of clips that could have been recovered.
  static func replaceWithEmpty(_ location: HistoryLocation) throws(StoreError) -> Int {
    defer { abandon(location) }
    return try replace(location, keepingClips: false).clipCount
  }

  // MARK: -

  private static func replace(
    _ location: HistoryLocation, keepingClips: Bool
  ) throws(StoreError) -> Outcome {
    let damaged = try HistoryOpener(location).salvaged()
    guard let rows = damaged.salvaged?.rows else { throw .damaged }
    var (clipCount, isIncomplete) = (rows.rows.count, rows.isIncomplete)
    do {
      let connection = try HistoryOpener.create(location)
      try copyMetadata(of: rows, to: connection)
      if keepingClips { clipCount = try copyClips(of: damaged, to: connection, skipped: &isIncomplete) }
      // Truncate the WAL, because only the database file is moved into place.
      guard try connection.database.truncateWAL(waiting: 0) else { throw .locked }
    }
    let damagedFile = try RecoveryInstaller(location: location).install()
    return Outcome(clipCount: clipCount, isIncomplete: isIncomplete, damagedFile: damagedFile)
  }

  /// Copies the readable clips, and returns how many.
  private static func copyClips(
    of damaged: Database, to connection: WriteConnection, skipped isSkipped: inout Bool
  ) throws(StoreError) -> Int {
    let clips = ReadConnection(damaged)
    var (count, byteCount, start) = (0, 0, Int64?.some(.min))
    try connection.database.execute("BEGIN")
    while let clip = try clips.nextClip(from: &start, skipped: &isSkipped) {
      _ = try connection.insert(clip.text, capturedAt: clip.capturedAt, id: clip.id)
      (count, byteCount) = (count + 1, byteCount + clip.text.byteCount)
      // Keep the WAL small.
      if count % 5_000 == 0 || byteCount > 4 << 20 {
        byteCount = 0
        try connection.database.execute("COMMIT; BEGIN")
      }
    }
    try connection.database.execute("COMMIT")
    return count
  }

  /// Copies the last capture, and the largest id, which new ids must exceed.
  private static func copyMetadata(of rows: SalvagedRows, to connection: WriteConnection) throws(StoreError) {
    let database = connection.database
    try database.transaction { () throws(StoreError) in
      if let last = rows.lastCapture {
        try Statement("UPDATE last_capture SET key = ?1", on: database).execute(last.key)
        let fingerprint = HistoryStore.Fingerprint(digest: last.digest, byteCount: last.byteCount)
        try connection.writeLastCapture(fingerprint, capturedAt: last.capturedAt)
      }
      try database.execute(
        """
        INSERT INTO sqlite_sequence SELECT 'clip', 0
          WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'clip');
        UPDATE sqlite_sequence SET seq = max(seq, \(rows.largestID)) WHERE name = 'clip';
        """)
    }
  }
}

/// Replaces the damaged files with the recovered history, and gives the damaged files a dated name.
///
/// These steps can each fail or be interrupted by a crash. Until the damaged database is moved, the damaged history is
/// what counts, and the next start recovers it again. From then on the recovered history counts, and the next start
/// continues. At no step is a WAL or journal next to a database that it does not belong to.
///
/// | step | after a failure here | after a crash here |
/// |---|---|---|
/// | `rescue-unfinished.sqlite3` becomes `history.sqlite3-rescued` | the copy is removed | the next start removes the copy |
/// | the damaged database gets its dated name | the copy is removed | the next start removes the copy |
/// | its WAL and its rollback journal follow | the next start continues | the next start continues |
/// | the wal-index and the damage marker are removed | the next start continues | the next start continues |
/// | `history.sqlite3-rescued` becomes `history.sqlite3` | the next start continues | the recovery is complete |
struct RecoveryInstaller {
  let location: HistoryLocation

  /// Installs the unfinished recovery, which is complete and on disk now.
  ///
  /// - Returns: the new path of the damaged database.
  func install() throws(StoreError) -> String {
    do throws(StoreError) {
      try HistoryFolder.move(location.unfinishedRecovery.database, to: location.finishedRecovery)
      return try finish(isContinued: false)
    } catch {
      if try HistoryFolder.size(of: location.database) != nil { unlink(location.finishedRecovery) }
      throw error
    }
  }

  /// Sets the damaged files aside, and puts the finished recovery in their place.
  ///
  /// - Parameter isContinued: whether the database may have been moved before a crash.
  @discardableResult
  func finish(isContinued: Bool) throws(StoreError) -> String {
    let aside = try Quarantine(in: location.folder).path(isDatabaseMoved: isContinued)
    let hasDatabase = try HistoryFolder.size(of: location.database) != nil
    let files = [
      (location.database, ""), (location.wal, "-wal"), (location.rollbackJournal, "-journal"),
    ]
    for (file, end) in files {
      guard let size = try HistoryFolder.size(of: file) else { continue }
      // A program that only reads may have left an empty WAL.
      if size == 0, !end.isEmpty {
        try HistoryFolder.remove(file)
      } else {
        try HistoryFolder.move(file, to: aside + end)
      }
      chmod(aside + end, 0o600)
    }
    // The index contains only page numbers, and SQLite creates a new index.
    try HistoryFolder.remove(location.walIndex)
    try HistoryFolder.remove(location.damageMarker)
    try HistoryFolder.move(location.finishedRecovery, to: location.database)
    // The database may have been removed, which leaves its WAL.
    return hasDatabase ? aside : aside + "-wal"
  }
}
