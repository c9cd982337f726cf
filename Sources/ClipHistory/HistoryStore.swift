import CSQLite
import SerialQueue

/// The history on disk: the connection that writes, which also reads what is too large for the main thread.
///
/// Each method is one intent and at most one transaction; when it returns, what it did is on disk. It runs on a
/// thread of its own. Several processes may have the same history open. `close` it at the end: a store that is only
/// let go of closes too, but on the thread that lets go, and closing writes.
///
/// ```swift
/// let store = try HistoryStore(location: HistoryLocation(folder: folder), digest: hmac)
/// let text = try ClipText(validating: Array("hello".utf8))
/// try await store.record(text, at: now)  // .recorded(Clip)
/// try await store.record(text, at: now)  // .duplicate
/// ```
public actor HistoryStore {
  /// A keyed digest that cannot be forged or inverted, HMAC-SHA-256 in the app; runs on the store's thread.
  public typealias Digest = @Sendable (_ key: [UInt8], _ text: ClipText) -> [UInt8]

  /// What became of a text that was to be recorded.
  public enum RecordOutcome: Sendable, Equatable {
    /// It is a new row, and on disk.
    case recorded(Clip)
    /// It is the last captured text again, or the newest clip's where it came on purpose; no row was added.
    case duplicate
  }

  /// Room for so many ids is asked for at once: 32 MiB, of which only what is written to is ever resident.
  private static let reservedIDs: Int64 = 4 << 20

  let queue = SerialQueue(label: "org.copypasta.history")
  private let digest: Digest
  let patience: Patience
  private let location: HistoryLocation
  /// Nil while nothing can be written.
  private(set) var session: WritingSession?
  private var reading: ReadingSession?
  private var isClosed = false

  /// Whether the log may still hold a deleted text, and what will see to it.
  var owesTruncation: Bool
  var laterTruncation: DispatchTimer?

  /// The thread that the store runs on.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Opens the history, and makes it where there is none.
  ///
  /// Synchronous, for the start of the program: an existing history that is up to date is only read, in well under
  /// a millisecond. `digest` must give the same result for the same key and text for ever. Where the history can be
  /// read but not written, whatever would write throws `.readOnly` for as long as that is so. Throws `.newerSchema`,
  /// `.foreign`, `.damaged` and the others without having changed what is in the file.
  public init(location: HistoryLocation, digest: @escaping Digest) throws(StoreError) {
    try self.init(location: location, digest: digest, patience: Patience())
  }

  init(location: HistoryLocation, digest: @escaping Digest, patience: Patience) throws(StoreError) {
    self.digest = digest
    self.patience = patience
    // A log that a crash left behind may hold a text that was deleted just before.
    owesTruncation = HistoryFolder.size(of: location.writeAheadLog).map { $0 > 0 } ?? false
    self.location = location
    do throws(StoreError) {
      let opened = try WritingSession(location: location, patience: patience)
      (session, reading) = (opened, opened.reading)
    } catch .readOnly {
      reading = try ReadingSession(HistoryReader.connect(to: location).connection)
    }
    if owesTruncation {
      Task { [weak self] in await self?.truncateLogLater() }
    }
  }

  /// Records a text as the newest clip, unless it is the last captured one; row and fingerprint in one transaction.
  ///
  /// `now` is in microseconds since 1970 UTC. If the clock was set back a little, the clip gets the time of the last
  /// capture; after a jump it gets the clock's own time, and still comes after all others.
  @discardableResult
  public func record(_ text: ClipText, at now: Int64) throws(StoreError) -> RecordOutcome {
    let session = try opened()
    let fingerprint = fingerprint(of: text, session)
    let outcome = try session.connection.transaction { () throws(StoreError) -> RecordOutcome in
      let last = try session.readLastCapture()
      if last.fingerprint == fingerprint { return .duplicate }
      let clip = try session.insert(text, capturedAt: CaptureTime.next(after: last.capturedAt, at: now))
      try session.writeLastCapture(fingerprint, capturedAt: clip.capturedAt)
      return .recorded(clip)
    }
    truncateLogIfOwed()
    return outcome
  }

  /// Records a text that the user hands over on purpose, unless it is the newest clip's; `now` as in `record`.
  ///
  /// So it brings back a text whose row was deleted, or that lies further down. It becomes the last captured text
  /// where it came `fromClipboard`; what was dropped did not, and what is on the clipboard must not be recorded again.
  @discardableResult
  public func recordOnPurpose(
    _ text: ClipText, at now: Int64, fromClipboard: Bool
  ) throws(StoreError) -> RecordOutcome {
    let session = try opened()
    let fingerprint = fingerprint(of: text, session)
    let outcome = try session.connection.transaction { () throws(StoreError) -> RecordOutcome in
      let last = try session.readLastCapture()
      let time = CaptureTime.next(after: last.capturedAt, at: now)
      let clip = try session.newestIs(text) ? nil : session.insert(text, capturedAt: time)
      try session.writeLastCapture(
        fromClipboard ? fingerprint : last.fingerprint, capturedAt: clip?.capturedAt ?? last.capturedAt)
      return clip.map { .recorded($0) } ?? .duplicate
    }
    truncateLogIfOwed()
    return outcome
  }

  /// Remembers a text that was copied out of the history as the last captured one; adds no row.
  public func noteCopied(_ text: ClipText) throws(StoreError) {
    let session = try opened()
    let fingerprint = fingerprint(of: text, session)
    try session.connection.transaction { () throws(StoreError) in
      let last = try session.readLastCapture()
      if last.fingerprint == fingerprint { return }
      try session.writeLastCapture(fingerprint, capturedAt: last.capturedAt)
    }
    truncateLogIfOwed()
  }

  /// The whole text of a clip, nil where it was deleted; `.damaged` where the row holds no valid text.
  public func text(of id: Int64) throws(StoreError) -> ClipText? {
    try readable().text(of: id)
  }

  /// The ids of all clips older than this one, ascending: the oldest first.
  public func ids(olderThan id: Int64) throws(StoreError) -> [Int64] {
    // As many as there can be, as a rule; grown step by step, a large list would lie in memory twice.
    try readable().ids(olderThan: id, capacity: Int(clamping: min(max(id, 0), Self.reservedIDs)))
  }

  /// Closes the connection; whatever is asked afterwards fails with `SQLITE_MISUSE`.
  ///
  /// Let go of every reader before: the last connection to close puts the log away, and a reader cannot.
  public func close() {
    laterTruncation = nil
    truncateLogIfOwed()
    (session, reading, isClosed) = (nil, nil, true)
  }

  // MARK: -

  /// The session that writes; opens it where that was not possible before.
  func opened() throws(StoreError) -> WritingSession {
    if let session { return session }
    guard !isClosed else { throw .failed(code: SQLITE_MISUSE) }
    let opened = try WritingSession(location: location, patience: patience)
    (session, reading) = (opened, opened.reading)
    return opened
  }

  private func readable() throws(StoreError) -> ReadingSession {
    guard let reading else { throw .failed(code: SQLITE_MISUSE) }
    return reading
  }

  /// Taken before the transaction: a text of 64 MiB takes some 0.3 s, and nobody else could write meanwhile.
  private func fingerprint(of text: ClipText, _ session: WritingSession) -> Fingerprint {
    Fingerprint(digest: digest(session.key, text), byteCount: text.byteCount)
  }
}
