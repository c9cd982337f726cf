import Glibc

/// What SQLite does not say when it opens a history that has to be rescued.
package enum Damage {
  /// Whether the history was found damaged while it was in use.
  package static func isMarked(_ location: HistoryLocation) -> Bool {
    faccessat(AT_FDCWD, location.damageMark, F_OK, AT_EACCESS) == 0
  }

  /// Marks the history, so that its next opening rescues it.
  ///
  /// If that fails, its next user finds the damage again.
  static func mark(databaseAt path: String) {
    mknod(HistoryLocation.damageMark(of: path), S_IFREG | 0o600, 0)
  }

  /// Whether a log lies beside a database that is empty or not there.
  static func isEmptied(_ location: HistoryLocation) -> Bool {
    (HistoryFolder.databaseSize(location) ?? 0) == 0
      && (HistoryFolder.size(of: location.writeAheadLog) ?? 0) > 0
  }

  /// Whether the database was emptied, or its log is damaged; to be asked only while nobody else has the history open.
  ///
  /// SQLite takes an empty file for a new database, and deletes a log beside it as a leftover, though it may be all
  /// that is left of a history. Of a damaged log it takes the beginning, and reports nothing. A database that is empty
  /// because making it was interrupted is not damaged: it is made anew.
  package static func isHidden(in location: HistoryLocation) -> Bool {
    let log = HistoryFolder.size(of: location.writeAheadLog) ?? 0
    switch HistoryFolder.databaseSize(location) {
    case nil: return log > 0
    case 0: return log > 0 || HistoryFolder.size(of: location.creationMark) == nil
    default: return log > 0 && RawFile(location.writeAheadLog).map { WALReader($0).isDamaged } ?? false
    }
  }
}
