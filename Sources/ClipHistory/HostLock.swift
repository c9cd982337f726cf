import CSQLite
import Glibc

/// Says on which computer a history is in use, where several have its folder, such as a home on NFS.
///
/// The index of SQLite's log is memory that the processes of one computer share: two that wrote at once would damage
/// the file. So each locks a byte of its own, for all of its programs together, and looks for another one's.
///
/// A mount on which locks are each computer's own (`nolock`, `nobrl`) hides the others; so it does from SQLite.
final class HostLock {
  private let descriptor: Int32

  /// Nil on a disk of this computer's own, and where nothing can be written.
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
  /// - Returns: the kind of the lock in its way; F_UNLCK where there are none.
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
