import Glibc
import SerialQueue

/// Sets a damaged history aside and carries over what can be read of it, on a thread of its own.
///
/// For a history whose `HistoryStore.init` threw `.damaged`. No store and no reader of this process may have it open.
///
/// ```swift
/// let rescue = try await HistoryRescuer().rescue(location)
/// rescue?.clipCount    // 1204
/// rescue?.damagedFile  // ".../history-damaged-2026-11-21-190626.sqlite3"
/// ```
public actor HistoryRescuer {
  /// The result of a rescue.
  public struct Outcome: Sendable, Equatable {
    /// How many clips were carried over.
    public let clipCount: Int
    /// How many clips were lost, because not all of them could be read.
    public let lostCount: Int
    /// The path of the damaged file, which was set aside with its log beside it.
    public let damagedFile: String
  }

  /// How many clips are carried over in one transaction.
  private static let batch = 5_000

  private let queue = SerialQueue(label: "org.copypasta.rescue")

  /// The thread that the rescuer runs on.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Makes a rescuer; touches nothing.
  public init() {}

  /// Makes a sound history of a damaged one.
  ///
  /// The damaged file stays as it is, under a dated name in the same folder. Until the new history is complete and
  /// on disk nothing is changed.
  /// - Returns: nil if the history is sound, or another program has rescued it meanwhile.
  /// - Throws: `.foreign` and `.newerSchema` for files that are not ours to touch, `.locked` if another program has the
  ///   history open, `.diskFull` if there is no room for a second one.
  public func rescue(_ location: HistoryLocation) throws(StoreError) -> Outcome? {
    let opening = HistoryOpening(location)
    guard try !opening.isVacant() else { return nil }
    guard HistoryFolder.isWritable(location.folder) else { throw .cannotBeRescued }
    let lock = try FolderLock(location, alone: true)
    defer { withExtendedLifetime(lock) {} }
    try opening.finishRescue()
    guard try Self.isDamaged(opening) else { return nil }
    var salvage = try Salvage(location)
    try Self.checkIsOurs(salvage)
    Self.remove(location.unfinishedRescue)
    let (clipCount, lostCount) = try Self.carryOver(&salvage, to: location.unfinishedRescue)
    try Self.finish(location)
    let damagedFile = try RescueInstaller(location: location).install()
    return Outcome(clipCount: clipCount, lostCount: lostCount, damagedFile: damagedFile)
  }

  /// Looks at every page and every clip of a history, as `HistoryCheck.init` does.
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

  /// Leaves a file alone that another program, or a newer version, has marked as its own.
  private static func checkIsOurs(_ salvage: Salvage) throws(StoreError) {
    guard let marks = salvage.pages.marks else { return }
    if marks.applicationID == Schema.applicationID {
      guard marks.version <= Schema.version else {
        throw .newerSchema(found: marks.version, known: Schema.version)
      }
    } else if marks.applicationID != 0 || salvage.positions.isEmpty {
      throw .foreign
    }
  }

  private static func carryOver(
    _ salvage: inout Salvage, to location: HistoryLocation
  ) throws(StoreError) -> (kept: Int, lost: Int) {
    let session = try HistoryOpening(location).open(under: nil)
    var id: Int64?
    /// The fingerprints of the rows of this id that were carried over.
    var fingerprints: Set<Int> = []
    var kept = 0
    var known = 0
    try inherit(salvage, session)
    for start in stride(from: 0, to: salvage.positions.count, by: batch) {
      try session.database.transaction { () throws(StoreError) in
        for index in start..<min(start + batch, salvage.positions.count) {
          let position = salvage.positions[index]
          if position.id != id {
            id = position.id
            fingerprints = []
            known += 1
          }
          guard let clip = salvage.clip(at: position) else { continue }
          let fingerprint = Clip.Whole.hash(of: clip.text.bytes, at: clip.capturedAt)
          guard fingerprints.insert(fingerprint).inserted else { continue }
          let isFirst = fingerprints.count == 1
          if !isFirst { known += 1 }
          // A clip whose id is no longer known comes after the others, with a new one.
          let ownID = isFirst && Salvage.ids.contains(clip.id) ? clip.id : nil
          _ = try session.insert(clip.text, capturedAt: clip.capturedAt, id: ownID)
          kept += 1
        }
      }
    }
    // Only the database is moved to its place, without the log.
    guard try session.database.truncateLog(waiting: 0) else { throw .locked }
    return (kept, known - kept)
  }

  /// Takes over what the damaged history knew besides its clips; comes before the clips, so that new ids come after all
  /// that were given out.
  private static func inherit(_ salvage: Salvage, _ session: WritingSession) throws(StoreError) {
    let database = session.database
    try database.transaction { () throws(StoreError) in
      if let last = salvage.lastCapture {
        try Statement("UPDATE last_capture SET key = ?1", on: database).execute(last.key)
        let fingerprint = HistoryStore.Fingerprint(digest: last.digest, byteCount: last.byteCount)
        try session.writeLastCapture(fingerprint, capturedAt: last.capturedAt)
      }
      try database.execute(
        """
        INSERT INTO sqlite_sequence SELECT 'clip', 0
          WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'clip');
        UPDATE sqlite_sequence SET seq = max(seq, \(salvage.largestID)) WHERE name = 'clip';
        """)
    }
  }

  /// Says that the rescue is complete: from now on a start puts it in its place, whatever ends this program.
  private static func finish(_ location: HistoryLocation) throws(StoreError) {
    guard rename(location.unfinishedRescue.database, location.finishedRescue) == 0 else {
      throw .folderUnusable(path: location.folder, errno: errno)
    }
    try HistoryFolder.sync(location.folder)
    remove(location.unfinishedRescue)
  }

  private static func remove(_ location: HistoryLocation) {
    let files = [
      location.database, location.writeAheadLog, location.sharedMemory, location.creationMark,
      location.damageMark,
    ]
    for file in files { unlink(file) }
  }
}

/// Puts a finished rescue in the place of the damaged files, which get a dated name.
///
/// A crash may interrupt this anywhere: the database goes first, and a start that finds none, but a finished rescue,
/// goes on from there. A log never lies beside another database than its own.
struct RescueInstaller {
  let location: HistoryLocation

  /// - Returns: the path that the damaged database has now.
  func install() throws(StoreError) -> String {
    let aside = try freePath()
    for (file, end) in [(location.database, ""), (location.writeAheadLog, "-wal")] {
      guard rename(file, aside + end) == 0 || errno == ENOENT else { throw failure() }
      chmod(aside + end, 0o600)
      try sync()
    }
    // An empty log holds nothing: another program that only reads a history leaves one.
    if try HistoryFolder.size(of: aside + "-wal") == 0 { unlink(aside + "-wal") }
    // The index holds page numbers only, and SQLite makes a new one.
    unlink(location.sharedMemory)
    unlink(location.damageMark)
    guard rename(location.finishedRescue, location.database) == 0 else { throw failure() }
    try sync()
    return aside
  }

  /// A name by the local time that no file has.
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
