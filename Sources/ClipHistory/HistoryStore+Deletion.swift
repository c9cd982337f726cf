import SerialQueue

extension HistoryStore {
  /// Deletes a clip, and its text from the files; answers what there was, for `restore`, nil where there was nothing.
  ///
  /// The text is overwritten in the database, with the copies that SQLite made as it moved rows, and the log is
  /// emptied. As long as another program reads, that fails; it is tried again at the next write, a few times later by
  /// itself, when the history is closed, and at its next opening.
  /// Not promised: that the blocks which the log gave back to the file system, or copies that a flash disk or a
  /// snapshot keeps, are overwritten too; nor what another program leaves that writes to the file itself. The
  /// fingerprint stays, so that the text is not captured again at once.
  @discardableResult
  public func delete(_ id: Int64) throws(StoreError) -> DeletedClip? {
    let session = try opened()
    let deleted = try session.connection.transaction { () throws(StoreError) in try session.delete(id) }
    if deleted != nil { eraseFromLog() }
    return deleted
  }

  /// Brings a deleted clip back: the same id, so the same place, the same time, the same bytes.
  ///
  /// `.alreadyThere` where a clip has that id, `.damaged` if what was deleted was no text. The fingerprint of the last captured text stays as it is.
  @discardableResult
  public func restore(_ deleted: DeletedClip) throws(StoreError) -> Clip {
    let session = try opened()
    let text = try session.connection.text(deleted.bytes)
    let clip = try session.connection.transaction { () throws(StoreError) in
      try session.insert(text, capturedAt: deleted.capturedAt, id: deleted.id)
    }
    truncateLogIfOwed()
    return clip
  }

  /// Clears the history: deletes every clip, with all that `delete` promises, and makes the file small again.
  ///
  /// Readers go on meanwhile, and see either everything or nothing. The fingerprint of the last captured text stays.
  /// It needs as much room on the disk as the history has.
  public func deleteAll() throws(StoreError) {
    let session = try opened()
    try session.connection.transaction { () throws(StoreError) in
      try session.connection.execute("DELETE FROM clip")
    }
    eraseFromLog()
    giveRoomBack(session.connection)
  }

  // MARK: -

  private func eraseFromLog() {
    owesTruncation = true
    truncateLogIfOwed()
    if owesTruncation { truncateLogLater() }
  }

  /// Hands the pages of an emptied file back to the file system, once they were overwritten.
  private func giveRoomBack(_ connection: Connection) {
    guard !owesTruncation else { return }
    do throws(StoreError) {
      try connection.execute("VACUUM")
      eraseFromLog()
    } catch {
      // The rows are away; that the file is still as large as before harms nobody.
    }
  }

  /// Empties the log where that is due; a reader in the way, or a failure, leaves it due.
  ///
  /// A failure is not thrown: the row is away, and to say otherwise would be wrong.
  func truncateLogIfOwed() {
    guard owesTruncation, let session else { return }
    do throws(StoreError) {
      owesTruncation = try !session.connection.truncateLog(waiting: patience.readers)
    } catch {
      owesTruncation = true
    }
  }

  /// Has the log emptied later, by itself: what a reader was in the way of.
  func truncateLogLater() { truncateLog(after: patience.retries[...]) }

  private func truncateLog(after delays: ArraySlice<Duration>) {
    guard owesTruncation, let delay = delays.first else {
      laterTruncation = nil
      return
    }
    laterTruncation = DispatchTimer(after: delay, on: queue) { [weak self] in
      self?.assumeIsolated { store in
        store.truncateLogIfOwed()
        store.truncateLog(after: delays.dropFirst())
      }
    }
  }
}
