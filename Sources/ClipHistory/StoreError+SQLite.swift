import CSQLite
import Glibc

extension StoreError {
  /// SQLITE_IOERR_RDLOCK, _LOCK, _SHMOPEN, _SHMLOCK and _SHMMAP, shifted.
  private static let errorsOfLocks: Set<Int32> = [9, 15, 18, 20, 21]

  /// SQLITE_CONSTRAINT_TRIGGER, a macro that Swift cannot import.
  private static let constraintOfTrigger = SQLITE_CONSTRAINT | 7 << 8

  /// The meaning of an SQLite result `code`; `system` is the `errno` behind it, 0 where there is none.
  init(code: Int32, system: Int32, path: String) {
    let outOfRoom = system == ENOSPC || system == EDQUOT
    // The low byte is the kind, the rest the detail.
    switch code & 0xff {
    case SQLITE_FULL: self = .diskFull
    // SQLite knows a full disk where it writes, but not a full quota, nor either where it grows the index.
    case SQLITE_IOERR where outOfRoom, SQLITE_CANTOPEN where outOfRoom: self = .diskFull
    case SQLITE_IOERR where Self.errorsOfLocks.contains(code >> 8): self = .unsuitableFileSystem(path: path)
    case SQLITE_BUSY where system == ENOLCK: self = .unsuitableFileSystem(path: path)
    case SQLITE_CANTOPEN: self = .cannotOpen(path: path, code: code)
    case SQLITE_READONLY: self = .readOnly
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged
    case SQLITE_BUSY, SQLITE_LOCKED: self = .locked
    // The schema's trigger against replacing a row. Nothing else of ours can break a constraint of a sound file.
    case SQLITE_CONSTRAINT where code == Self.constraintOfTrigger: self = .alreadyThere
    case SQLITE_CONSTRAINT: self = .damaged
    default: self = .failed(code: code)
    }
  }
}
