import CSQLite
import Glibc

/// A failure of the history.
///
/// An error names files and numbers, never a clip's text; the app words it for the user.
public enum StoreError: Error, Equatable, Sendable {
  /// The folder cannot be made, entered or made private; `errno` says why.
  case folderUnusable(path: String, errno: Int32)
  /// The folder or a file is a symbolic link, a pipe or the like, which was neither followed nor opened.
  case irregular(path: String)
  /// The file system gives no locks, or no memory that processes share.
  case unsuitableFileSystem(path: String)
  /// The file cannot be opened or used; `code` is SQLite's extended result code.
  case cannotOpen(path: String, code: Int32)
  /// The file or its folder may be read, but not written.
  case readOnly
  /// The file is damaged, or no database at all: for `HistoryRecovery`. Nothing in it was overwritten.
  case damaged
  /// The file is the database of another program, and was left alone.
  case foreign
  /// A newer version of the program wrote the file, which was left alone: schema `found`; this one knows `known`.
  case newerSchema(found: Int, known: Int)
  /// The file was removed or replaced while it was open; nothing is written to it any more. Open the history again.
  case replaced
  /// Another program holds the file, for longer than this one waits.
  case locked
  /// Another computer, which shares the folder, has the history open.
  case openElsewhere
  /// The disk, or the user's quota, is full; nothing was written.
  case diskFull
  /// The file is damaged, and nothing can be written beside it: opening it again would find the same damage.
  case cannotBeRecovered
  /// A clip that was to be restored is in the history already.
  case alreadyThere
  /// Anything else; `code` is SQLite's extended result code. `SQLITE_MISUSE` if the store was closed before.
  case failed(code: Int32)

  /// Whether what keeps a history from being opened to write may leave it readable, without harm to anybody.
  var mayLeaveReadable: Bool {
    switch self {
    case .readOnly, .diskFull, .locked, .cannotOpen, .folderUnusable, .failed: true
    case .irregular, .unsuitableFileSystem, .damaged, .foreign, .newerSchema, .replaced, .openElsewhere,
      .cannotBeRecovered, .alreadyThere:
      false
    }
  }

  // MARK: - SQLite's codes

  /// SQLITE_IOERR_RDLOCK, _LOCK, _SHMOPEN, _SHMLOCK and _SHMMAP, shifted.
  private static let errorsOfLocks: Set<Int32> = [9, 15, 18, 20, 21]

  /// SQLITE_CONSTRAINT_TRIGGER, a macro that Swift cannot import.
  private static let constraintOfTrigger = SQLITE_CONSTRAINT | 7 << 8

  /// The meaning of an SQLite result `code`; `system` is the `errno` behind it, 0 if there is none.
  init(code: Int32, system: Int32, path: String) {
    let outOfRoom = system == ENOSPC || system == EDQUOT
    // The low byte is the kind, the rest the detail.
    switch code & 0xff {
    case SQLITE_FULL: self = .diskFull
    // SQLite recognises a full disk when it writes, but not a full quota, and neither when it grows the index.
    case SQLITE_IOERR where outOfRoom, SQLITE_CANTOPEN where outOfRoom: self = .diskFull
    case SQLITE_IOERR where Self.errorsOfLocks.contains(code >> 8): self = .unsuitableFileSystem(path: path)
    case SQLITE_BUSY where system == ENOLCK: self = .unsuitableFileSystem(path: path)
    case SQLITE_CANTOPEN: self = .cannotOpen(path: path, code: code)
    case SQLITE_READONLY: self = .readOnly
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged
    // A row claims a size above SQLite's limit; what we write above it fails as it is bound.
    case SQLITE_TOOBIG: self = .damaged
    case SQLITE_BUSY, SQLITE_LOCKED: self = .locked
    // The schema's trigger against replacing a row. Nothing else of ours can break a constraint of a sound file.
    case SQLITE_CONSTRAINT where code == Self.constraintOfTrigger: self = .alreadyThere
    case SQLITE_CONSTRAINT: self = .damaged
    default: self = .failed(code: code)
    }
  }
}
