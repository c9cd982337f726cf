extension HistoryLocation {
  /// Returns the whole text of a clip by its place in the list; nil if there are fewer clips.
  ///
  /// Reads the ids of the newer clips and only one text. The unreadable rows of a damaged history do not count.
  ///
  /// - Parameter number: The place; 1 is the newest.
  /// - Throws: why the history cannot be opened; `.clipUnreadable` if that clip holds no valid text.
  public func text(ofNewest number: Int) throws(StoreError) -> ClipText? {
    let reader = try ReopeningReader(HistoryOpener(self), salvages: true)
    return try reader.read { reads throws(StoreError) in
      // SQLite skips the newer rows without reading their texts. A search for the id could miss the row in a damaged
      // file.
      let text = try reads.statement("SELECT text FROM clip ORDER BY id DESC LIMIT 1 OFFSET ?1")
      let bytes = try text.first(Int64(number) - 1) { $0.bytes(0) }
      return try bytes.map { (bytes) throws(StoreError) in try reads.database.text(bytes) }
    }
  }
}
