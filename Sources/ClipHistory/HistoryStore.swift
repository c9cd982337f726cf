import CSQLite
import SerialQueue

/// Writes the history on disk, and reads what is too large for the main thread.
///
/// Each method is one operation and at most one transaction; when it returns, its work is on disk. The store runs on a
/// thread of its own. Several processes may have the same history open. Call `close` when done: releasing the store
/// closes it, too, but the releasing thread then has to write to disk.
///
/// ```swift
/// let store = try HistoryStore(location: HistoryLocation(folder: folder), digest: hmac)
/// let text = try ClipText(validating: Array("hello".utf8))
/// try await store.record(text, at: now)  // .recorded(Clip)
/// try await store.record(text, at: now)  // .duplicate
/// ```
public actor HistoryStore: SerialActor {
  /// A keyed digest that cannot be forged or inverted, HMAC-SHA-256 in the app; it is computed on the store's thread.
  public typealias Digest = @Sendable (_ key: [UInt8], _ text: ClipText) -> [UInt8]

  /// Recognises the last captured text when it is offered again, without storing that text.
  ///
  /// The digest is keyed, with a random key for each history, because a plain hash of a deleted secret could be looked
  /// up in a table of common passwords. The key offers no other protection: it is in the same file, so a person with
  /// the file learns the size of the last captured text and can test guesses, one at a time.
  struct Fingerprint: Equatable {
    let digest: [UInt8]
    let byteCount: Int
  }

  struct LockTimeouts: Sendable {
    /// How long to wait for another program's lock, in milliseconds.
    var lock: Int32 = 2000
    /// The same while the history is being opened.
    var opening: Int32 = 2000
    /// How long a checkpoint waits for readers, in milliseconds; captures are blocked while it waits.
    var readers: Int32 = 50
    /// The delays before further attempts to truncate the log after a deletion, unless a write truncates it first.
    var retries: [Duration] = [.seconds(1), .seconds(10), .seconds(60)]
  }

  /// The outcome of recording a text.
  public enum RecordOutcome: Sendable, Equatable {
    /// A row was added, and is on disk.
    case recorded(Clip)
    /// No row was added: the text equals the last captured text or, in `recordExplicitly`, the newest clip's text.
    case duplicate
  }

  /// What a store can do with its history.
  public enum Access: Sendable, Equatable {
    case readWrite
    /// The history can be read, but not written for this reason.
    case readOnly(StoreError)
    /// The history is not open, for this reason.
    case none(StoreError)

    /// Why the history cannot be written; nil if it can.
    public var obstacle: StoreError? {
      switch self {
      case .readWrite: nil
      case .readOnly(let error), .none(let error): error
      }
    }
  }

  /// The maximum number of ids to reserve memory for.
  ///
  /// They take 32 MiB, of which only the written part becomes resident.
  private static let reservedIDs: Int64 = 4 << 20

  /// How many bytes of rows a VACUUM rewrites in about a second.
  private static let quickToRewrite: Int64 = 64 << 20

  /// The queue on which the store runs.
  public nonisolated let queue = SerialQueue(label: "org.copypasta.history")
  private let digest: Digest
  private let timeouts: LockTimeouts
  private let location: HistoryLocation
  private var file: OpenFile
  /// Connections without locks that are no longer used.
  ///
  /// Closing one earlier than `file` would drop the locks of this process's other connections to the same file
  /// (https://sqlite.org/howtocorrupt.html).
  private var retired: [ReopeningReader<ReadConnection>] = []
  private var isClosed = false

  /// The connections to the history, and what they permit.
  private struct OpenFile {
    /// Nil while the history cannot be written.
    var connection: WriteConnection?
    /// Reads the history while it cannot be written.
    var fallback: ReopeningReader<ReadConnection>?
    var access: Access

    /// Opens the history to write or, if that is impossible, to read.
    init(_ location: HistoryLocation, _ timeouts: LockTimeouts) {
      do throws(StoreError) {
        connection = try HistoryOpening(location, timeouts: timeouts).toWrite()
        access = .readWrite
      } catch let error where error.mayLeaveReadable {
        do throws(StoreError) {
          fallback = try ReopeningReader(HistoryOpening(location, timeouts: timeouts))
          access = .readOnly(error)
        } catch .damaged {
          access = .none(.damaged)
        } catch _ {
          access = .none(error)
        }
      } catch {
        access = .none(error)
      }
    }

    /// A history that is closed for this reason.
    init(closedBecause error: StoreError) { access = .none(error) }
  }

  /// Whether the log may still hold a deleted text.
  ///
  /// A reader can prevent the log from being truncated, so the store tries immediately, at each later write, after each
  /// delay in `retries`, and when it closes.
  private var needsCheckpoint: Bool
  private var retry: DispatchTimer?
  /// Changes when a clip is restored, which invalidates an earlier search for expired clips.
  ///
  /// The first value is random, so that a search by another store, perhaps in another file, is invalid, too.
  private(set) var revision = UInt64.random(in: .min ... .max)

  /// What the store could do with the history when it was created.
  public nonisolated let initialAccess: Access

  /// Why the history was opened for reading only; nil if it could be written.
  public nonisolated var obstacle: StoreError? { initialAccess.obstacle }

  /// Runs the actor on `queue`.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Opens the history, and creates it if it does not exist.
  ///
  /// This is synchronous, because the app needs the history to start. Opening a history that is up to date only reads,
  /// and takes well under a millisecond. If the history can be read but not written, `obstacle` holds the reason. Every
  /// method that writes then tries again, and throws the reason until it succeeds.
  ///
  /// - Parameter digest: must always return the same result for the same key and text.
  /// - Throws: `.newerSchema`, `.foreign`, `.damaged` and others, with the content of the file unchanged.
  public init(location: HistoryLocation, digest: @escaping Digest) throws(StoreError) {
    try self.init(location: location, digest: digest, timeouts: LockTimeouts())
  }

  init(location: HistoryLocation, digest: @escaping Digest, timeouts: LockTimeouts) throws(StoreError) {
    self.init(at: location, digest: digest, timeouts: timeouts)
    if case .none(let error) = initialAccess { throw error }
  }

  /// Opens the history as far as possible; `initialAccess` holds the result, and `open` tries again.
  ///
  /// Waits only briefly for another program's lock, because it runs before the first frame.
  public init(at location: HistoryLocation, digest: @escaping Digest) {
    self.init(at: location, digest: digest, timeouts: LockTimeouts(opening: 25))
  }

  init(at location: HistoryLocation, digest: @escaping Digest, timeouts: LockTimeouts) {
    self.digest = digest
    self.timeouts = timeouts
    self.location = location
    var hasLog = false
    let file: OpenFile
    do throws(StoreError) {
      // The log of a crashed process may hold a text that was deleted just before the crash.
      hasLog = try (HistoryFolder.size(of: location.writeAheadLog) ?? 0) > 0
      file = OpenFile(location, timeouts)
    } catch {
      file = OpenFile(closedBecause: error)
    }
    needsCheckpoint = hasLog
    initialAccess = file.access
    self.file = file
    if hasLog {
      Task.unpooled(on: self) { store in store.truncateLogLater(timeouts.retries[...]) }
    }
  }

  /// Records a text as the newest clip, unless it equals the last captured text; writes row and fingerprint in one
  /// transaction.
  ///
  /// `now` is in microseconds since 1970 UTC. If the clock was set back a little, the clip gets the time of the last
  /// capture. After a jump it gets the clock's time, and still sorts after all others.
  @discardableResult
  public func record(_ text: ClipText, at now: Int64) throws(StoreError) -> RecordOutcome {
    try write(text, at: now) { _, isLast in isLast }
  }

  /// Records a text that the user pastes or drops, unless the newest clip has the same text; `now` is as in `record`.
  ///
  /// A text is added again if its row was deleted or is further down. If `fromClipboard` is true, the text becomes the
  /// last captured text. A dropped text does not, because the text that is still on the clipboard would then be
  /// recorded again.
  @discardableResult
  public func recordExplicitly(
    _ text: ClipText, at now: Int64, fromClipboard: Bool
  ) throws(StoreError) -> RecordOutcome {
    try write(text, at: now, noted: fromClipboard) { connection, _ throws(StoreError) in
      try connection.newestIs(text)
    }
  }

  /// Stores a text that was copied from the history as the last captured text; adds no row.
  public func noteCopied(_ text: ClipText) throws(StoreError) {
    _ = try write(text, at: CaptureTime.unknown) { _, _ in true }
  }

  /// Adds a row unless the text is known, and stores the fingerprint if `noted` is true, in one transaction.
  ///
  /// - Parameter isKnown: returns whether the text is known, given whether it equals the last captured text.
  private func write(
    _ text: ClipText, at now: Int64, noted: Bool = true,
    unless isKnown: (WriteConnection, _ isLast: Bool) throws(StoreError) -> Bool
  ) throws(StoreError) -> RecordOutcome {
    let connection = try opened()
    // Compute the digest before the transaction, because it takes some 0.3 s for 64 MiB, and no other process can write
    // during a transaction.
    let fingerprint = Fingerprint(digest: digest(connection.key, text), byteCount: text.byteCount)
    let clip = try connection.database.transaction { () throws(StoreError) -> Clip? in
      let last = try connection.readLastCapture()
      let isLast = last.fingerprint == fingerprint
      let time = CaptureTime.next(after: last.capturedAt, at: now)
      let clip = try isKnown(connection, isLast) ? nil : connection.insert(text, capturedAt: time)
      if clip != nil || noted && !isLast {
        try connection.writeLastCapture(
          noted ? fingerprint : last.fingerprint, capturedAt: clip?.capturedAt ?? last.capturedAt)
      }
      return clip
    }
    truncateLogIfNeeded()
    return clip.map { .recorded($0) } ?? .duplicate
  }

  /// Returns the whole text of a clip; nil if the clip was deleted, which is confirmed by reading every row.
  ///
  /// - Throws: `.damaged` if the row holds no valid text, or exists but is not found by its id.
  public func text(of id: Int64) throws(StoreError) -> ClipText? {
    try read { reads throws(StoreError) in try reads.text(of: id) }
  }

  /// Returns the ids of all clips older than the clip with `id`, in ascending order.
  public func ids(olderThan id: Int64) throws(StoreError) -> [Int64] {
    // Reserve memory for all ids, up to a limit, because a growing array is in memory twice while it is copied.
    let capacity = Int(clamping: min(max(id, 0), Self.reservedIDs))
    return try read { reads throws(StoreError) in try reads.ids(olderThan: id, capacity: capacity) }
  }

  /// Closes the connection; later calls throw `.failed` with `SQLITE_MISUSE`.
  ///
  /// When the program ends, close every reader first: the last connection to be closed removes the log, which a
  /// read-only connection cannot do.
  public func close() {
    retry = nil
    truncateLogIfNeeded()
    isClosed = true
    file = OpenFile(closedBecause: .failed(code: SQLITE_MISUSE))
    retired = []
  }

  /// Closes the file until the next call of `open`, so that a recovery can replace it; calls in between throw `error`.
  public func release(because error: StoreError) {
    truncateLogIfNeeded()
    file = OpenFile(closedBecause: error)
    retired = []
  }

  /// Tries again to open the history, or to write it, as far as that was impossible before.
  ///
  /// Waits only briefly for another program's lock, because other calls wait meanwhile. If the history becomes
  /// writable, other programs may have changed it in between: read the list of clips again.
  ///
  /// - Parameter anew: whether to close the file first, because it was replaced or is damaged.
  public func open(anew: Bool = false) -> Access {
    guard !isClosed else { return file.access }
    if anew { release(because: .replaced) }
    do throws(StoreError) {
      switch file.access {
      case .readWrite: file.access = try checkWriting()
      case .readOnly: _ = try opened()
      case .none:
        file = OpenFile(location, timeouts)
        revision = .random(in: .min ... .max)
      }
    } catch .replaced {
      return .none(.replaced)
    } catch {
      // The history is still readable.
      return error.mayLeaveReadable ? .readOnly(error) : .none(error)
    }
    return file.access
  }

  /// Writes what is there already, because only a write shows whether there is room on the disk and no foreign lock.
  private func checkWriting() throws(StoreError) -> Access {
    guard let connection = file.connection else { return file.access }
    connection.database.lockTimeout = timeouts.opening
    defer { connection.database.lockTimeout = timeouts.lock }
    try connection.database.transaction { () throws(StoreError) in
      let last = try connection.readLastCapture()
      try connection.writeLastCapture(last.fingerprint, capturedAt: last.capturedAt)
    }
    return .readWrite
  }

  // MARK: - Deletion

  /// Deletes a clip, and erases its text from the files.
  ///
  /// The text is overwritten with zeros in the database, including copies that SQLite left when it moved rows, and the
  /// log is truncated. The log cannot be truncated while a program reads it; the store then tries again at the next
  /// write, after each delay in `retries`, when the history is closed, and when it is next opened.
  ///
  /// This does not cover blocks that the log returned to the file system, copies on a flash disk or in a snapshot, or
  /// what other programs write to the file. The fingerprint stays, so that the text is not captured again immediately.
  ///
  /// - Returns: the deleted clip, for `restore`; nil if the clip does not exist, which is confirmed by reading every
  ///   row.
  /// - Throws: `.damaged` if the clip exists but is not found by its id.
  @discardableResult
  public func delete(_ id: Int64) throws(StoreError) -> DeletedClip? {
    let connection = try opened()
    let deleted = try connection.database.transaction { () throws(StoreError) in try connection.delete(id) }
    if deleted != nil { truncateLog() } else { try connection.reads.confirmAbsence(of: id) }
    return deleted
  }

  /// Restores a deleted clip with its time, its bytes and its id, which determines its place in the list.
  ///
  /// The fingerprint of the last captured text does not change.
  ///
  /// - Throws: `.alreadyThere` if a clip has that id, `.damaged` if the deleted bytes were not valid text.
  @discardableResult
  public func restore(_ deleted: DeletedClip) throws(StoreError) -> Clip {
    let connection = try opened()
    let clip = try connection.restore(deleted)
    revision &+= 1
    truncateLogIfNeeded()
    return clip
  }

  /// Deletes every clip, as thoroughly as `delete` does, and shrinks the file.
  ///
  /// Readers continue during the deletion, and see either everything or nothing. The fingerprint of the last captured
  /// text stays. The deletion temporarily needs as much free disk space as the history takes.
  ///
  /// - Returns: the number of deleted clips.
  @discardableResult
  public func deleteAll() throws(StoreError) -> Int {
    let connection = try opened()
    let count = try connection.database.transaction { () throws(StoreError) in
      try connection.database.execute("DELETE FROM clip")
      return try connection.database.integer("SELECT changes()") ?? 0
    }
    truncateLog()
    vacuum(connection.database)
    return Int(count)
  }

  // MARK: - Retention

  /// Finds the clips that are older than a retention period, according to the given clocks.
  ///
  /// If no clip has expired, this shrinks a file that an interrupted deletion has left mostly empty. It then also
  /// stores `reading` as the last check if the clock is trusted or there was no earlier check.
  ///
  /// - Returns: nil if no clip can expire, because the period is forever or reaches back before 1970.
  public func findExpired(
    after period: RetentionPeriod, at reading: ClockReading
  ) throws(StoreError) -> ExpiredClips? {
    guard let duration = period.duration, let limit = period.limit(at: reading.wallTime) else { return nil }
    let last = try file.connection?.readLastLook()
    let isBelieved = RetentionPolicy.believes(reading, after: last, keeping: duration)
    let found = try read { reads throws(StoreError) in
      try ExpiredRows.find(in: reads.database, before: limit, at: reading.wallTime)
    }
    if found.count == 0 {
      finishLook(isBelieved || last == nil && reading.isPlausible ? reading : nil, after: last)
    }
    return ExpiredClips(
      period: period, reading: reading, count: found.count, isClockBelieved: isBelieved,
      lastID: found.lastID, firstYoungID: found.firstYoungID, revision: revision)
  }

  /// Deletes expired clips, as thoroughly as `delete` does, in batches, so that captures and copies wait only briefly.
  ///
  /// Deletes nothing if an expired clip was deleted since the search or another store made the search, and nothing more
  /// once a clip has been restored.
  /// Each batch's transaction also stores the clock reading of the search as the last check.
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
        try connection.writeLastLook(expired.reading)
        return ids
      }
      guard !ids.isEmpty else { return }
      isFirst = false
      truncateLog()
      // While this call waits for the main actor, other calls to the store can run.
      guard await deleted(ids) else { return }
    }
  }

  /// Stores `reading` as the last check, and shrinks the file if most of it is free.
  ///
  /// Does not throw errors, because no deletion was requested; the next check tries again.
  private func finishLook(_ reading: ClockReading?, after last: ClockReading?) {
    guard let database = file.connection?.database else { return }
    do throws(StoreError) {
      if let reading, !reading.isWithinAnHour(of: last) {
        try database.transaction { () throws(StoreError) in try file.connection?.writeLastLook(reading) }
      }
      if try database.isMostlyEmpty(upTo: Self.quickToRewrite) { vacuum(database) }
    } catch {}
  }

  // MARK: - Helpers

  /// Truncates the log after a deletion, now or later.
  private func truncateLog() {
    needsCheckpoint = true
    truncateLogIfNeeded()
    truncateLogLater(timeouts.retries[...])
  }

  /// Truncates the log if it may hold a deleted text.
  ///
  /// Does not throw errors, because the deletion of the row is already committed. After an error, or if a reader blocks
  /// the checkpoint, `needsCheckpoint` remains set.
  private func truncateLogIfNeeded() {
    guard needsCheckpoint, let connection = file.connection else { return }
    do throws(StoreError) {
      needsCheckpoint = try !connection.database.truncateLog(waiting: timeouts.readers)
    } catch {
      // `needsCheckpoint` remains set.
    }
  }

  /// Truncates the log after each of `delays`, while it may hold a deleted text.
  private func truncateLogLater(_ delays: ArraySlice<Duration>) {
    let delay = needsCheckpoint ? delays.first : nil
    retry = delay.map {
      DispatchTimer(after: $0, on: queue) { [weak self] in
        self?.assumeIsolated { store in
          store.truncateLogIfNeeded()
          store.truncateLogLater(delays.dropFirst())
        }
      }
    }
  }

  /// Gives free pages back to the file system, but only after they were overwritten.
  private func vacuum(_ database: Database) {
    guard !needsCheckpoint else { return }
    do throws(StoreError) {
      try database.execute("VACUUM")
      truncateLog()
    } catch {
      // Ignore the error: the rows are deleted, and a large file does no harm.
    }
  }

  /// Returns the write connection; opens it if this was not possible before.
  private func opened() throws(StoreError) -> WriteConnection {
    if let connection = file.connection { return connection }
    guard case .readOnly = file.access else { throw file.access.obstacle ?? .failed(code: SQLITE_MISUSE) }
    let opened = try HistoryOpening(location, timeouts: timeouts).toWrite()
    if let fallback = file.fallback.take() { retired.append(fallback) }
    (file.connection, file.access) = (opened, .readWrite)
    return opened
  }

  private func read<Result>(
    _ body: (ReadConnection) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    if let connection = file.connection { return try body(connection.reads) }
    guard let fallback = file.fallback else { throw file.access.obstacle ?? .failed(code: SQLITE_MISUSE) }
    return try fallback.read(body)
  }
}
