import Glibc

/// Says that a history is in use, to every program of ours: shared while it is open or exported, alone while it is
/// rescued or imported to.
///
/// It is a lock on the folder, not on a file in it: rescuing replaces the files. A file system that knows no such
/// locks has none; then two programs that are started at the same moment may both rescue.
final class FolderLock {
  private let descriptor: Int32
  /// Keeps out the programs of other computers that share the folder.
  private var hostLock: HostLock?

  /// Shares the history with others.
  ///
  /// - Parameter patiently: waits some seconds for a program that only puts a finished rescue in its place.
  /// - Throws: `.locked` while another program rescues it or imports to it.
  convenience init(sharing location: HistoryLocation, patiently: Bool = false) throws(StoreError) {
    try self.init(location, LOCK_SH, attempts: patiently ? 1_000 : 20)
  }

  /// Takes the history for this program alone.
  ///
  /// - Throws: `.locked` if another one has it open.
  convenience init(excluding location: HistoryLocation) throws(StoreError) {
    try self.init(location, LOCK_EX, attempts: 20)
  }

  private init(_ location: HistoryLocation, _ kind: Int32, attempts: Int) throws(StoreError) {
    descriptor = open(location.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // Where there is nothing yet, there is nobody either.
    guard descriptor >= 0 || errno == ENOENT else {
      throw .folderUnusable(path: location.folder, errno: errno)
    }
    // For some milliseconds another process may look whether it is alone, or one that this process has just started may
    // hold the lock, too, until it runs its own program.
    var attempts = attempts
    while !lock(kind) {
      guard attempts > 0 else { throw .locked }
      attempts -= 1
      usleep(5_000)
    }
    hostLock = try HostLock(location)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Calls `body` if nobody else has the history open, and keeps everybody out meanwhile.
  func ifAlone(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    let isAlone = lock(LOCK_EX)
    defer {
      // A change of a lock gives the old one up first, even if it fails (flock(2)).
      if !lock(LOCK_SH) { flock(descriptor, LOCK_SH) }
    }
    if isAlone { try body() }
  }

  private func lock(_ kind: Int32) -> Bool {
    flock(descriptor, kind | LOCK_NB) == 0 || errno != EWOULDBLOCK
  }
}
