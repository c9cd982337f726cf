import Glibc

/// The location of a history: a folder with the database and the files that SQLite and CopyPasta keep next to it.
///
/// ```swift
/// let location = HistoryLocation(folder: "/home/ada/.local/share/copypasta")
/// location.database  // "/home/ada/.local/share/copypasta/history.sqlite3"
/// ```
public struct HistoryLocation: Sendable, Equatable {
  /// The folder, accessible only to its user (mode 0700); a store creates it if it is missing.
  public let folder: String

  private let name: String

  /// The path of the database file (mode 0600).
  public var database: String { folder + "/" + name }

  /// SQLite's write-ahead log, which contains the commits that were not checkpointed yet; it has the database's
  /// permissions.
  var wal: String { database + "-wal" }

  /// The index of the write-ahead log; it contains page numbers, no text.
  var walIndex: String { database + "-shm" }

  /// SQLite's rollback journal, which exists only if another program has switched the WAL off.
  var rollbackJournal: String { database + "-journal" }

  /// The files in which SQLite keeps the history; all have the database's permissions.
  var files: [String] { [database, rollbackJournal, wal, walIndex] }

  /// A marker file that exists from the detection of damage until the recovery.
  var damageMarker: String { Self.damageMarker(of: database) }

  static func damageMarker(of database: String) -> String { database + "-damaged" }

  /// A marker file that each computer locks while it uses the history, so that computers sharing a folder notice each
  /// other; contains the `WALPairing`.
  var hostMarker: String { database + "-host" }

  /// The location where a recovery, or the first start, writes the new history.
  var unfinishedRecovery: HistoryLocation {
    HistoryLocation(folder: folder, name: "rescue-unfinished.sqlite3")
  }

  /// A complete recovered history, before it replaces the damaged one.
  var finishedRecovery: String { database + "-rescued" }

  /// The files that an unfinished recovery leaves, in the order of their removal.
  ///
  /// The database is last, because the next start removes leftovers only if it finds an unfinished database.
  var leftovers: [String] {
    let unfinished = unfinishedRecovery
    return [unfinished.damageMarker] + unfinished.files.reversed()
  }

  /// Whether the folder has no file from which a history could be read or recovered.
  ///
  /// - Throws: `.folderUnusable` if the folder cannot be examined, `.irregular` if it contains a link or a special
  ///   file, or a folder in place of the history.
  public var isMissing: Bool {
    get throws(StoreError) {
      if let status = try HistoryFolder.status(database, lstat), status.st_mode & S_IFMT == S_IFDIR {
        throw .irregular(path: database)
      }
      return try HistoryOpener(self).state() == .missing
    }
  }

  /// Creates a location without accessing the folder.
  public init(folder: String) { self.init(folder: folder, name: "history.sqlite3") }

  private init(folder: String, name: String) {
    self.folder = folder
    self.name = name
  }
}

extension HistoryLocation {
  /// Whether recoveries have left or set aside copies of texts.
  public var hasQuarantine: Bool {
    do throws(StoreError) { return try !Quarantine(in: folder).names.isEmpty } catch { return false }
  }

  /// Deletes every clip, and all copies that CopyPasta made of them, also in a damaged history, which is not recovered.
  ///
  /// The last captured text stays, and ids are not assigned again.
  ///
  /// - Returns: the number of clips, as far as they were readable.
  /// - Throws: `.locked` if another program has the history open, or keeps the deleted texts in the files because it is
  ///   reading them; or why the history cannot be opened.
  public func clear() throws(StoreError) -> Int {
    try HistoryFolder.checkKinds(self)
    guard try HistoryFolder.state(of: folder) != nil else { return 0 }
    let opening = HistoryOpener(self)
    let lock = try FolderLock(self, alone: true, patiently: true)
    try opening.finishRecovery()
    try clearQuarantine()
    guard try opening.state() != .missing else { return 0 }
    do throws(StoreError) {
      let connection = try opening.open(under: lock)
      let count = try connection.deleteAll()
      guard try connection.database.truncateWAL(waiting: 3_000) else { throw .locked }
      do throws(StoreError) {
        try connection.database.execute("VACUUM")
      } catch {
        // The texts are overwritten, and a large file does no harm.
      }
      guard try connection.database.truncateWAL(waiting: 3_000) else { throw .locked }
      return count
    } catch .damaged {
      defer { withExtendedLifetime(lock) {} }
      let count = try HistoryRecovery.replaceWithEmpty(self)
      try clearQuarantine()
      return count
    }
  }

  /// Removes the copies that recoveries have left or set aside.
  ///
  /// Call this only while no other process can recover the history.
  func clearQuarantine() throws(StoreError) {
    for file in leftovers + [finishedRecovery] { try HistoryFolder.remove(file) }
    try Quarantine(in: folder).remove()
  }
}

/// Creates a history's folder and file before SQLite opens them, and makes both private to the user.
enum HistoryFolder {
  /// - Throws: `.irregular` if the folder or a file is a link or a pipe, because following a link would write elsewhere
  ///   and opening a pipe would block forever; `.folderUnusable` if a path cannot be examined.
  static func checkKinds(_ location: HistoryLocation) throws(StoreError) {
    for path in [location.folder] + location.files {
      guard let status = try status(path, lstat, folder: location.folder) else { continue }
      let kind = status.st_mode & S_IFMT
      // If a file exists where a folder is expected, or the reverse, later steps throw a more specific error.
      guard kind == S_IFREG || kind == S_IFDIR else { throw .irregular(path: path) }
    }
  }

  /// Creates the folder if it is missing, and removes permissions of other users.
  static func prepareFolder(_ location: HistoryLocation) throws(StoreError) {
    try checkKinds(location)
    try makeFolder(location.folder)
    try narrow(location.folder, to: 0o700, type: S_IFDIR)
  }

  /// Removes permissions of other users from the files.
  ///
  /// - Throws: `.readOnly` if the database cannot be written.
  static func prepareFiles(_ location: HistoryLocation) throws(StoreError) {
    for file in location.files {
      try narrow(file, to: 0o600, type: S_IFREG)
    }
    // SQLite would silently open the file for reading only, and fail at the first write.
    guard isWritable(location.database) else { throw .readOnly }
  }

  /// Whether this process may write to the file at `path`; for a folder, whether it may create files there.
  static func isWritable(_ path: String) -> Bool {
    faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
  }

  /// Marks a history as damaged, so that it is recovered the next time it is opened.
  ///
  /// If nothing can be written next to the database, a recovery is impossible, too.
  static func markDamaged(_ database: String) {
    mknod(HistoryLocation.damageMarker(of: database), S_IFREG | 0o600, 0)
  }

  /// Returns the size of a file in bytes, nil if it does not exist.
  ///
  /// - Throws: `.folderUnusable` if the file cannot be examined.
  static func size(of path: String) throws(StoreError) -> Int? { try state(of: path)?.size }

  static func state(of path: String) throws(StoreError) -> FileState? {
    try status(path, stat).map { FileState($0) }
  }

  /// Allocates and releases `size` bytes, because some file systems do not report their free space.
  ///
  /// - Throws: `.diskFull` if they do not fit.
  static func checkRoom(_ size: Int, in folder: String) throws(StoreError) {
    // O_TMPFILE, a macro that Swift cannot import.
    let file = open(folder, 0o20_000_000 | O_DIRECTORY | O_WRONLY | O_CLOEXEC, 0o600)
    // Without support for such files, only the write itself shows whether there is room.
    guard file >= 0 else { return }
    defer { close(file) }
    if case .diskFull = StoreError(errno: posix_fallocate(file, 0, size), folder: folder) { throw .diskFull }
  }

  /// Returns the result of `stat` or `lstat`, nil if nothing exists at `path`.
  ///
  /// Throws an error for missing permissions, a stale mount or a disk failure. If these counted as a missing file, a
  /// program would start a new history, or back up an empty history.
  static func status(
    _ path: String, _ read: (UnsafePointer<CChar>, UnsafeMutablePointer<stat>) -> Int32, folder: String? = nil
  ) throws(StoreError) -> stat? {
    var status = stat()
    if read(path, &status) == 0 { return status }
    guard errno == ENOENT else { throw StoreError(errno: errno, folder: folder ?? parent(of: path)) }
    return nil
  }

  /// Removes a file if it exists.
  static func remove(_ path: String) throws(StoreError) {
    guard unlink(path) == 0 || errno == ENOENT else {
      throw StoreError(errno: errno, folder: parent(of: path))
    }
  }

  private static func makeFolder(_ path: String) throws(StoreError) {
    guard try state(of: path) == nil else { return }
    let parent = parent(of: path)
    if parent != path { try makeFolder(parent) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw StoreError(errno: errno, folder: path) }
    // Sync the parent folder, because SQLite does not: after a power cut, the new folder and its files could be
    // missing.
    try sync(parent)
  }

  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Renames a file within its folder; the new name is on disk when this returns.
  static func move(_ file: String, to path: String) throws(StoreError) {
    guard rename(file, path) == 0 else { throw StoreError(errno: errno, folder: parent(of: path)) }
    try sync(parent(of: path))
  }

  /// Syncs a folder's entries to disk, unless the folder is unreadable or its file system does not support this.
  static func sync(_ folder: String) throws(StoreError) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 || [EINVAL, ENOTSUP].contains(errno) else {
      throw StoreError(errno: errno, folder: folder)
    }
  }

  private static func narrow(_ path: String, to mode: mode_t, type: mode_t) throws(StoreError) {
    guard let status = try status(path, stat) else { return }
    guard status.st_mode & S_IFMT == type else {
      throw type == S_IFDIR ? .folderUnusable(path: path, errno: ENOTDIR) : .irregular(path: path)
    }
    guard status.st_mode & 0o077 != 0, chmod(path, mode) != 0 else { return }
    // The last connection to close removes the WAL.
    guard errno != ENOENT else { return }
    throw errno == EROFS ? .readOnly : StoreError(errno: errno, folder: path)
  }
}
