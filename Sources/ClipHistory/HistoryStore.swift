import CSQLite
import SerialQueue

/// The history on disk: the connection that writes, which also reads what is too large for the main thread.
///
/// Each method is one intent and at most one transaction; when it returns, its work is on disk. The store runs on a
/// thread of its own. Several processes may have the same history open. Call `close` at the end: a store that is only
/// let go of closes too, but on the thread that lets go, and closing writes.
///
/// ```swift
/// let store = try HistoryStore(location: HistoryLocation(folder: folder), digest: hmac)
/// let text = try ClipText(validating: Array("hello".utf8))
/// try await store.record(text, at: now)  // .recorded(Clip)
/// try await store.record(text, at: now)  // .duplicate
/// ```
public actor HistoryStore: SerialActor {
  /// A keyed digest that cannot be forged or inverted, HMAC-SHA-256 in the app; runs on the store's thread.
  public typealias Digest = @Sendable (_ key: [UInt8], _ text: ClipText) -> [UInt8]

  /// The trace of the last captured text, to recognise that text when it is offered again.
  ///
  /// The digest is keyed, with a random key for each history: a plain hash of a secret that was deleted since could be
  /// looked up in a table of common passwords. The key protects from no more than that: it lies in the same file, so
  /// whoever has the file knows the size of the last captured text, and can test guesses at it, one at a time.
  struct Fingerprint: Equatable {
    let digest: [UInt8]
    let byteCount: Int
  }

  /// How long a store waits for other programs and for readers.
  struct LockTimeouts: Sendable {
    /// For another program's lock, in milliseconds.
    var lock: Int32 = 2000
    /// For readers, each time the log is to be emptied, in milliseconds: captures wait meanwhile.
    var readers: Int32 = 50
    /// Before each further try to empty the log after a deletion, if nothing is written in between.
    var retries: [Duration] = [.seconds(1), .seconds(10), .seconds(60)]
  }

  /// The outcome of recording a text.
  public enum RecordOutcome: Sendable, Equatable {
    /// The text is a new row, and on disk.
    case recorded(Clip)
    /// The text is the last captured one again, or the newest clip's if the user recorded it; no row was added.
    case duplicate
  }

  /// Room for so many ids is asked for at once: 32 MiB, of which only what is written to is ever resident.
  private static let reservedIDs: Int64 = 4 << 20

  /// How many bytes of rows a rewrite of the file, which gives back the room between them, manages in about a second.
  private static let quickToRewrite: Int64 = 64 << 20

  /// The thread that the store runs on.
  public nonisolated let queue = SerialQueue(label: "org.copypasta.history")
  private let digest: Digest
  private let timeouts: LockTimeouts
  private let location: HistoryLocation
  /// Nil while nothing can be written.
  private var session: WriteConnection?
  /// Reads while nothing can be written.
  private var fallback: ReopeningReader<ReadConnection>?
  private var isClosed = false

  /// Whether the log may still hold a deleted text.
  ///
  /// A reader keeps the log as it is. So the store tries to empty it at once, at each later write, a few times by
  /// itself, and at the end.
  private var needsCheckpoint: Bool
  private var retry: DispatchTimer?
  /// How many clips were restored: what was found to have expired before is void.
  private var restorations = 0

  /// Why the history could only be opened to read; nil if it could be written.
  public nonisolated let obstacle: StoreError?

  /// The executor of that thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Opens the history, and makes it if there is none.
  ///
  /// Synchronous, for the start of the program: an existing history that is up to date is only read, in well under
  /// a millisecond. If the history can be read but not written, see `obstacle`, every method that writes tries again,
  /// and throws the reason until it can.
  /// - Parameter digest: must give the same result for the same key and text for ever.
  /// - Throws: `.newerSchema`, `.foreign`, `.damaged` and the others, without having changed what is in the file.
  public init(location: HistoryLocation, digest: @escaping Digest) throws(StoreError) {
    try self.init(location: location, digest: digest, timeouts: LockTimeouts())
  }

  init(location: HistoryLocation, digest: @escaping Digest, timeouts: LockTimeouts) throws(StoreError) {
    self.digest = digest
    self.timeouts = timeouts
    // A log that a crash left behind may hold a text that was deleted just before.
    let hasLog = try (HistoryFolder.size(of: location.writeAheadLog) ?? 0) > 0
    needsCheckpoint = hasLog
    self.location = location
    do throws(StoreError) {
      session = try HistoryOpening(location, timeouts: timeouts).toWrite()
      obstacle = nil
    } catch let error where error.mayLeaveReadable {
      obstacle = error
      do throws(StoreError) {
        fallback = try ReopeningReader(HistoryOpening(location))
      } catch .damaged {
        throw .damaged
      } catch _ {
        throw error
      }
    }
    if hasLog {
      Task.unpooled(on: self) { store in store.eraseLater(timeouts.retries[...]) }
    }
  }

  /// Records a text as the newest clip, unless it is the last captured one; row and fingerprint in one transaction.
  ///
  /// `now` is in microseconds since 1970 UTC. If the clock was set back a little, the clip gets the time of the last
  /// capture; after a jump it gets the clock's own time, and still comes after all others.
  @discardableResult
  public func record(_ text: ClipText, at now: Int64) throws(StoreError) -> RecordOutcome {
    try write(text, at: now) { _, isLast in isLast }
  }

  /// Records a text that the user pastes or drops, unless it is the newest clip's; `now` as in `record`.
  ///
  /// A text whose row was deleted, or lies further down, comes back. A text `fromClipboard` becomes the last captured
  /// one; a dropped one does not, because the text on the clipboard must not be recorded again.
  @discardableResult
  public func recordExplicitly(
    _ text: ClipText, at now: Int64, fromClipboard: Bool
  ) throws(StoreError) -> RecordOutcome {
    try write(text, at: now, noted: fromClipboard) { session, _ throws(StoreError) in
      try session.newestIs(text)
    }
  }

  /// Remembers a text that was copied out of the history as the last captured one; adds no row.
  public func noteCopied(_ text: ClipText) throws(StoreError) {
    _ = try write(text, at: CaptureTime.unknown) { _, _ in true }
  }

  /// Adds a row for a text, unless it is known, and notes the text as the last captured one if it is to be `noted`, in
  /// one transaction.
  ///
  /// - Parameter isKnown: says whether the text is known, given whether it is the last captured one.
  private func write(
    _ text: ClipText, at now: Int64, noted: Bool = true,
    unless isKnown: (WriteConnection, _ isLast: Bool) throws(StoreError) -> Bool
  ) throws(StoreError) -> RecordOutcome {
    let session = try opened()
    // Before the transaction: the digest of 64 MiB takes some 0.3 s, and nobody else could write meanwhile.
    let fingerprint = Fingerprint(digest: digest(session.key, text), byteCount: text.byteCount)
    let clip = try session.database.transaction { () throws(StoreError) -> Clip? in
      let last = try session.readLastCapture()
      let isLast = last.fingerprint == fingerprint
      let time = CaptureTime.next(after: last.capturedAt, at: now)
      let clip = try isKnown(session, isLast) ? nil : session.insert(text, capturedAt: time)
      if clip != nil || noted && !isLast {
        try session.writeLastCapture(
          noted ? fingerprint : last.fingerprint, capturedAt: clip?.capturedAt ?? last.capturedAt)
      }
      return clip
    }
    eraseFromLogIfOwed()
    return clip.map { .recorded($0) } ?? .duplicate
  }

  /// The whole text of a clip; nil if the clip was deleted, which only a look at every row can tell.
  ///
  /// - Throws: `.damaged` if the row holds no valid text, or cannot be found by its id.
  public func text(of id: Int64) throws(StoreError) -> ClipText? {
    try read { reading throws(StoreError) in try reading.text(of: id) }
  }

  /// The ids of all clips older than this one, ascending: the oldest first.
  public func ids(olderThan id: Int64) throws(StoreError) -> [Int64] {
    // Room for all of them, as a rule: an array that grows step by step lies in memory twice.
    let capacity = Int(clamping: min(max(id, 0), Self.reservedIDs))
    return try read { reading throws(StoreError) in try reading.ids(olderThan: id, capacity: capacity) }
  }

  /// Closes the connection; whatever is asked afterwards fails with `SQLITE_MISUSE`.
  ///
  /// Close every reader before: the last connection to close puts the log away, and a reader cannot.
  public func close() {
    retry = nil
    eraseFromLogIfOwed()
    (session, fallback, isClosed) = (nil, nil, true)
  }

  /// Tries to write again, if the history could only be read at first.
  ///
  /// - Returns: whether the history can be written now, and was opened to read: open it again to show what others have
  ///   written meanwhile.
  public func resumesWriting() -> Bool {
    guard obstacle != nil else { return false }
    do throws(StoreError) {
      _ = try opened()
      return true
    } catch {
      // The reason is thrown at the next write.
      return false
    }
  }

  // MARK: - Deletion

  /// Deletes a clip, and its text from the files.
  ///
  /// The text is overwritten in the database, with the copies that SQLite made as it moved rows, and the log is
  /// emptied. As long as another program reads, the log stays; the store tries again at the next write, a few times by
  /// itself, when the history is closed, and at its next opening.
  /// Not promised: that the blocks which the log gave back to the file system, or copies that a flash disk or a
  /// snapshot keeps, are overwritten too; nor what another program leaves that writes to the file itself. The
  /// fingerprint stays, so that the text is not captured again at once.
  /// - Returns: the deleted clip, for `restore`; nil if there was none, which only a look at every row can tell.
  /// - Throws: `.damaged` if the clip is there, and cannot be found by its id.
  @discardableResult
  public func delete(_ id: Int64) throws(StoreError) -> DeletedClip? {
    let session = try opened()
    let deleted = try session.database.transaction { () throws(StoreError) in try session.delete(id) }
    if deleted != nil { eraseFromLog() } else { try session.reading.confirmAbsence(of: id) }
    return deleted
  }

  /// Brings a deleted clip back: the same id, so the same place, the same time, the same bytes.
  ///
  /// The fingerprint of the last captured text stays as it is.
  /// - Throws: `.alreadyThere` if a clip has that id, `.damaged` if what was deleted was no text.
  @discardableResult
  public func restore(_ deleted: DeletedClip) throws(StoreError) -> Clip {
    let session = try opened()
    let clip = try session.restore(deleted)
    restorations += 1
    eraseFromLogIfOwed()
    return clip
  }

  /// Clears the history: deletes every clip, with all that `delete` promises, and makes the file small again.
  ///
  /// Readers go on meanwhile, and see either everything or nothing. The fingerprint of the last captured text stays.
  /// The clearing needs as much room on the disk as the history has.
  public func deleteAll() throws(StoreError) {
    let session = try opened()
    try session.database.transaction { () throws(StoreError) in
      try session.database.execute("DELETE FROM clip")
    }
    eraseFromLog()
    giveRoomBack(session.database)
  }

  // MARK: - Retention

  /// Finds the clips that are older than a period, by the clocks as they are now.
  ///
  /// If there is none, the reading becomes the last look, provided that its clock is believed or there was no look
  /// before. A file that an interrupted deletion left mostly empty is then made small.
  /// - Returns: nil if no clip can expire: the period is forever, or the clock shows a time before its end.
  public func findExpired(
    after period: RetentionPeriod, at reading: ClockReading
  ) throws(StoreError) -> ExpiredClips? {
    guard let duration = period.duration, let limit = period.limit(at: reading.wallTime) else { return nil }
    let last = try session?.readLastLook()
    let isBelieved = RetentionPolicy.believes(reading, after: last, keeping: duration)
    let found = try read { session throws(StoreError) in
      try ExpiredRows.find(in: session.database, before: limit, at: reading.wallTime)
    }
    if found.count == 0 {
      finishLook(isBelieved || last == nil && reading.isPlausible ? reading : nil, after: last)
    }
    return ExpiredClips(
      period: period, reading: reading, count: found.count, isClockBelieved: isBelieved,
      lastID: found.lastID, firstYoungID: found.firstYoungID, restorations: restorations)
  }

  /// Deletes clips that have expired, with all that `delete` promises, in portions: captures and copies do not wait for
  /// long.
  ///
  /// Deletes nothing if the clips are not those that were found: one was restored or deleted since. Each portion makes
  /// the clocks at which the clips were found the last look, in its transaction.
  /// - Parameter deleted: called with the ids of each portion, ascending; returns whether to continue.
  public func delete(
    _ expired: ExpiredClips, _ deleted: @MainActor @Sendable ([Int64]) -> Bool
  ) async throws(StoreError) {
    var isFirst = true
    while expired.restorations == restorations {
      let session = try opened()
      let ids = try session.database.transaction { () throws(StoreError) -> [Int64] in
        if isFirst {
          let count = try ExpiredRows.count(in: session.database, upTo: expired.lastID)
          guard count == expired.count else { return [] }
        }
        let ids = try ExpiredRows.deletePortion(in: session.database, upTo: expired.lastID)
        try session.writeLastLook(expired.reading)
        return ids
      }
      guard !ids.isEmpty else { return }
      isFirst = false
      eraseFromLog()
      // The main actor's turn, and that of the calls which wait for this one.
      guard await deleted(ids) else { return }
    }
  }

  /// Notes a look that found nothing, if its clock counts, and makes the file small if most of it is empty.
  ///
  /// A failure is not thrown, because nothing was to be deleted: the next look tries again.
  private func finishLook(_ reading: ClockReading?, after last: ClockReading?) {
    guard let database = session?.database else { return }
    do throws(StoreError) {
      if let reading, !reading.isWithinAnHour(of: last) {
        try database.transaction { () throws(StoreError) in try session?.writeLastLook(reading) }
      }
      if try database.isMostlyEmpty(upTo: Self.quickToRewrite) { giveRoomBack(database) }
    } catch {}
  }

  // MARK: - Helpers

  /// Empties the log after a deletion, now or later.
  private func eraseFromLog() {
    needsCheckpoint = true
    eraseFromLogIfOwed()
    eraseLater(timeouts.retries[...])
  }

  /// Empties the log if that is owed; a reader in the way, or a failure, leaves it owed.
  ///
  /// A failure is not thrown: the row itself is deleted.
  private func eraseFromLogIfOwed() {
    guard needsCheckpoint, let session else { return }
    do throws(StoreError) {
      needsCheckpoint = try !session.database.truncateLog(waiting: timeouts.readers)
    } catch {
      // The emptying stays owed.
    }
  }

  /// Tries again after each of these delays, as long as the log may hold a deleted text.
  private func eraseLater(_ delays: ArraySlice<Duration>) {
    let delay = needsCheckpoint ? delays.first : nil
    retry = delay.map {
      DispatchTimer(after: $0, on: queue) { [weak self] in
        self?.assumeIsolated { store in
          store.eraseFromLogIfOwed()
          store.eraseLater(delays.dropFirst())
        }
      }
    }
  }

  /// Hands the pages of an emptied file back to the file system, once they were overwritten.
  private func giveRoomBack(_ database: Database) {
    guard !needsCheckpoint else { return }
    do throws(StoreError) {
      try database.execute("VACUUM")
      eraseFromLog()
    } catch {
      // The rows are deleted; a file that stays large harms nobody.
    }
  }

  /// The writing session, which is opened now if that was not possible before.
  private func opened() throws(StoreError) -> WriteConnection {
    if let session { return session }
    guard !isClosed else { throw .failed(code: SQLITE_MISUSE) }
    let opened = try HistoryOpening(location, timeouts: timeouts).toWrite()
    session = opened
    return opened
  }

  private func read<Result>(
    _ body: (ReadConnection) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    if let session { return try body(session.reading) }
    guard let fallback else { throw .failed(code: SQLITE_MISUSE) }
    return try fallback.read(body)
  }
}
