extension HistoryLocation {
  /// Returns the whole text of a clip by its place in the list, without writing anything; nil if there are fewer clips.
  ///
  /// Reads the ids of the newer clips and only one text. Skips a damaged page, whose clips then do not count.
  ///
  /// - Parameter number: The place; 1 is the newest.
  /// - Throws: as `HistoryStore.init` does; also `.damaged` if that clip holds no valid text.
  public func text(ofNewest number: Int) throws(StoreError) -> ClipText? {
    let reader = try ReopeningReader<NewestClips>(HistoryOpening(self))
    let bytes = try reader.read { clips throws(StoreError) in
      try clips.id(ofNewest: number).flatMap { id throws(StoreError) in
        try clips.text.first(id, read: { $0.bytes(0) })
      }
    }
    guard let bytes else { return nil }
    return try reader.current.database.text(bytes)
  }
}

private struct NewestClips: PreparedReads {
  let database: Database
  let text: Statement
  private let ids: Statement

  init(_ database: Database) throws(StoreError) {
    self.database = database
    text = try Statement("SELECT text FROM clip WHERE id = ?1", on: database)
    ids = try Statement("SELECT id FROM clip WHERE id <= ?1 ORDER BY id DESC LIMIT ?2", on: database)
  }

  func id(ofNewest number: Int) throws(StoreError) -> Int64? {
    var missing = Int64(number)
    var end = Int64.max
    while true {
      var last: Int64?
      do throws(StoreError) {
        try ids.walk(end, missing, descending: true) { id in
          last = id
          missing -= 1
          return true
        }
        return missing == 0 ? last : nil
      } catch {
        guard error == .damaged || error == .cannotBeRecovered else { throw error }
        guard missing > 0 else { return last }
        guard let next = try nextReadable(below: last ?? end, after: error) else { return nil }
        end = next
      }
    }
  }

  /// Finds the first clip behind a damaged page: first with growing steps, then by halving the last step.
  ///
  /// - Parameter failure: thrown if no older clip can be read.
  private func nextReadable(below end: Int64, after failure: StoreError) throws(StoreError) -> Int64? {
    let newest = min(
      end, try database.integer("SELECT max(seq) FROM sqlite_sequence WHERE name = 'clip'") ?? end)
    var (unreadable, step) = (newest, Int64(1))
    var readable = max(newest - step, 0)
    while case .damaged = look(upTo: readable) {
      guard readable > 0 else { throw failure }
      unreadable = readable
      step *= 2
      readable = max(newest - step, 0)
    }
    while unreadable - readable > 1 {
      let middle = readable + (unreadable - readable) / 2
      if case .damaged = look(upTo: middle) { unreadable = middle } else { readable = middle }
    }
    return if case .clip(let id) = look(upTo: readable) { id } else { nil }
  }

  private enum Found {
    case clip(Int64)
    case none
    case damaged
  }

  /// Reads the id of the newest clip up to `end`.
  private func look(upTo end: Int64) -> Found {
    do throws(StoreError) {
      return try ids.first(end, Int64(1), read: { $0.integer(0) }).map { .clip($0) } ?? .none
    } catch {
      return .damaged
    }
  }
}
