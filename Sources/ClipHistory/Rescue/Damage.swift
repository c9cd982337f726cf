import Glibc

/// What SQLite does not say when it opens a history that has to be rescued.
enum Damage {
  /// Whether the history was found damaged while it was in use.
  static func isMarked(_ location: HistoryLocation) throws(StoreError) -> Bool {
    try HistoryFolder.size(of: location.damageMark) != nil
  }

  /// Whether the history is marked or hidden damage is in it; as `isHidden`.
  static func isThere(_ location: HistoryLocation) throws(StoreError) -> Bool {
    if try isMarked(location) { return true }
    return try isHidden(in: location)
  }

  /// Marks the history, so that its next opening rescues it.
  ///
  /// - Returns: false if nothing can be written there; its next user finds the damage again.
  @discardableResult
  static func mark(databaseAt path: String) -> Bool {
    mknod(HistoryLocation.damageMark(of: path), S_IFREG | 0o600, 0) == 0 || errno == EEXIST
  }

  /// Whether a log lies beside a database that is empty or not there.
  static func isEmptied(_ location: HistoryLocation) throws(StoreError) -> Bool {
    guard try (HistoryFolder.databaseSize(location) ?? 0) == 0 else { return false }
    return try (HistoryFolder.size(of: location.writeAheadLog) ?? 0) > 0
  }

  /// Whether the database was emptied, or its log is damaged; to be asked only while nobody else has the history open.
  ///
  /// SQLite takes an empty file for a new database, and deletes a log beside it as a leftover, though it may be all
  /// that is left of a history. Of a damaged log it takes the beginning, and reports nothing. A database that is empty
  /// because making it was interrupted is not damaged: it is made anew.
  static func isHidden(in location: HistoryLocation) throws(StoreError) -> Bool {
    let log = try HistoryFolder.size(of: location.writeAheadLog) ?? 0
    switch try HistoryFolder.databaseSize(location) {
    case nil: return log > 0
    case 0 where log > 0: return true
    case 0: return try HistoryFolder.size(of: location.creationMark) == nil
    default:
      guard log > 0, let file = try RawFile(location.writeAheadLog) else { return false }
      return WALReader(file).isDamaged
    }
  }
}
