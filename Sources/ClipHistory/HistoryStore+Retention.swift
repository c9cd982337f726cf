import CSQLite

extension HistoryStore {
  /// How many bytes of rows a VACUUM rewrites in about a second.
  private static let quickToRewrite: Int64 = 64 << 20

  /// Finds the clips that are older than a retention period, according to the given clocks; changes nothing.
  ///
  /// - Returns: nil if no clip can expire, because the period is forever or reaches back before 1970.
  public func findExpired(
    after period: RetentionPeriod, at reading: ClockReading
  ) throws(StoreError) -> ExpiredClips? {
    guard let duration = period.duration, let limit = period.limit(at: reading.wallTime) else { return nil }
    let last = try connection?.readLastCheck()
    let isBelieved = RetentionPolicy.believes(reading, after: last, keeping: duration)
    let found = try read { reads throws(StoreError) in
      try ExpiredRows.find(in: reads.database, before: limit, at: reading.wallTime)
    }
    return ExpiredClips(
      period: period, reading: reading, count: found.count, isClockBelieved: isBelieved,
      lastID: found.lastID, firstYoungID: found.firstYoungID, revision: revision)
  }

  /// Deletes expired clips, as thoroughly as `delete` does, in batches, so that captures and copies wait only briefly.
  ///
  /// Deletes nothing if another store made the search, or if an expired clip was deleted since. Stops once a clip has
  /// been restored. Each batch's transaction also stores the clock reading of the search as the last check.
  ///
  /// - Parameter deleted: is called with the ids of each batch, in ascending order; returns whether to continue.
  public func delete(
    _ expired: ExpiredClips, _ deleted: @MainActor @Sendable ([Int64]) -> Bool
  ) async throws(StoreError) {
    var isFirst = true
    while expired.revision == revision {
      let connection = try opened()
      let ids = try connection.database.transaction { () throws(StoreError) -> [Int64] in
        if isFirst {
          let count = try ExpiredRows.count(in: connection.database, upTo: expired.lastID)
          guard count == expired.count else { return [] }
        }
        let ids = try ExpiredRows.deletePortion(in: connection.database, upTo: expired.lastID)
        try connection.writeLastCheck(expired.reading)
        return ids
      }
      guard !ids.isEmpty else { return }
      isFirst = false
      truncateWAL()
      // While this call waits for the main actor, other calls to the store can run.
      guard await deleted(ids) else { return }
    }
  }

  /// Removes the files that recoveries have set aside more than 30 days ago, or longer ago than `period`, if the clock
  /// can be trusted.
  ///
  /// If clips are kept forever, no other check compares the clocks while there are such files.
  public func expireQuarantine(after period: RetentionPeriod, at reading: ClockReading) throws(StoreError) {
    let files = try Quarantine(in: location.folder)
    guard let connection, !files.names.isEmpty else { return }
    let isBelieved = RetentionPolicy.believes(
      reading, after: try connection.readLastCheck(), keeping: period.duration ?? 365 * RetentionPolicy.day)
    if isBelieved { try files.remove(files.names(before: period.quarantineLimit(at: reading.wallTime))) }
    if period == .forever { try storeCheck(reading, of: period, isBelieved: isBelieved) }
  }

  /// Ends a check that has found no expired clip: stores its clock reading as the last check, if the clock is trusted or
  /// there was no earlier check, and shrinks the file if most of it is free.
  ///
  /// An interrupted deletion leaves a file mostly free. Does not throw errors, because no deletion was requested; the
  /// next check tries again.
  public func finishCheck(_ found: ExpiredClips) {
    guard found.count == 0, let connection else { return }
    do throws(StoreError) {
      try storeCheck(found.reading, of: found.period, isBelieved: found.isClockBelieved)
      if try connection.database.isMostlyEmpty(upTo: Self.quickToRewrite) { vacuum(connection.database) }
    } catch {}
  }

  private func storeCheck(
    _ reading: ClockReading, of period: RetentionPeriod, isBelieved: Bool
  ) throws(StoreError) {
    guard let connection else { return }
    let last = try connection.readLastCheck()
    // The first check proves nothing about the clock if it finds something old.
    let old = try Quarantine(in: location.folder).names(before: period.quarantineLimit(at: reading.wallTime))
    let isFirst = last == nil && reading.isPlausible && old.isEmpty
    guard isBelieved || isFirst, !reading.isWithinAnHour(of: last) else { return }
    try connection.database.transaction { () throws(StoreError) in try connection.writeLastCheck(reading) }
  }
}
