extension HistoryLocation {
  /// Returns the whole text of a clip by its place in the list, without writing anything; nil if there are fewer clips.
  ///
  /// Reads the ids of the newer clips and only one text. The unreadable clips of a damaged history do not count.
  ///
  /// - Parameter number: The place; 1 is the newest.
  /// - Throws: as `HistoryStore.init` does; also `.clipUnreadable` if that clip holds no valid text.
  public func text(ofNewest number: Int) throws(StoreError) -> ClipText? {
    let opening = HistoryOpening(self)
    do throws(StoreError) {
      if try opening.isKnownDamaged() { throw .damaged }
      let reader = try ReopeningReader<NewestClips>(opening)
      let bytes = try reader.read { clips throws(StoreError) in
        try clips.text.first(Int64(number) - 1, read: { $0.bytes(0) })
      }
      guard let bytes else { return nil }
      return try reader.current.database.text(bytes)
    } catch {
      return try opening.damaged(after: error).text(ofNewest: number)
    }
  }
}

private struct NewestClips: PreparedReads {
  let database: Database
  let text: Statement

  init(_ database: Database) throws(StoreError) {
    self.database = database
    // SQLite skips the newer rows without reading their texts. A search for the id could miss the row in a damaged file.
    text = try Statement("SELECT text FROM clip ORDER BY id DESC LIMIT 1 OFFSET ?1", on: database)
  }
}
