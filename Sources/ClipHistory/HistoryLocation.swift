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

  /// An empty file, there from the moment that the database was found damaged until it is rescued.
  var damageMark: String { Self.damageMark(of: database) }

  static func damageMark(of database: String) -> String { database + "-damaged" }

  /// An empty file, there while the database is made for the first time.
  var creationMark: String { database + "-new" }

  /// An empty file by whose locks computers that share the folder know of each other.
  var hostMark: String { database + "-host" }

  /// Where a rescued history is made.
  var unfinishedRescue: HistoryLocation { HistoryLocation(folder: folder, name: "rescue-unfinished.sqlite3") }

  /// A rescued history that is complete, until it takes the place of the damaged one.
  var finishedRescue: String { database + "-rescued" }

  /// Whether there is nothing at all that a history could be read or rescued from.
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
