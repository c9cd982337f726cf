import Glibc
import SerialQueue

/// Sets a damaged history aside and copies what is readable into a new history, on a thread of its own.
///
/// Use it for a history whose `HistoryStore.init` threw `.damaged`, while no store or reader of this process has it
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
    /// The number of clips that could not be read, or an upper bound if clips were deleted on a damaged page.
    public let lostCount: Int
    /// The path of the damaged file, which was set aside together with its log; nil if the file was sound and only had
    /// another layout.
    public let damagedFile: String?
  }

  /// The limits of one transaction, in rows and in bytes of text, so that the log of the new history stays small.
  private static let batch = (rows: 5_000, bytes: 4 << 20)

  /// How much free space a recovery needs for a history of `size` bytes, unless single texts are larger than a batch.
  static func room(for size: Int) -> Int {
    let logIndex = 64 << 10
    return size + min(size, 2 * batch.bytes) + logIndex
  }

  private let queue = SerialQueue(label: "org.copypasta.recovery")

  /// Runs the actor on its own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Creates a recovery without accessing any file.
  public init() {}

  /// Recovers a damaged history, or rewrites one whose layout another program has changed.
  ///
  /// The damaged file stays as it is, under a dated name in the same folder. Nothing is changed until the new history
  /// is complete and on disk.
  ///
  /// - Returns: nil if the history is in order, or another program has already recovered it.
  /// - Throws: `.foreign` for another program's file, `.newerSchema` for a newer version's, `.locked` if another
  ///   program has the history open, `.diskFull` if there is not enough room for a second history,
  ///   `.cannotBeRecovered` if the folder is not writable. The history is then unchanged, and no second copy is left.
  public func recover(_ location: HistoryLocation) throws(StoreError) -> Outcome? {
    let opening = HistoryOpening(location)
    guard try !opening.isVacant() else { return nil }
    guard HistoryFolder.isWritable(location.folder) else { throw .cannotBeRecovered }
    let lock = try FolderLock(location, alone: true)
    defer { withExtendedLifetime(lock) {} }
    try opening.finishRecovery()
    // After an error, remove the copy of the texts, which may have filled the disk.
    defer { Self.abandon(location) }
    do throws(StoreError) {
      guard try !opening.isDamaged() else { throw .damaged }
      guard try opening.hasOtherLayout() else { return nil }
      return try Self.rewrite(location)
    } catch .damaged {
      return try Self.recoverRows(of: location)
    }
  }

  /// Removes the copy that a recovery in this process has made so far, because the process ends now.
  ///
  /// The recovery fails if it has not begun to replace the history, which is then unchanged.
  public static func abandon(_ location: HistoryLocation) {
    for file in location.leftovers { unlink(file) }
  }

  /// Checks every page and every clip of a history, as `HistoryCheck.init` does.
  public func check(_ location: HistoryLocation) throws(StoreError) -> HistoryCheck {
    try HistoryCheck(location)
  }

  // MARK: -

  /// Replaces a damaged history with one that has no clip, only its last captured text and its last id.
  ///
  /// - Returns: the number of clips that could have been recovered.
  static func replaceWithEmpty(_ location: HistoryLocation) throws(StoreError) -> Int {
    defer { abandon(location) }
    let recovery = try RowRecovery(location)
    try recovery.checkIsOurs()
    for file in location.leftovers { try HistoryFolder.remove(file) }
    do {
      let connection = try HistoryOpening(location.unfinishedRecovery).open(under: nil)
      try copyMetadata(of: recovery, to: connection)
      guard try connection.database.truncateLog(waiting: 0) else { throw .locked }
    }
    _ = try RecoveryInstaller(location: location).install()
    return recovery.positions.count
  }

  private static func recoverRows(of location: HistoryLocation) throws(StoreError) -> Outcome {
    var recovery = try RowRecovery(location)
    try recovery.checkIsOurs()
    for file in location.leftovers { try HistoryFolder.remove(file) }
    let (clipCount, lostCount) = try copyRows(&recovery, to: location.unfinishedRecovery)
    let damagedFile = try RecoveryInstaller(location: location).install()
    return Outcome(clipCount: clipCount, lostCount: lostCount, damagedFile: damagedFile)
  }

  private static func copyRows(
    _ recovery: inout RowRecovery, to location: HistoryLocation
  ) throws(StoreError) -> (kept: Int, lost: Int) {
    let connection = try HistoryOpening(location).open(under: nil)
    var kept = 0
    try copyMetadata(of: recovery, to: connection)
    var index = 0
    while index < recovery.positions.count {
      try connection.database.transaction { () throws(StoreError) in
        let end = min(index + batch.rows, recovery.positions.count)
        var byteCount = 0
        while index < end, byteCount < batch.bytes {
          defer { index += 1 }
          guard let clip = recovery.clip(at: recovery.positions[index]) else { continue }
          byteCount += clip.text.byteCount
          _ = try connection.insert(clip.text, capturedAt: clip.capturedAt, id: clip.id)
          kept += 1
        }
      }
    }
    // Truncate the log, because only the database file is moved into place.
    guard try connection.database.truncateLog(waiting: 0) else { throw .locked }
    return (kept, recovery.positions.count - kept + recovery.lostCount)
  }

  /// Copies the last capture, and the largest id, which new ids must exceed.
  private static func copyMetadata(
    of recovery: RowRecovery, to connection: WriteConnection
  ) throws(StoreError) {
    let database = connection.database
    try database.transaction { () throws(StoreError) in
      if let last = recovery.lastCapture {
        try Statement("UPDATE last_capture SET key = ?1", on: database).execute(last.key)
        let fingerprint = HistoryStore.Fingerprint(digest: last.digest, byteCount: last.byteCount)
        try connection.writeLastCapture(fingerprint, capturedAt: last.capturedAt)
      }
      try raiseLastID(of: database, to: recovery.largestID)
    }
  }

  // MARK: - Another layout

  /// Copies a sound history into a file with our layout, and replaces the history with it in one step.
  ///
  /// `VACUUM INTO` cannot do this, because it keeps the encoding.
  private static func rewrite(_ location: HistoryLocation) throws(StoreError) -> Outcome {
    var count = 0
    do {
      let old = try HistoryOpening(location).open(under: nil, withAnyLayout: true)
      // Keep other programs, such as an SQLite shell, from writing during the copy.
      try old.database.execute("BEGIN IMMEDIATE")
      let new = try HistoryOpening(location.unfinishedRecovery).open(under: nil)
      try new.database.transaction { () throws(StoreError) in count = try copy(old, to: new) }
      guard try new.database.truncateLog(waiting: 0) else { throw .locked }
    }
    // Closing the last connection has moved the log into the database and removed it. A log that is still there belongs
    // to the old file, so another program has that file open.
    for file in [location.writeAheadLog, location.rollbackJournal] {
      guard try HistoryFolder.size(of: file) ?? 0 == 0 else { throw .locked }
      try HistoryFolder.remove(file)
    }
    try HistoryFolder.remove(location.sharedMemory)
    guard rename(location.unfinishedRecovery.database, location.database) == 0 else {
      throw .folderUnusable(path: location.folder, errno: errno)
    }
    try HistoryFolder.sync(location.folder)
    return Outcome(clipCount: count, lostCount: 0, damagedFile: nil)
  }

  private static func copy(_ old: WriteConnection, to new: WriteConnection) throws(StoreError) -> Int {
    let last = try old.readLastCapture()
    try Statement("UPDATE last_capture SET key = ?1", on: new.database).execute(old.key)
    try new.writeLastCapture(last.fingerprint, capturedAt: last.capturedAt)
    if let look = try old.readLastLook() { try new.writeLastLook(look) }
    try raiseLastID(of: new.database, to: try old.database.integer(Schema.lastID) ?? 0)
    var count = 0
    let rows = try Statement(
      "SELECT id, captured_at, text, byte_count FROM clip ORDER BY id", on: old.database)
    try rows.walk { id throws(StoreError) in
      let text = try old.database.text(rows.bytes(2))
      // Damage can make the texts appear to have another encoding.
      guard text.byteCount == Int(rows.integer(3)) else { throw .damaged }
      _ = try new.insert(text, capturedAt: rows.integer(1), id: id)
      count += 1
      return true
    }
    return count
  }

  /// Makes new ids exceed `id`.
  private static func raiseLastID(of database: Database, to id: Int64) throws(StoreError) {
    try database.execute(
      """
      INSERT INTO sqlite_sequence SELECT 'clip', 0
        WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'clip');
      UPDATE sqlite_sequence SET seq = max(seq, \(id)) WHERE name = 'clip';
      """)
  }
}

extension RowRecovery {
  /// Rejects a file that another program, or a newer version, has marked as its own.
  func checkIsOurs() throws(StoreError) {
    guard let header = pages.schemaVersion else { return }
    if header.applicationID == Schema.applicationID {
      // A negative version is damage.
      guard header.version <= Schema.version || header.version > Int(Int32.max) else {
        throw .newerSchema(found: header.version, known: Schema.version)
      }
    } else if header.applicationID != 0 || positions.isEmpty {
      throw .foreign
    }
  }
}

/// Replaces the damaged files with the recovered history, and gives the damaged files a dated name.
///
/// These steps can each fail or be interrupted by a crash. Until the damaged database is moved, the damaged history is
/// what counts, and the next start recovers it again. From then on the recovered history counts, and the next start
/// continues. At no step is a log or journal next to a database that it does not belong to.
///
/// | step | after a failure here | after a crash here |
/// |---|---|---|
/// | `rescue-unfinished.sqlite3` becomes `history.sqlite3-rescued` | the copy is removed | the next start removes the copy |
/// | the damaged database gets its dated name | the copy is removed | the next start removes the copy |
/// | its log and its journal follow | the next start continues | the next start continues |
/// | the log's index and the damage marker are removed | the next start continues | the next start continues |
/// | `history.sqlite3-rescued` becomes `history.sqlite3` | the next start continues | the recovery is complete |
struct RecoveryInstaller {
  let location: HistoryLocation

  /// Installs the unfinished recovery, which is complete and on disk now.
  ///
  /// - Returns: the new path of the damaged database.
  func install() throws(StoreError) -> String {
    do throws(StoreError) {
      try move(location.unfinishedRecovery.database, to: location.finishedRecovery)
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
    let aside = try SetAside(in: location.folder).path(isDatabaseMoved: isContinued)
    let files = [
      (location.database, ""), (location.writeAheadLog, "-wal"), (location.rollbackJournal, "-journal"),
    ]
    for (file, end) in files {
      guard let size = try HistoryFolder.size(of: file) else { continue }
      // A program that only reads may have left an empty log.
      if size == 0, !end.isEmpty { try HistoryFolder.remove(file) } else { try move(file, to: aside + end) }
      chmod(aside + end, 0o600)
    }
    // The index contains only page numbers, and SQLite creates a new index.
    try HistoryFolder.remove(location.sharedMemory)
    try HistoryFolder.remove(location.damageMarker)
    try move(location.finishedRecovery, to: location.database)
    return aside
  }

  private func move(_ file: String, to path: String) throws(StoreError) {
    guard rename(file, path) == 0 else { throw .folderUnusable(path: location.folder, errno: errno) }
    try HistoryFolder.sync(location.folder)
  }
}
