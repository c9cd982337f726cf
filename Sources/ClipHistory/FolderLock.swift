import CSQLite
import Glibc

/// Tells every process of CopyPasta that a history is in use: shared while the history is open or exported, alone while
/// it is recovered or imported to.
///
/// The lock is on the folder, and on no file in it, because a recovery replaces the files. On a file system without such
/// locks two programs that start at the same moment may both recovery.
final class FolderLock {
  private let descriptor: Int32
  /// Keeps out the programs of other computers that share the folder.
  private var hostLock: HostLock?

  /// Shares the history with others, or takes it for this program alone.
  ///
  /// - Parameter patiently: whether to wait some seconds for a program that only puts a finished recovery in its place.
  /// - Throws: `.locked` while another program recovers the history or imports to it; with `alone`, also while another
  ///   program has it open.
  init(_ location: HistoryLocation, alone: Bool = false, patiently: Bool = false) throws(StoreError) {
    descriptor = open(location.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A folder that does not exist is in use by nobody.
    guard descriptor >= 0 || errno == ENOENT else {
      throw .folderUnusable(path: location.folder, errno: errno)
    }
    try wait(for: alone ? LOCK_EX : LOCK_SH, attempts: patiently ? 1_000 : 20)
    hostLock = try HostLock(location)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Asks `question` while everybody else is kept out; false if somebody else has the history open.
  ///
  /// - Throws: `.locked` if an import or a recovery takes the history between two locks; this lock is lost then.
  func withExclusiveLock(_ question: () throws(StoreError) -> Bool) throws(StoreError) -> Bool {
    let isAlone = lock(LOCK_EX)
    let answer = Result { () throws(StoreError) in isAlone ? try question() : false }
    // A change of a lock gives the old lock up first, even if the change fails (flock(2)).
    try wait(for: LOCK_SH)
    return try answer.get()
  }

  /// Tries every 5 ms, because the lock may be taken for a moment: by a process that looks whether it is alone, or by a
  /// child of this process, which holds a copy of the lock until it runs its own program.
  private func wait(for kind: Int32, attempts: Int = 20) throws(StoreError) {
    var attempts = attempts
    while !lock(kind) {
      guard attempts > 0 else { throw .locked }
      attempts -= 1
      usleep(5_000)
    }
  }

  private func lock(_ kind: Int32) -> Bool {
    flock(descriptor, kind | LOCK_NB) == 0 || errno != EWOULDBLOCK
  }
}

/// Tells on which computer a history is in use, if several share its folder, such as a home on NFS.
///
/// The index of SQLite's log is memory that the processes of one computer share: two computers that write at once would
/// damage the file. So each computer locks a byte of its own, for all of its programs together, and looks for the locks
/// of others.
///
/// A mount whose locks each computer keeps to itself (`nolock`, `nobrl`) hides the others, from SQLite as well.
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
    descriptor = open(location.hostMarker, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    _ = call(Self.set, F_RDLCK, host, count: 1)
    // A count of 0 means all bytes from there on (fcntl(2)).
    let others = [call(Self.get, F_WRLCK, 0, count: host), call(Self.get, F_WRLCK, host + 1, count: 0)]
    guard others.allSatisfy({ $0 == F_UNLCK }) else { throw .openElsewhere }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// F_OFD_GETLK and F_OFD_SETLK, which Swift does not import; their locks belong to the open file, not to the process.
  private static let get: Int32 = 36
  private static let set: Int32 = 37

  /// Takes a lock, or looks for one that is in its way.
  ///
  /// - Returns: the kind of the lock in the way; F_UNLCK if there is none.
  private func call(_ command: Int32, _ kind: Int32, _ start: Int, count: Int) -> Int32 {
    var lock = flock(
      l_type: Int16(kind), l_whence: Int16(SEEK_SET), l_start: start, l_len: count, l_pid: 0)
    guard fcntl(descriptor, command, &lock) == 0 else { return Int32(F_UNLCK) }
    return Int32(lock.l_type)
  }

  /// Whether other computers may share a folder, by its file system: NFS, SMB and the like.
  ///
  /// FUSE counts because of sshfs; a local FUSE costs nothing.
  private static func mayBeShared(_ folder: String) -> Bool {
    let kinds: Set<UInt32> = [
      0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x5346_414f, 0x6b41_4653, 0x00c3_6400, 0x7375_7245,
      0x0102_1997, 0x0bd0_0bd0, 0x0116_1970, 0x7461_636f, 0x4750_4653, 0x6573_5546,
    ]
    var status = statfs()
    return statfs(folder, &status) == 0 && kinds.contains(UInt32(truncatingIfNeeded: status.f_type))
  }

  /// This computer's number, made of the kernel's id of its boot, which is the same in every container.
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
