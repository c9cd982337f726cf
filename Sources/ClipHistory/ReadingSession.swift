import CSQLite

/// A store's reads off the main thread: on its writing connection, or on another one if nothing can be written.
struct ReadingSession {
  let database: Database
  private let text: Statement
  private let ids: Statement
  private let misplaced: Statement

  init(_ database: Database) throws(StoreError) {
    self.database = database
    text = try Statement("SELECT text FROM clip WHERE id = ?1", on: database)
    // Ascending is the order on disk; descending reads it five times as slowly if it is not in memory.
    ids = try Statement("SELECT id FROM clip WHERE id < ?1 ORDER BY id", on: database)
    // The plus keeps SQLite from looking for the id: it reads every row.
    misplaced = try Statement(
      "SELECT 1 FROM clip WHERE +id = ?1 AND NOT EXISTS (SELECT 1 FROM clip WHERE id = ?1)", on: database)
  }

  /// A clip's text, nil if there is no such clip.
  func text(of id: Int64) throws(StoreError) -> ClipText? {
    guard let bytes = try text.first(id, read: { $0.bytes(0) }) else {
      try confirmAbsence(of: id)
      return nil
    }
    return try database.text(bytes)
  }

  /// Looks at every row, after a clip was not found by its id.
  ///
  /// - Throws: `.damaged` if it is there: SQLite trusts the keys in the interior pages of a b-tree.
  func confirmAbsence(of id: Int64) throws(StoreError) {
    if try misplaced.first(id, read: { $0.integer(0) }) != nil { throw database.failure(SQLITE_CORRUPT) }
  }

  /// The ids of older clips, ascending, in an array with room for `capacity` of them.
  func ids(olderThan id: Int64, capacity: Int) throws(StoreError) -> [Int64] {
    try ids.run(id) { statement throws(StoreError) in
      var ids: [Int64] = []
      ids.reserveCapacity(capacity)
      while try statement.step() {
        // SQLite takes the order of a damaged page as it is.
        guard statement.integer(0) > ids.last ?? .min else { throw database.failure(SQLITE_CORRUPT) }
        ids.append(statement.integer(0))
      }
      return ids
    }
  }
}
