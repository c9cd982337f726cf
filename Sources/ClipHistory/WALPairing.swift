import CSQLite
import Glibc

/// Which database file a WAL belongs to.
///
/// SQLite applies a WAL to whatever database is next to it. A backup that is put in the place of the database, while a
/// program has it open or after a crash, would be overwritten with the pages of the replaced file. If both files
/// have changed, the folder was copied or restored as a whole.
struct WALPairing: Equatable {
  private var database: FileIdentity
  private var wal: FileIdentity

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
    return stored.wal.mayBe(pair.wal) && !stored.database.mayBe(pair.database)
  }

  private static func current(_ location: HistoryLocation) throws(StoreError) -> WALPairing? {
    guard let database = try FileIdentity(location.database), let wal = try FileIdentity(location.wal)
    else { return nil }
    return WALPairing(database: database, wal: wal)
  }

  private static func stored(_ location: HistoryLocation) -> WALPairing? {
    let file = open(location.hostMarker, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var pair = WALPairing(database: FileIdentity(), wal: FileIdentity())
    let count = withUnsafeMutableBytes(of: &pair) { pread(file, $0.baseAddress, $0.count, 0) }
    return count == MemoryLayout<WALPairing>.size ? pair : nil
  }
}

/// The inode number of a file, and the time of its creation, because the number of a removed file is assigned again.
private struct FileIdentity: Equatable {
  private var inode: UInt = 0
  /// In nanoseconds since 1970; 0 if the kernel or the file system does not tell it.
  private var birth = 0

  init() {}

  /// Returns nil if the file does not exist.
  init?(_ path: String) throws(StoreError) {
    guard let state = try HistoryFolder.state(of: path) else { return nil }
    inode = state.inode
    var status = statx()
    guard statx(AT_FDCWD, path, 0, UInt32(STATX_BTIME), &status) == 0,
      status.stx_mask & UInt32(STATX_BTIME) != 0, status.stx_ino == state.inode
    else { return }
    birth = Int(status.stx_btime.tv_sec) &* 1_000_000_000 &+ Int(status.stx_btime.tv_nsec)
  }

  /// Whether both can be the same file.
  func mayBe(_ other: FileIdentity) -> Bool {
    inode == other.inode && (birth == other.birth || birth == 0 || other.birth == 0)
  }
}
