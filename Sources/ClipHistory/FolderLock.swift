import CSQLite
import Glibc

/// Says that a history is in use, to every program of ours: shared while it is open or exported, alone while it is
/// rescued or imported to.
///
/// The folder is locked, and no file in it: rescuing replaces the files. A file system that knows no such
/// locks has none; then two programs that are started at the same moment may both rescue.
final class FolderLock {
  private let descriptor: Int32
  /// Keeps out the programs of other computers that share the folder.
  private var hostLock: HostLock?

  /// Shares the history with others, or takes it for this program alone.
  ///
  /// - Parameter patiently: waits some seconds for a program that only puts a finished rescue in its place.
  /// - Throws: `.locked` while another program rescues the history or imports to it, or, if this one wants it alone,
  ///   has it open.
  init(_ location: HistoryLocation, alone: Bool = false, patiently: Bool = false) throws(StoreError) {
    descriptor = open(location.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // Where there is nothing yet, there is nobody either.
    guard descriptor >= 0 || errno == ENOENT else {
      throw .folderUnusable(path: location.folder, errno: errno)
    }
    // For some milliseconds another process may look whether it is alone, or one that this process has just started may
    // hold the lock, too, until it runs its own program.
    var attempts = patiently ? 1_000 : 20
    while !lock(alone ? LOCK_EX : LOCK_SH) {
      guard attempts > 0 else { throw .locked }
      attempts -= 1
      usleep(5_000)
    }
    hostLock = try HostLock(location)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Asks while nobody else has the history open, and keeps everybody out meanwhile; false if somebody has it open.
  func whileAlone(_ question: () throws(StoreError) -> Bool) throws(StoreError) -> Bool {
    let isAlone = lock(LOCK_EX)
    defer {
      // A change of a lock gives the old one up first, even if it fails (flock(2)).
      if !lock(LOCK_SH) { flock(descriptor, LOCK_SH) }
    }
    guard isAlone else { return false }
    return try question()
  }

  private func lock(_ kind: Int32) -> Bool {
    flock(descriptor, kind | LOCK_NB) == 0 || errno != EWOULDBLOCK
  }
}

/// Says on which computer a history is in use, where several have its folder, such as a home on NFS.
///
/// The index of SQLite's log is memory that the processes of one computer share: two that wrote at once would damage
/// the file. So each locks a byte of its own, for all of its programs together, and looks for another one's.
///
/// A mount on which locks are each computer's own (`nolock`, `nobrl`) hides the others; so it does from SQLite.
final class HostLock {
  private let descriptor: Int32

  /// Nil on a disk of this computer's own, and if nothing can be written.
  ///
  /// - Throws: `.openElsewhere` if another computer has the history open.
  convenience init?(_ location: HistoryLocation) throws(StoreError) {
    guard Self.mayBeShared(location.folder), let host = Self.thisComputer else { return nil }
    try self.init(location, host: host)
  }

  /// - Parameter host: the number of a computer.
  init?(_ location: HistoryLocation, host: Int) throws(StoreError) {
    descriptor = open(location.hostMark, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    _ = call(Self.set, F_RDLCK, host, count: 1)
    // The rest of the file has no end.
    let others = [call(Self.get, F_WRLCK, 0, count: host), call(Self.get, F_WRLCK, host + 1, count: 0)]
    guard others.allSatisfy({ $0 == F_UNLCK }) else { throw .openElsewhere }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// F_OFD_GETLK and F_OFD_SETLK, which Swift does not see: they belong to the open file, not to the process.
  private static let get: Int32 = 36
  private static let set: Int32 = 37

  /// Asks for a lock, or who has one in its way.
  ///
  /// - Returns: the kind of the lock in its way; F_UNLCK if there is none.
  private func call(_ command: Int32, _ kind: Int32, _ start: Int, count: Int) -> Int32 {
    var lock = flock(
      l_type: Int16(kind), l_whence: Int16(SEEK_SET), l_start: start, l_len: count, l_pid: 0)
    guard fcntl(descriptor, command, &lock) == 0 else { return Int32(F_UNLCK) }
    return Int32(lock.l_type)
  }

  /// By the kind of file system: NFS, SMB and the like.
  ///
  /// FUSE is among them for sshfs, and costs a local one nothing.
  private static func mayBeShared(_ folder: String) -> Bool {
    let kinds: Set<UInt32> = [
      0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x5346_414f, 0x6b41_4653, 0x00c3_6400, 0x7375_7245,
      0x0102_1997, 0x0bd0_0bd0, 0x0116_1970, 0x7461_636f, 0x4750_4653, 0x6573_5546,
    ]
    var status = statfs()
    return statfs(folder, &status) == 0 && kinds.contains(UInt32(truncatingIfNeeded: status.f_type))
  }

  /// From what the kernel chose as it started: the same in every container.
  private static var thisComputer: Int? {
    do throws(StoreError) {
      guard let file = try RawFile("/proc/sys/kernel/random/boot_id"),
        let id = file.bytes(at: 0, count: 36)
      else { return nil }
      let hash = id.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
      return Int(hash >> 24) + 1
    } catch { return nil }
  }
}
