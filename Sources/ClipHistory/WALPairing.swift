import Glibc

/// Which database file a WAL belongs to, by their inode numbers.
///
/// SQLite applies a WAL to whatever database is next to it. A backup that is put in the place of the database, while a
/// program has it open or after a crash, would be overwritten with the pages of the replaced file. If both numbers
/// have changed, the folder was copied or restored as a whole.
struct WALPairing: Equatable {
  private var database: UInt
  private var wal: UInt

  /// Stores which database the WAL belongs to; call this once SQLite has opened both.
  static func store(_ location: HistoryLocation) throws(StoreError) {
    guard let pair = try current(location), pair != stored(location) else { return }
    let file = open(location.hostMarker, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    // Without the marker file, a replaced database is only noticed while it is open.
    guard file >= 0 else { return }
    defer { close(file) }
    withUnsafeBytes(of: pair) { _ = pwrite(file, $0.baseAddress, $0.count, 0) }
  }

  /// Whether the WAL is not empty and belongs to a database that another file has replaced.
  static func isBroken(_ location: HistoryLocation) throws(StoreError) -> Bool {
    guard try HistoryFolder.size(of: location.wal) ?? 0 > 0, let pair = try current(location),
      let stored = stored(location)
    else { return false }
    return stored.wal == pair.wal && stored.database != pair.database
  }

  private static func current(_ location: HistoryLocation) throws(StoreError) -> WALPairing? {
    guard let database = try HistoryFolder.state(of: location.database)?.inode,
      let wal = try HistoryFolder.state(of: location.wal)?.inode
    else { return nil }
    return WALPairing(database: database, wal: wal)
  }

  private static func stored(_ location: HistoryLocation) -> WALPairing? {
    let file = open(location.hostMarker, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var pair = WALPairing(database: 0, wal: 0)
    let count = withUnsafeMutableBytes(of: &pair) { pread(file, $0.baseAddress, $0.count, 0) }
    return count == MemoryLayout<WALPairing>.size ? pair : nil
  }
}
