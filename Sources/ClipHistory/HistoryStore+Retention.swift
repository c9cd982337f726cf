import CSQLite

extension HistoryStore {
  /// How many bytes of rows a VACUUM rewrites in about a second.
  private static let quickToRewrite: Int64 = 64 << 20
  /// How long the files that recoveries have set aside are kept at most.
  private static let quarantineLifetime = 30 * RetentionPolicy.day

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

  /// Removes the files that recoveries have set aside more than 30 days ago, or longer ago than `period`.
  ///
  /// - Parameter now: in microseconds since 1970 UTC.
  public func expireQuarantine(after period: RetentionPeriod, at now: Int64) throws(StoreError) {
    guard connection != nil, CaptureTime.believableClocks.contains(now) else { return }
    let age = min(period.duration ?? .max, Self.quarantineLifetime)
    try Quarantine(in: location.folder).remove(before: (now - age) / 1_000_000)
  }

  /// Ends a check that has found no expired clip: stores its clock reading as the last check, if the clock is trusted or
  /// there was no earlier check, and shrinks the file if most of it is free.
  ///
  /// An interrupted deletion leaves a file mostly free. Does not throw errors, because no deletion was requested; the
  /// next check tries again.
  public func finishCheck(_ found: ExpiredClips) {
    guard found.count == 0, let connection else { return }
    let (database, reading) = (connection.database, found.reading)
    do throws(StoreError) {
      let last = try connection.readLastCheck()
      let isAccepted = found.isClockBelieved || last == nil && reading.isPlausible
      if isAccepted, !reading.isWithinAnHour(of: last) {
        try database.transaction { () throws(StoreError) in try connection.writeLastCheck(reading) }
      }
      if try database.isMostlyEmpty(upTo: Self.quickToRewrite) { vacuum(database) }
    } catch {}
  }
}
