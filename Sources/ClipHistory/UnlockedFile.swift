import CSQLite
import Glibc

/// A history as of its last commit, read from the database and its WAL without locks and without creating a file.
///
/// SQLite creates the WAL and its index even to read, which fails on a full disk, in a read-only folder and without
/// shared memory. Reading without locks is safe then: no program can write to the WAL without a usable index, and
/// without a WAL the database is complete.
final class UnlockedFile: PageSource {
  let pages: DatabasePages
  private let states: [FileState?]
  private let paths: [String]

  /// - Parameter withLog: whether the WAL belongs to the database.
  init(_ location: HistoryLocation, database: String, withLog: Bool) throws(StoreError) {
    paths = [database, location.wal]
    states = paths.map { FileState($0) }
    let files = try RawFiles(database: database, log: withLog ? location.wal : nil)
    guard files.database != nil else { throw .cannotOpen(path: database, code: SQLITE_CANTOPEN) }
    guard let layout = PageLayout(of: files.database) else { throw .damaged }
    pages = DatabasePages(files, layout: layout)
  }

  var count: Int { pages.committedCount }

  /// Whether a file has been written since; reads may then be inconsistent.
  var isStale: Bool { states != paths.map { FileState($0) } }

  func page(_ number: Int) -> [UInt8]? {
    var page = pages.page(number, whole: true)
    // The file has no WAL of its own.
    if number == 1 { page?.replaceSubrange(18..<20, with: [1, 1]) }
    return page
  }
}

/// The state of a file; two states differ if the file was written, created or replaced in between.
struct FileState: Equatable {
  let inode: UInt
  let size: Int
  private let modification: [Int]

  /// Returns nil if the file does not exist or cannot be examined.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init(_ status: stat) {
    (inode, size) = (UInt(status.st_ino), Int(status.st_size))
    // Do not compare the time of the last status change: when run by root, SQLite sets the owner of a WAL that it
    // opens, which changes this time.
    modification = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }
}
