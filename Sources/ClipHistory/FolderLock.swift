import CSQLite
import Glibc

/// Locks a history across all processes of CopyPasta: shared while it is open or exported, exclusive during a recovery
/// or an import.
///
/// The lock is on the folder rather than a file, because a recovery replaces the files. On a file system without
/// `flock`, two programs that start at the same moment may both recover the history.
final class FolderLock {
  private let descriptor: Int32
  /// Excludes programs on other computers that share the folder.
  private var hostLock: HostLock?

  /// Takes the lock, shared or exclusive.
  ///
  /// - Parameter patiently: whether to wait up to 5 s for another program, which may be putting a recovered history in
  ///   place.
  /// - Throws: `.locked` while another program recovers the history or imports into it; with `alone`, also while
  ///   another program has the history open. `.openElsewhere` while another computer has it open.
  init(_ location: HistoryLocation, alone: Bool = false, patiently: Bool = false) throws(StoreError) {
    descriptor = open(location.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A missing folder cannot be in use.
    guard descriptor >= 0 || errno == ENOENT else {
      throw .folderUnusable(path: location.folder, errno: errno)
    }
    // The lock may be held only for a moment: by a child of this process, which inherits the lock and keeps it until it
    // calls `exec`.
    try retrying(patiently ? 1_000 : 20, after: { $0 == .locked }) { () throws(StoreError) in
      let isTaken = flock(descriptor, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 || errno != EWOULDBLOCK
      guard isTaken else { throw .locked }
    }
    hostLock = try HostLock(location)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }
}

/// Detects whether another computer uses the history, in a shared folder such as a home on NFS.
///
/// SQLite keeps the wal-index in memory that only the processes of one computer share, so two computers that
/// write at the same time would damage the file. Therefore each computer has its own byte in a marker file. All of its
/// programs hold a shared lock on this byte, and check for locks on the other bytes.
///
/// On a mount that keeps locks local to each computer (`nolock`, `nobrl`), neither this class nor SQLite detects other
/// computers.
final class HostLock {
  private let descriptor: Int32

  /// Returns nil if the marker file cannot be opened.
  ///
  /// - Throws: `.openElsewhere` if another computer has the history open.
  convenience init?(_ location: HistoryLocation) throws(StoreError) {
    guard let host = Self.thisComputer else { return nil }
    try self.init(location, host: host)
  }

  /// - Parameter host: the number of this computer, which is the offset of its byte.
  init?(_ location: HistoryLocation, host: Int) throws(StoreError) {
    descriptor = open(location.hostMarker, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    _ = call(Self.set, F_RDLCK, host, count: 1)
    // A count of 0 extends the lock to the end of the file (fcntl(2)).
    let others = [call(Self.get, F_WRLCK, 0, count: host), call(Self.get, F_WRLCK, host + 1, count: 0)]
    guard others.allSatisfy({ $0 == F_UNLCK }) else { throw .openElsewhere }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// F_OFD_GETLK and F_OFD_SETLK, which Swift does not import; their locks belong to the open file description, not to
  /// the process.
  private static let get: Int32 = 36
  private static let set: Int32 = 37

  /// Takes a lock, or tests for a conflicting one.
  ///
  /// - Returns: the type of the conflicting lock; F_UNLCK if there is none.
  private func call(_ command: Int32, _ kind: Int32, _ start: Int, count: Int) -> Int32 {
    var lock = flock(
      l_type: Int16(kind), l_whence: Int16(SEEK_SET), l_start: start, l_len: count, l_pid: 0)
    guard fcntl(descriptor, command, &lock) == 0 else { return Int32(F_UNLCK) }
    return Int32(lock.l_type)
  }

  /// A number derived from the kernel's boot id, which is the same in every container of this computer.
  private static var thisComputer: Int? {
    let id = ClockReading.currentBootID.utf8
    let hash = id.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return id.isEmpty ? nil : Int(hash >> 24) + 1
  }
}
