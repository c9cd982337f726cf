import CSQLite
import Glibc

/// A failure of the history.
///
/// An error contains paths and numbers, never a clip's text; the app composes the message for the user.
public enum StoreError: Error, Equatable, Sendable {
  /// The folder cannot be created, opened or made private; `errno` gives the reason.
  case folderUnusable(path: String, errno: Int32)
  /// The folder or a file is a symbolic link, a pipe or the like, which was neither followed nor opened.
  case irregular(path: String)
  /// The file system has no locks.
  case noLocks(path: String)
  /// The file system has no memory that programs share, which SQLite needs for the wal-index; the file can be read.
  case noSharedMemory(path: String)
  /// The file cannot be opened or used; `code` is SQLite's extended result code.
  case cannotOpen(path: String, code: Int32)
  /// The file or its folder may be read, but not written.
  case readOnly
  /// The file is damaged, or is not a database: use `HistoryRecovery`.
  ///
  /// Nothing in it was overwritten.
  case damaged
  /// The file is another program's database, and was not changed.
  case foreign
  /// A newer version wrote the file, with schema `found`; this version supports `known`. The file was not changed.
  case newerSchema(found: Int, known: Int)
  /// The file was removed or replaced while it was open. The store stops writing to it.
  ///
  /// Open the history again.
  case replaced
  /// Another program holds the lock for longer than the timeout.
  case locked
  /// Another computer that shares the folder has the history open.
  case openElsewhere
  /// The disk or the user's quota is full; nothing was written.
  case diskFull
  /// The file is damaged, and cannot be recovered because nothing can be written next to it.
  case cannotBeRecovered
  /// The text of a single clip is in a damaged part of the file.
  case clipUnreadable
  /// The history already has the clip that was to be restored.
  case alreadyThere
  /// Any other failure; `code` is SQLite's extended result code, `SQLITE_MISUSE` if the store is closed.
  case failed(code: Int32)

  /// Whether the history may still be safely readable although this error prevents writing.
  var mayLeaveReadable: Bool {
    switch self {
    case .irregular, .noLocks, .damaged, .foreign, .replaced, .openElsewhere: false
    default: true
    }
  }

  /// Whether a reader should try again, because another program was opening or closing the history.
  var isTransient: Bool {
    switch self {
    case .readOnly, .cannotOpen: true
    default: false
    }
  }

  /// Whether the file is damaged, or the disk could not read a part of it.
  var isDamage: Bool {
    if case .failed(let code) = self { code & 0xff == SQLITE_IOERR } else { self == .damaged }
  }

  /// Converts the `errno` of a failed call in a folder.
  init(errno code: Int32, folder: String) {
    self = code == ENOSPC || code == EDQUOT ? .diskFull : .folderUnusable(path: folder, errno: code)
  }

  // MARK: - SQLite's codes

  /// The detail codes of SQLITE_IOERR_RDLOCK and _LOCK.
  private static let errorsOfLocks: Set<Int32> = [9, 15]
  /// The detail codes of SQLITE_IOERR_SHMOPEN, _SHMLOCK and _SHMMAP.
  private static let errorsOfSharedMemory: Set<Int32> = [18, 20, 21]

  /// SQLITE_CONSTRAINT_TRIGGER, a macro that Swift cannot import.
  private static let constraintOfTrigger = SQLITE_CONSTRAINT | 7 << 8

  /// Converts an SQLite result `code`; `system` is the related `errno`, or 0.
  init(code: Int32, system: Int32, path: String) {
    let outOfRoom = system == ENOSPC || system == EDQUOT
    // The low byte is the primary code, the rest the detail.
    switch code & 0xff {
    case SQLITE_FULL: self = .diskFull
    // SQLite reports SQLITE_FULL if the disk is full when it writes, but not when the index grows, nor for an exceeded
    // quota.
    case SQLITE_IOERR where outOfRoom, SQLITE_CANTOPEN where outOfRoom: self = .diskFull
    // With EIO, it is the disk that fails.
    case SQLITE_IOERR where Self.errorsOfLocks.contains(code >> 8) && system != EIO:
      self = .noLocks(path: path)
    case SQLITE_IOERR where Self.errorsOfSharedMemory.contains(code >> 8) && system != EIO:
      self = .noSharedMemory(path: path)
    case SQLITE_BUSY where system == ENOLCK: self = .noLocks(path: path)
    // SQLite refuses a path that would exceed 512 bytes with `-journal` appended.
    case SQLITE_CANTOPEN where path.utf8.count + 8 > 512:
      self = .folderUnusable(path: HistoryFolder.parent(of: path), errno: ENAMETOOLONG)
    case SQLITE_CANTOPEN: self = .cannotOpen(path: path, code: code)
    case SQLITE_READONLY: self = .readOnly
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged
    // A damaged row claims a size above SQLite's limit. A value of our own that is too large fails earlier, when it is
    // bound.
    case SQLITE_TOOBIG: self = .damaged
    case SQLITE_BUSY, SQLITE_LOCKED: self = .locked
    // Raised by the trigger `clip_is_not_replaced`. In an undamaged file, our statements violate no other constraint.
    case SQLITE_CONSTRAINT where code == Self.constraintOfTrigger: self = .alreadyThere
    case SQLITE_CONSTRAINT: self = .damaged
    default: self = .failed(code: code)
    }
  }
}
