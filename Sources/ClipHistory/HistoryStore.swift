import CSQLite
import SerialQueue

/// Writes the history on disk, and reads what is too large for the main thread.
///
/// Each method is one operation and at most one transaction; when it returns, its work is on disk. The store runs on a
/// thread of its own. Several processes may have the same history open. Call `close` when done: releasing the store
/// closes it, too, but the releasing thread then has to write to disk.
///
/// ```swift
/// let store = HistoryStore(at: HistoryLocation(folder: folder), digest: hmac)
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
    /// How long to wait for another program's lock, in milliseconds: only a moment, because copies wait meanwhile.
    var lock: Int32 = 50
    /// The same while the history is being opened.
    var opening: Int32 = 2000
    /// How long a checkpoint waits for readers, in milliseconds; captures are blocked while it waits.
    var readers: Int32 = 50
    /// The delays before further attempts to truncate the WAL after a deletion, unless a write truncates it first.
    var retries: [Duration] = [.seconds(1), .seconds(10), .seconds(60)]
  }

  /// The outcome of recording a text.
  public enum RecordOutcome: Sendable, Equatable {
    /// A row was added, and is on disk.
    case recorded(Clip)
    /// No row was added: the text equals the newest clip's text or, in `record`, the last captured text.
    case duplicate
  }

  /// What a store can do with its history.
  public enum Access: Sendable, Equatable {
    case readWrite
    /// The history can be read; the error is why it cannot be written.
    case readOnly(StoreError)
    /// The history is not open; the error is why.
    case unavailable(StoreError)

    /// Why the history cannot be written; nil if it can.
    public var obstacle: StoreError? {
      switch self {
      case .readWrite: nil
      case .readOnly(let error), .unavailable(let error): error
      }
    }
  }

  /// The error of every method after `close`.
  private static let isClosed = StoreError.failed(code: SQLITE_MISUSE)

  /// The maximum number of ids to reserve memory for.
  ///
  /// They take 32 MiB, of which only the written part becomes resident.
  private static let reservedIDs: Int64 = 4 << 20

  /// The queue on which the store runs.
  public nonisolated let queue = SerialQueue(label: "org.copypasta.history")
  private let digest: Digest
  private let timeouts: LockTimeouts
  let location: HistoryLocation
  private var file: File
  /// Why a recovery has failed since the history was opened; nil if none has.
  private var recoveryFailure: StoreError?

  private enum File {
    case readWrite(WriteConnection)
    /// The history can be read; the error is why it cannot be written.
    case readOnly(ReopeningReader, because: StoreError)
    case closed(because: StoreError)

    var connection: WriteConnection? {
      if case .readWrite(let connection) = self { connection } else { nil }
    }

    var access: Access {
      switch self {
      case .readWrite: .readWrite
      case .readOnly(_, let error): .readOnly(error)
      case .closed(let error): .unavailable(error)
      }
    }

    /// Opens the history to write or, if that is impossible, to read.
    ///
    /// - Parameter failure: why a recovery has failed; what is readable of a damaged history is then read.
    init(_ location: HistoryLocation, _ timeouts: LockTimeouts, after failure: StoreError? = nil) {
      let opening = HistoryOpener(location, timeouts: timeouts)
      do throws(StoreError) {
        self = .readWrite(try opening.openShared())
      } catch {
        let reason = error == .damaged ? failure ?? error : error
        self = .closed(because: reason)
        guard reason.mayLeaveReadable else { return }
        do throws(StoreError) {
          if failure == nil, try opening.isDamaged() { throw .damaged }
          // Examining every page before the first frame would take too long.
          let reader = try ReopeningReader(opening, salvages: failure != nil)
          reader.salvages = true
          self = .readOnly(reader, because: reason)
        } catch {
          // An empty list would look as if nothing had ever been there.
          if failure == nil, error.isDamage { self = .closed(because: .damaged) }
        }
      }
    }
  }

  /// The connection for writing; nil while the history cannot be written.
  var connection: WriteConnection? { file.connection }

  /// Whether the WAL may still hold a deleted text.
  ///
  /// A reader can prevent the WAL from being truncated, so the store tries immediately, at each later write, after each
  /// delay in `retries`, and when it closes.
  private var needsCheckpoint: Bool
  private var retry: DispatchTimer?
  /// Changes when a clip is restored, which invalidates an earlier search for expired clips.
  ///
  /// The first value is random, so that a search by another store, perhaps in another file, is invalid, too.
  private(set) var revision = UInt64.random(in: .min ... .max)

  /// What the store could do with the history when it was created.
  public nonisolated let initialAccess: Access

  /// Whether another file had replaced the database since the last start, so that its WAL was set aside.
  public nonisolated let wasReplaced: Bool

  /// Runs the actor on `queue`.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Opens the history as far as possible, and creates it if it does not exist; `initialAccess` holds the result.
  ///
  /// This is synchronous, because the app needs the history for its first frame: it waits only briefly for another
  /// program's lock. Opening a history that is up to date only reads, and takes well under a millisecond. If the history
  /// cannot be written, every method that writes tries again, and throws the reason until it succeeds.
  ///
  /// - Parameter digest: must always return the same result for the same key and text.
  public init(at location: HistoryLocation, digest: @escaping Digest) {
    self.init(at: location, digest: digest, timeouts: LockTimeouts(opening: 25))
  }

  init(at location: HistoryLocation, digest: @escaping Digest, timeouts: LockTimeouts) {
    self.digest = digest
    self.timeouts = timeouts
    self.location = location
    // The WAL of a crashed process may hold a text that was deleted just before the crash.
    let hasLog = FileState(location.wal)?.size ?? 0 > 0
    needsCheckpoint = hasLog
    let file = File(location, timeouts)
    self.file = file
    (initialAccess, wasReplaced) = (file.access, file.connection?.hasReplacedDatabase ?? false)
    if hasLog {
      Task.unpooled(on: self) { store in store.truncateWALLater(timeouts.retries[...]) }
    }
  }

  /// Records a text as the newest clip, unless it equals the last captured text or the newest clip's text; writes row
  /// and fingerprint in one transaction.
  ///
  /// `now` is in microseconds since 1970 UTC. If the clock was set back a little, the clip gets the time of the last
  /// capture. After a jump it gets the clock's time, and still sorts after all others.
  @discardableResult
  public func record(_ text: ClipText, at now: Int64) throws(StoreError) -> RecordOutcome {
    try write(text, at: now) { connection, isLast throws(StoreError) in
      if isLast { true } else { try connection.newestIs(text) }
    }
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
    try write(text, at: now, setsLastCaptured: fromClipboard) { connection, _ throws(StoreError) in
      try connection.newestIs(text)
    }
  }

  /// Stores a text that was copied from the history as the last captured text; adds no row.
  public func setLastCaptured(_ text: ClipText) throws(StoreError) {
    _ = try write(text, at: CaptureTime.unknown) { _, _ in true }
  }

  /// Adds a row unless the text is known, and stores the fingerprint if `setsLastCaptured` is true, in one
  /// transaction.
  ///
  /// - Parameter isKnown: returns whether the text is known, given whether it equals the last captured text.
  private func write(
    _ text: ClipText, at now: Int64, setsLastCaptured: Bool = true,
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
      let clip =
        try isKnown(connection, isLast) ? nil : connection.insert(text, capturedAt: time)
      if clip != nil || setsLastCaptured && !isLast {
        try connection.writeLastCapture(
          setsLastCaptured ? fingerprint : last.fingerprint, capturedAt: clip?.capturedAt ?? last.capturedAt)
      }
      return clip
    }
    truncateWALIfNeeded()
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
    try read { reads throws(StoreError) in
      var found: [Int64] = []
      // Reserve memory for all ids, up to a limit, because a growing array is in memory twice while it is copied.
      found.reserveCapacity(Int(min(max(id, 0), Self.reservedIDs)))
      // Use ascending order, as on disk; descending order takes five times as long if the file is not cached.
      try reads.statement("SELECT id FROM clip WHERE id < ?1 ORDER BY id").walk(id) {
        found.append($0)
        return true
      }
      return found
    }
  }

  /// What is readable of a damaged history that cannot be recovered; nil if no damage was found.
  public var salvagedRows: SalvagedRows? {
    if case .readOnly(let reader, _) = file { reader.current.database.salvaged?.rows } else { nil }
  }

  /// Closes the connection; later calls throw `.failed` with `SQLITE_MISUSE`.
  ///
  /// When the program ends, close every reader first: the last connection to be closed removes the WAL, which a
  /// read-only connection cannot do.
  public func close() {
    release(because: Self.isClosed)
    retry = nil
  }

  /// Closes the file until the next call of `open`, so that a recovery can replace it; calls in between throw `error`.
  public func release(because error: StoreError) {
    // If the newest rows are only in the WAL, and the WAL or the database was removed, save them by a checkpoint.
    if connection?.database.hasLostFile == true { needsCheckpoint = true }
    truncateWALIfNeeded()
    file = .closed(because: error)
  }

  /// Tries again to open the history, or to write it, as far as that was impossible before.
  ///
  /// Waits only briefly for another program's lock, because other calls wait meanwhile. If the history becomes
  /// writable, other programs may have changed it in between: read the list of clips again.
  ///
  /// - Parameter failure: why a recovery has failed: what is readable of a damaged history is then read.
  /// - Returns: what is possible; `.unavailable(.damaged)` if a recovery should be tried.
  public func open(after failure: StoreError? = nil) -> Access {
    guard file.access != .unavailable(Self.isClosed) else { return file.access }
    do throws(StoreError) {
      switch file {
      case .readWrite(let connection): try checkWriting(connection)
      case .readOnly:
        do throws(StoreError) {
          _ = try openedForWriting()
        } catch .damaged where recoveryFailure == .diskFull {
          // Without more room, another recovery would fail in the same way.
          try HistoryOpener(location).checkRoomToRecover()
          throw .damaged
        }
      case .closed:
        recoveryFailure = failure
        file = File(location, timeouts, after: failure)
        revision = .random(in: .min ... .max)
      }
    } catch {
      // The history may still be readable.
      return error.mayLeaveReadable ? .readOnly(error) : .unavailable(error)
    }
    return file.access
  }

  /// Closes the file, because it was replaced or is damaged, and opens what is there now.
  ///
  /// - Parameter isDamaged: whether to read only what is readable if the history cannot be written, and so not be
  ///   recovered.
  public func reopen(isDamaged: Bool = false) -> Access {
    guard file.access != .unavailable(Self.isClosed) else { return file.access }
    release(because: .replaced)
    let access = open()
    guard isDamaged, case .readOnly(let reader, _) = file else { return access }
    do throws(StoreError) {
      try reader.salvage()
    } catch {
      file = .closed(because: error)
    }
    return file.access
  }

  /// Writes existing values again, because only a write shows whether the disk is full or another program has a lock.
  private func checkWriting(_ connection: WriteConnection) throws(StoreError) {
    connection.database.lockTimeout = timeouts.opening
    defer { connection.database.lockTimeout = timeouts.lock }
    try connection.database.transaction { () throws(StoreError) in
      let last = try connection.readLastCapture()
      // SQLite writes a page only if it changes.
      try connection.writeLastCapture(last.fingerprint, capturedAt: last.capturedAt &+ 1)
      try connection.writeLastCapture(last.fingerprint, capturedAt: last.capturedAt)
    }
  }

  // MARK: - Deletion

  /// Deletes a clip, and erases its text from the files.
  ///
  /// The text is overwritten with zeros in the database, including copies that SQLite left when it moved rows, and the
  /// log is truncated. The WAL cannot be truncated while a program reads it; the store then tries again at the next
  /// write, after each delay in `retries`, when the history is closed, and when it is next opened.
  ///
  /// This does not cover blocks that the WAL returned to the file system, copies on a flash disk or in a snapshot, or
  /// what other programs write to the file. The fingerprint stays, so that the text is not captured again immediately.
  ///
  /// - Returns: the deleted clip, for `restore`; nil if the clip does not exist, which is confirmed by reading every
  ///   row.
  /// - Throws: `.damaged` if the clip exists but is not found by its id.
  @discardableResult
  public func delete(_ id: Int64) throws(StoreError) -> DeletedClip? {
    let connection = try opened()
    let deleted = try connection.database.transaction { () throws(StoreError) in try connection.delete(id) }
    if deleted != nil { truncateWAL() } else { try connection.reads.confirmAbsence(of: id) }
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
    truncateWALIfNeeded()
    return clip
  }

  /// Deletes every clip, as thoroughly as `delete` does, shrinks the file, and removes the copies that recoveries have
  /// left or set aside.
  ///
  /// Readers continue during the deletion, and see either everything or nothing. The fingerprint of the last captured
  /// text stays. The deletion temporarily needs as much free disk space as the history takes.
  ///
  /// - Returns: the number of deleted clips.
  /// - Throws: `.folderUnusable` if a copy cannot be removed; the clips are then still there.
  @discardableResult
  public func deleteAll() throws(StoreError) -> Int {
    let connection = try opened()
    if connection.database.hasMoved { throw .replaced }
    try location.clearQuarantine()
    let count = try connection.deleteAll()
    truncateWAL()
    vacuum(connection.database)
    return count
  }

  /// Whether deleted texts may still be in the files, because a reader or an error prevents a checkpoint; tries again
  /// first.
  public func mayHoldDeletedTexts() -> Bool {
    truncateWALIfNeeded()
    return needsCheckpoint
  }

  // MARK: - Helpers

  /// Truncates the WAL after a deletion, now or later.
  func truncateWAL() {
    needsCheckpoint = true
    truncateWALIfNeeded()
    truncateWALLater(timeouts.retries[...])
  }

  /// Truncates the WAL if it may hold a deleted text.
  ///
  /// Does not throw errors, because the deletion of the row is already committed. After an error, or if a reader blocks
  /// the checkpoint, `needsCheckpoint` remains set.
  private func truncateWALIfNeeded() {
    guard needsCheckpoint, let connection else { return }
    do throws(StoreError) {
      needsCheckpoint = try !connection.database.truncateWAL(waiting: timeouts.readers)
    } catch {
      // `needsCheckpoint` remains set.
    }
  }

  /// Truncates the WAL after each of `delays`, while it may hold a deleted text.
  private func truncateWALLater(_ delays: ArraySlice<Duration>) {
    let delay = needsCheckpoint ? delays.first : nil
    retry = delay.map {
      DispatchTimer(after: $0, on: queue) { [weak self] in
        self?.assumeIsolated { store in
          store.truncateWALIfNeeded()
          store.truncateWALLater(delays.dropFirst())
        }
      }
    }
  }

  /// Gives free pages back to the file system, but only after they were overwritten.
  func vacuum(_ database: Database) {
    guard !needsCheckpoint else { return }
    do throws(StoreError) {
      try database.execute("VACUUM")
      truncateWAL()
    } catch {
      // Ignore the error: the rows are deleted, and a large file does no harm.
    }
  }

  /// Returns the write connection; opens it if this was not possible before.
  func opened() throws(StoreError) -> WriteConnection {
    do throws(StoreError) {
      return try openedForWriting()
    } catch {
      // Do not ask for another recovery at each write.
      throw error == .damaged ? recoveryFailure ?? error : error
    }
  }

  private func openedForWriting() throws(StoreError) -> WriteConnection {
    if let connection { return connection }
    if case .closed(let error) = file { throw error }
    let opened = try HistoryOpener(location, timeouts: timeouts).openShared()
    file = .readWrite(opened)
    return opened
  }

  /// Reads with the write connection or, while there is none, with the fallback connection.
  func read<Result>(_ body: (ReadConnection) throws(StoreError) -> Result) throws(StoreError) -> Result {
    switch file {
    case .readWrite(let connection): try body(connection.reads)
    case .readOnly(let reader, _): try reader.read(body)
    case .closed(let error): throw error
    }
  }
}
