import Glibc

/// Where a history lies: a folder of its own, with the database and the two files that SQLite keeps beside it.
///
/// ```swift
/// let location = HistoryLocation(folder: "/home/ada/.local/share/copypasta")
/// location.database  // "/home/ada/.local/share/copypasta/history.sqlite3"
/// ```
public struct HistoryLocation: Sendable, Equatable {
  /// The folder, for its user alone (0700); a store makes it if it is missing.
  public let folder: String

  private let name: String

  /// The database file (0600).
  public var database: String { folder + "/" + name }

  /// SQLite's log: what was written and is not in the database file yet, with the database's permissions.
  var writeAheadLog: String { database + "-wal" }

  /// The index of the write-ahead log; it holds page numbers, no text.
  var sharedMemory: String { database + "-shm" }

  /// An empty file, there from the moment when damage is found until the recovery.
  var damageMarker: String { Self.damageMarker(of: database) }

  static func damageMarker(of database: String) -> String { database + "-damaged" }

  /// An empty file, there while the database is made for the first time.
  var creationMarker: String { database + "-new" }

  /// An empty file by whose locks computers that share the folder know of each other.
  var hostMarker: String { database + "-host" }

  /// Where a recovered history is made.
  var unfinishedRecovery: HistoryLocation {
    HistoryLocation(folder: folder, name: "rescue-unfinished.sqlite3")
  }

  /// A recovered history that is complete, until it takes the place of the damaged one.
  var finishedRecovery: String { database + "-rescued" }

  /// Whether there is nothing at all that a history could be read or recovered from.
  ///
  /// - Throws: `.folderUnusable` if that cannot be told, `.irregular` if something is there that is not followed.
  public var isVacant: Bool {
    get throws(StoreError) { try HistoryOpening(self).isVacant() }
  }

  /// Names a folder; touches nothing.
  public init(folder: String) { self.init(folder: folder, name: "history.sqlite3") }

  private init(folder: String, name: String) {
    self.folder = folder
    self.name = name
  }
}

/// Makes a history's folder and file before SQLite sees them, and keeps both for their user alone.
enum HistoryFolder {
  /// - Throws: `.irregular` if a link or a pipe is in the place of the folder or of a file: following the link would
  ///   write elsewhere, opening the pipe would block for ever. `.folderUnusable` if that cannot be told.
  static func checkKinds(_ location: HistoryLocation) throws(StoreError) {
    for path in [location.folder, location.database, location.writeAheadLog, location.sharedMemory] {
      guard let status = try status(path, lstat, folder: location.folder) else { continue }
      let kind = status.st_mode & S_IFMT
      // A file in the place of a folder, or the other way round, has an error of its own.
      guard kind == S_IFREG || kind == S_IFDIR else { throw .irregular(path: path) }
    }
  }

  /// Makes the folder if it is missing, and takes others' permissions away.
  static func prepareFolder(_ location: HistoryLocation) throws(StoreError) {
    try checkKinds(location)
    try makeFolder(location.folder)
    try narrow(location.folder, to: 0o700, type: S_IFDIR)
  }

  /// Makes the database if it is missing, and takes others' permissions to the files away.
  ///
  /// - Throws: `.readOnly` if the database cannot be written.
  static func prepareFiles(_ location: HistoryLocation) throws(StoreError) {
    try makeDatabase(location)
    for file in [location.database, location.writeAheadLog, location.sharedMemory] {
      try narrow(file, to: 0o600, type: S_IFREG)
    }
    // Without this SQLite would open the file for reading only, and say so at the first write.
    guard isWritable(location.database) else { throw .readOnly }
  }

  /// Whether this process may write the file, or make files in the folder.
  static func isWritable(_ path: String) -> Bool {
    faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
  }

  /// Marks a history as damaged, so that its next opening recovers it.
  ///
  /// - Returns: false if nothing can be written beside it: there is no recovery then.
  @discardableResult
  static func markDamaged(_ database: String) -> Bool {
    if mknod(HistoryLocation.damageMarker(of: database), S_IFREG | 0o600, 0) == 0 { return true }
    return errno == EEXIST && isWritable(parent(of: database))
  }

  /// The size of a file in bytes, nil if there is none.
  ///
  /// - Throws: `.folderUnusable` if that cannot be told.
  static func size(of path: String) throws(StoreError) -> Int? {
    try status(path, stat).map { Int($0.st_size) }
  }

  /// The size of the database in bytes, nil if there is none; a file of one byte is empty to SQLite (`unixFileSize`).
  static func databaseSize(_ location: HistoryLocation) throws(StoreError) -> Int? {
    try size(of: location.database).map { $0 == 1 ? 0 : $0 }
  }

  /// The file system's answer about a path, nil if nothing is there.
  ///
  /// A permission, a stale mount or a broken disk in the way does not mean that nothing is there: otherwise a program
  /// would begin a new history, or back up an empty one.
  private static func status(
    _ path: String, _ look: (UnsafePointer<CChar>, UnsafeMutablePointer<stat>) -> Int32, folder: String? = nil
  ) throws(StoreError) -> stat? {
    var status = stat()
    if look(path, &status) == 0 { return status }
    guard errno == ENOENT else { throw .folderUnusable(path: folder ?? parent(of: path), errno: errno) }
    return nil
  }

  private static func makeFolder(_ path: String) throws(StoreError) {
    // SQLite syncs the folder of its files, but not the folder's own entry: a power cut would take folder and files.
    if mkdir(path, 0o700) == 0 { return try sync(self.parent(of: path)) }
    switch errno {
    case EEXIST: return
    case ENOENT where path.contains("/"): break
    case let code: throw .folderUnusable(path: path, errno: code)
    }
    let parent = parent(of: path)
    guard parent != path else { throw .folderUnusable(path: path, errno: ENOENT) }
    try makeFolder(parent)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw .folderUnusable(path: path, errno: errno)
    }
    try sync(parent)
  }

  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Puts a folder's entries on disk; a folder that may not be read, or whose file system cannot, is left alone.
  static func sync(_ folder: String) throws(StoreError) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    if fsync(descriptor) == 0 { return }
    switch errno {
    case EINVAL, ENOTSUP: return
    case ENOSPC, EDQUOT: throw .diskFull
    case let code: throw .folderUnusable(path: folder, errno: code)
    }
  }

  /// `mknod`, not `open`: closing any descriptor of a file drops every lock that this process has on it, also SQLite's
  /// (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
  ///
  /// The mark comes first: if a power cut leaves both, and the database empty, there was never anything in it.
  private static func makeDatabase(_ location: HistoryLocation) throws(StoreError) {
    if try size(of: location.database) == nil { mknod(location.creationMarker, S_IFREG | 0o600, 0) }
    if mknod(location.database, S_IFREG | 0o600, 0) == 0 { return }
    switch errno {
    case EEXIST: return
    case ENOSPC, EDQUOT: throw .diskFull
    case let code: throw .folderUnusable(path: location.folder, errno: code)
    }
  }

  private static func narrow(_ path: String, to mode: mode_t, type: mode_t) throws(StoreError) {
    guard let status = try status(path, stat) else { return }
    guard status.st_mode & S_IFMT == type else {
      throw .folderUnusable(path: path, errno: type == S_IFDIR ? ENOTDIR : EINVAL)
    }
    guard status.st_mode & 0o077 != 0, chmod(path, mode) != 0 else { return }
    switch errno {
    case ENOENT: return  // A log that went away with its last user.
    case EROFS: throw .readOnly
    case let code: throw .folderUnusable(path: path, errno: code)
    }
  }
}
