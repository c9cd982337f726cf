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
    /// How many clips were found but could not be read.
    public let lostCount: Int
    /// The path of the damaged file, which was set aside together with its log.
    public let damagedFile: String
  }

  private static let batch = 5_000

  private let queue = SerialQueue(label: "org.copypasta.rescue")

  /// Runs the actor on its own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Creates a recovery without accessing any file.
  public init() {}

  /// Recovers a damaged history.
  ///
  /// The damaged file stays as it is, under a dated name in the same folder. Nothing is changed until the new history
  /// is complete and on disk.
  ///
  /// - Returns: nil if the history is not damaged, or another program has already recovered it.
  /// - Throws: `.foreign` for another program's file, `.newerSchema` for a newer version's, `.locked` if another
  ///   program has the history open, `.diskFull` if there is not enough room for a second history,
  ///   `.cannotBeRecovered` if the folder is not writable.
  public func recover(_ location: HistoryLocation) throws(StoreError) -> Outcome? {
    let opening = HistoryOpening(location)
    guard try !opening.isVacant() else { return nil }
    guard HistoryFolder.isWritable(location.folder) else { throw .cannotBeRecovered }
    let lock = try FolderLock(location, alone: true)
    defer { withExtendedLifetime(lock) {} }
    try opening.finishRecovery()
    guard try Self.isDamaged(opening) else { return nil }
    var recovery = try RowRecovery(location)
    try Self.checkIsOurs(recovery)
    Self.remove(location.unfinishedRecovery)
    // After an error, remove the copy of the texts, which may have filled the disk.
    defer { Self.remove(location.unfinishedRecovery) }
    let (clipCount, lostCount) = try Self.carryOver(&recovery, to: location.unfinishedRecovery)
    try Self.finish(location)
    let damagedFile = try RecoveryInstaller(location: location).install()
    return Outcome(clipCount: clipCount, lostCount: lostCount, damagedFile: damagedFile)
  }

  /// Checks every page and every clip of a history, as `HistoryCheck.init` does.
  public func check(_ location: HistoryLocation) throws(StoreError) -> HistoryCheck {
    try HistoryCheck(location)
  }

  // MARK: -

  private static func isDamaged(_ opening: HistoryOpening) throws(StoreError) -> Bool {
    if try opening.isDamaged() { return true }
    do throws(StoreError) {
      _ = try opening.open(under: nil)
      return false
    } catch .damaged {
      return true
    }
  }

  /// Rejects a file that another program, or a newer version, has marked as its own.
  private static func checkIsOurs(_ recovery: RowRecovery) throws(StoreError) {
    guard let header = recovery.pages.schemaVersion else { return }
    if header.applicationID == Schema.applicationID {
      guard header.version <= Schema.version else {
        throw .newerSchema(found: header.version, known: Schema.version)
      }
    } else if header.applicationID != 0 || recovery.positions.isEmpty {
      throw .foreign
    }
  }

  private static func carryOver(
    _ recovery: inout RowRecovery, to location: HistoryLocation
  ) throws(StoreError) -> (kept: Int, lost: Int) {
    let connection = try HistoryOpening(location).open(under: nil)
    var id: Int64?
    /// The fingerprints of the rows recovered so far that have the current `id`.
    var fingerprints: Set<Int> = []
    var kept = 0
    var known = 0
    try inherit(recovery, connection)
    for start in stride(from: 0, to: recovery.positions.count, by: batch) {
      try connection.database.transaction { () throws(StoreError) in
        for index in start..<min(start + batch, recovery.positions.count) {
          let position = recovery.positions[index]
          if position.id != id {
            id = position.id
            fingerprints = []
            known += 1
          }
          guard let clip = recovery.clip(at: position) else { continue }
          let fingerprint = Clip.Full.hash(of: clip.text.bytes, at: clip.capturedAt)
          guard fingerprints.insert(fingerprint).inserted else { continue }
          let isFirst = fingerprints.count == 1
          if !isFirst { known += 1 }
          // A clip whose id is lost or taken gets a new id, higher than all others.
          let ownID = isFirst && RowRecovery.ids.contains(clip.id) ? clip.id : nil
          _ = try connection.insert(clip.text, capturedAt: clip.capturedAt, id: ownID)
          kept += 1
        }
      }
    }
    // Truncate the log, because only the database file is moved into place.
    guard try connection.database.truncateLog(waiting: 0) else { throw .locked }
    return (kept, known - kept)
  }

  /// Copies the last capture and the largest id; call this before copying clips, so that new ids exceed all assigned
  /// ids.
  private static func inherit(_ recovery: RowRecovery, _ connection: WriteConnection) throws(StoreError) {
    let database = connection.database
    try database.transaction { () throws(StoreError) in
      if let last = recovery.lastCapture {
        try Statement("UPDATE last_capture SET key = ?1", on: database).execute(last.key)
        let fingerprint = HistoryStore.Fingerprint(digest: last.digest, byteCount: last.byteCount)
        try connection.writeLastCapture(fingerprint, capturedAt: last.capturedAt)
      }
      try database.execute(
        """
        INSERT INTO sqlite_sequence SELECT 'clip', 0
          WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'clip');
        UPDATE sqlite_sequence SET seq = max(seq, \(recovery.largestID)) WHERE name = 'clip';
        """)
    }
  }

  /// Marks the recovered history as complete by renaming it.
  ///
  /// After that, the next start puts it in place, even if this process crashes.
  private static func finish(_ location: HistoryLocation) throws(StoreError) {
    guard rename(location.unfinishedRecovery.database, location.finishedRecovery) == 0 else {
      throw .folderUnusable(path: location.folder, errno: errno)
    }
    try HistoryFolder.sync(location.folder)
  }

  private static func remove(_ location: HistoryLocation) {
    let files = [
      location.database, location.writeAheadLog, location.sharedMemory, location.creationMarker,
      location.damageMarker,
    ]
    for file in files { unlink(file) }
  }
}

/// Replaces the damaged files with the recovered history, and gives the damaged files a dated name.
///
/// A crash may interrupt this at any step. The database is moved first, so that after a crash the next start finds a
/// recovered history but no database, and continues. A log is never left next to a database that it does not belong to.
struct RecoveryInstaller {
  let location: HistoryLocation

  /// - Returns: the new path of the damaged database.
  func install() throws(StoreError) -> String {
    let aside = try freePath()
    for (file, end) in [(location.database, ""), (location.writeAheadLog, "-wal")] {
      guard rename(file, aside + end) == 0 || errno == ENOENT else { throw failure() }
      chmod(aside + end, 0o600)
      try sync()
    }
    // A program that only reads may have left an empty log.
    if try HistoryFolder.size(of: aside + "-wal") == 0 { unlink(aside + "-wal") }
    // The index contains only page numbers, and SQLite creates a new index.
    unlink(location.sharedMemory)
    unlink(location.damageMarker)
    guard rename(location.finishedRecovery, location.database) == 0 else { throw failure() }
    try sync()
    return aside
  }

  /// Returns an unused path that contains the local date and time.
  private func freePath() throws(StoreError) -> String {
    var now = time(nil)
    var local = tm()
    localtime_r(&now, &local)
    var text = [CChar](repeating: 0, count: 32)
    strftime(&text, text.count, "%Y-%m-%d-%H%M%S", &local)
    let date = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let name = location.folder + "/history-damaged-" + date
    var number = 1
    var path = name + ".sqlite3"
    while try HistoryFolder.size(of: path) != nil {
      number += 1
      path = name + "-\(number).sqlite3"
    }
    return path
  }

  private func sync() throws(StoreError) {
    try HistoryFolder.sync(location.folder)
  }

  private func failure() -> StoreError { .folderUnusable(path: location.folder, errno: errno) }
}
