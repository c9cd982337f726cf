import ClipHistory
import ClipboardCore
import SerialQueue
import Synchronization

/// Follows the clipboard while the window is active, and only then, and takes each text into the history.
///
/// The recorder reconciles once when the window becomes active and then reads each new offer. There is no timer and no
/// polling; while the window is inactive nothing is asked for. Nothing on the way from the clipboard to the disk waits
/// for the main thread.
actor ClipboardRecorder {
  /// How many bytes may wait for the disk while the next text is read.
  static let backlogLimit = 4 << 20
  /// The cost of a waiting text beside its bytes, so that many small ones are bounded too.
  private static let costOfText = 1 << 10

  private let source: any ClipboardSource
  private let store: HistoryStore
  private let now: @Sendable () -> Int64
  private let tell: @Sendable (CaptureOutcome) -> Void
  private let thread = SerialQueue(label: "org.copypasta.recorder")
  /// The work that goes into the history, one after the other, with all else that the user does with it.
  private let queue: TaskQueue
  private let limitsOfTransfers = Mutex(TransferLimits())

  private var following: Task<Void, Never>?
  private var isClosed = false
  private var isReading = false
  /// The texts that were copied out of the history, and are noted when what was read before is recorded.
  private var unnoted: [ClipText] = []
  /// How many of `unnoted`, the last ones, were copied during the read that is under way.
  private var copiedMeanwhile = 0
  private var readEnd: [CheckedContinuation<Void, Never>] = []
  /// The size of the texts that were read and are not on disk yet, in bytes.
  private var backlog = 0

  /// Judging a text of many MiB takes time.
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - queue: takes each text that was read.
  ///   - tell: called with what became of each offer and own copy, in their order, on any thread.
  init(
    _ source: any ClipboardSource, into store: HistoryStore, queue: TaskQueue = TaskQueue(),
    now: @escaping @Sendable () -> Int64, tell: @escaping @Sendable (CaptureOutcome) -> Void
  ) {
    self.source = source
    self.store = store
    self.queue = queue
    self.now = now
    self.tell = tell
  }

  /// How far the transfers that begin from now on may go.
  nonisolated var limits: TransferLimits {
    get { limitsOfTransfers.withLock(\.self) }
    set { limitsOfTransfers.withLock { $0 = newValue } }
  }

  // MARK: - Following the clipboard

  /// Follows the clipboard from now on, or does not; at once.
  ///
  /// A transfer that has begun goes on to its end, within its limits: some owners (xclip 0.13) serve nobody else until
  /// it is over.
  @MainActor func follow(_ isActive: Bool) {
    source.allowReading(isActive)
    if isActive { Task.unpooled(on: self) { recorder in recorder.begin() } }
  }

  /// Ends following for good, in the middle of a transfer if need be.
  @MainActor func close() {
    source.allowReading(false)
    Task.unpooled(on: self) { recorder in recorder.end() }
  }

  private func begin() {
    guard following == nil, !isClosed else { return }
    following = Task.unpooled(on: self) { recorder in await recorder.recordOffers() }
  }

  private func end() {
    isClosed = true
    following?.cancel()
    following = nil
  }

  private func recordOffers() async {
    // The optimizer of Swift 6.2.3 crashes if the queue is read after a wait.
    let queue = queue
    do throws(TransferError) {
      while true {
        try await source.nextOffer()
        isReading = true
        do throws(TransferError) {
          let content = try await source.read(within: limits, onPurpose: false)
          switch content {
          case .text(let bytes): enqueue(bytes)
          case .secret: tell(.secret)
          case .own, .noText: break
          }
        } catch {
          refuse(error)
        }
        isReading = false
        for _ in 0..<copiedMeanwhile { noteNext() }
        copiedMeanwhile = 0
        readEnd.forEach { $0.resume() }
        readEnd = []
        // The next read waits until the disk has caught up.
        if backlog > Self.backlogLimit { await queue.drain() }
      }
    } catch {
      // Following begins again when the window next becomes active.
      following = nil
      refuse(error)
    }
  }

  /// Records a text behind those that were read before it.
  private func enqueue(_ bytes: [UInt8]) {
    let (time, cost) = (now(), bytes.count + Self.costOfText)
    backlog += cost
    queue.add(for: self) { recorder in
      // A clipboard manager may have taken an own copy over, and have been read, before the copy is noted.
      let copies = recorder.unnoted
      let outcome = await recorder.record(bytes) { [store = recorder.store] text throws(StoreError) in
        copies.contains(text) ? .duplicate : try await store.record(text, at: time)
      }
      // An empty text is nothing to keep, and nothing to tell of.
      if outcome != .invalid(.empty) { recorder.tell(outcome) }
      recorder.backlog -= cost
    }
  }

  private func refuse(_ error: TransferError) {
    if error != .cancelled { tell(.unread(error)) }
  }

  // MARK: - What the user does

  // Called from work in the queue, so that it comes after what was read before.

  /// Records a text that the user hands over, unless it is the newest clip's.
  ///
  /// - Returns: The outcome of the text, not passed to `tell`.
  func recordExplicitly(_ bytes: [UInt8], fromClipboard: Bool) async -> CaptureOutcome {
    let time = now()
    return await record(bytes) { [store] text throws(StoreError) in
      try await store.recordExplicitly(text, at: time, fromClipboard: fromClipboard)
    }
  }

  /// Notes that a text was copied out of the history, so that it is not recorded when it comes back.
  ///
  /// A text that is being read, or waits for the disk, was on the clipboard before: it is compared with what was
  /// captured or copied until then. Otherwise the last text, read again as the window became active, would be taken for
  /// a new one.
  func noteCopied(_ text: ClipText) async {
    guard isReading || backlog > 0 else { return await note(text) }
    unnoted.append(text)
    if isReading { copiedMeanwhile += 1 } else { noteNext() }
  }

  /// Notes the first text that is not noted yet, behind what was read before.
  private func noteNext() {
    queue.add(for: self) { recorder in
      await recorder.note(recorder.unnoted[0])
      recorder.unnoted.removeFirst()
    }
  }

  private func note(_ text: ClipText) async {
    do throws(StoreError) {
      try await store.noteCopied(text)
    } catch {
      // The text is on the clipboard, as the user wants, and a history that takes no note takes no row either. Only a
      // history that has to be opened anew is told of.
      if error == .damaged || error == .replaced { tell(.failed(error)) }
    }
  }

  // MARK: -

  /// Returns when a read that has begun is over, and all that was read so far is recorded.
  func drain() async {
    // The optimizer of Swift 6.2.3 crashes if the queue is read after a wait.
    let queue = queue
    await withCheckedContinuation { continuation in
      if isReading { readEnd.append(continuation) } else { continuation.resume() }
    }
    await queue.drain()
  }

  /// Judges a text, and records it with `intent` if it is one.
  private func record(
    _ bytes: [UInt8], with intent: (ClipText) async throws(StoreError) -> HistoryStore.RecordOutcome
  ) async -> CaptureOutcome {
    let text: ClipText
    do throws(ClipText.Refusal) {
      text = try ClipText(validating: bytes)
    } catch {
      return .invalid(error)
    }
    do throws(StoreError) {
      return switch try await intent(text) {
      case .recorded(let clip): .recorded(clip)
      case .duplicate: .ignored
      }
    } catch {
      return .failed(error)
    }
  }
}

/// The outcome of something that was offered, pasted or dropped.
enum CaptureOutcome: Equatable, Sendable {
  /// The text is on disk, and may be shown.
  case recorded(Clip)
  /// The text is the last captured one again; if it was pasted, the newest clip's.
  case ignored
  /// The history keeps no such text.
  case invalid(ClipText.Refusal)
  /// The text could not be read.
  case unread(TransferError)
  /// The text could not be kept.
  case failed(StoreError)
  /// The clipboard has no text to paste.
  case noText
  /// A password manager asks not to record the text.
  case secret
}
