import CSQLite

/// What a store reads off the main thread: on its writing connection, or on another one if nothing can be written.
struct ReadingSession {
  let connection: Connection
  private let text: Statement
  private let ids: Statement
  private let misplaced: Statement

  init(_ connection: Connection) throws(StoreError) {
    self.connection = connection
    text = try Statement("SELECT text FROM clip WHERE id = ?1", on: connection)
    // Ascending is the order on disk; descending reads it five times as slowly if it is not in memory.
    ids = try Statement("SELECT id FROM clip WHERE id < ?1 ORDER BY id", on: connection)
    // The plus keeps SQLite from looking for the id: it reads every row.
    misplaced = try Statement(
      "SELECT 1 FROM clip WHERE +id = ?1 AND NOT EXISTS (SELECT 1 FROM clip WHERE id = ?1)", on: connection)
  }

  /// A clip's text, nil if there is no such clip.
  func text(of id: Int64) throws(StoreError) -> ClipText? {
    let found = try text.run { row throws(StoreError) in
      row.bind(id, at: 1)
      return try row.step() ? connection.text(row.bytes(0)) : nil
    }
    if found == nil { try confirmAbsence(of: id) }
    return found
  }

  /// Looks at every row, after a clip was not found by its id.
  ///
  /// - Throws: `.damaged` if it is there: SQLite trusts the keys in the interior pages of a b-tree.
  func confirmAbsence(of id: Int64) throws(StoreError) {
    try misplaced.run { row throws(StoreError) in
      row.bind(id, at: 1)
      if try row.step() { throw connection.failure(SQLITE_CORRUPT) }
    }
  }

  /// The ids of older clips, ascending, in an array with room for `capacity` of them.
  func ids(olderThan id: Int64, capacity: Int) throws(StoreError) -> [Int64] {
    try ids.run { row throws(StoreError) in
      row.bind(id, at: 1)
      var ids: [Int64] = []
      ids.reserveCapacity(capacity)
      while try row.step() {
        // SQLite takes the order of a damaged page as it is.
        guard row.integer(0) > ids.last ?? .min else { throw connection.failure(SQLITE_CORRUPT) }
        ids.append(row.integer(0))
      }
      return ids
    }
  }
}
