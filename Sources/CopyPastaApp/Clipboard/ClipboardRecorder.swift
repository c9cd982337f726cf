import ClipHistory
import ClipboardCore
import Synchronization

/// Records in the history the texts that a `ClipboardSource` delivers.
///
/// The source's thread enqueues a delivery, the store's thread validates and records its text, and `report` receives
/// the outcome.
/// No step waits for the main thread.
final class ClipboardRecorder: Sendable {
  /// The backlog, in bytes, above which no further text is read until all earlier outcomes have been reported.
  static let backlogLimit = 4 << 20
  /// Counted in the backlog for each delivery, in addition to the text's bytes, so that the number of deliveries is
  /// bounded, too.
  private static let costOfDelivery = 1 << 10

  private let store: HistoryStore
  /// Runs all work on the history in order, including the user's own actions.
  private let queue: TaskQueue
  private let now: @Sendable () -> Int64
  private let report: @Sendable (CaptureOutcome) -> Void
  private let state = Mutex(State())

  private struct State {
    /// Texts that were copied from the history, and that `noteCopied` has not stored yet.
    var unnoted: [ClipText] = []
    /// The size in bytes of the deliveries whose outcome was not reported yet.
    var backlog = 0
  }

  /// - Parameters:
  ///   - queue: The queue for all work on the history.
  ///   - report: Called on any thread with the outcome of each delivery, in order, and with the error if a copy could
  ///     not be noted.
  init(
    into store: HistoryStore, queue: TaskQueue = TaskQueue(), now: @escaping @Sendable () -> Int64,
    report: @escaping @Sendable (CaptureOutcome) -> Void
  ) {
    self.store = store
    self.queue = queue
    self.now = now
    self.report = report
  }

  // MARK: - Deliveries from a source

  /// Enqueues a delivery, and returns when the backlog allows the next text to be read.
  nonisolated(nonsending) func take(_ delivery: ClipboardDelivery) async {
    switch delivery {
    case .success(.text(let bytes)):
      let time = now()
      enqueue(bytes.count) { [self] store in record(bytes, at: time, in: store) }
    case .success(.secret): enqueue { _ in .secret }
    case .success(.noText): enqueue { _ in .nothingToRecord }
    case .success(.own), .failure(.cancelled): break
    case .failure(let error): enqueue { _ in .unread(error) }
    }
    if state.withLock(\.backlog) > Self.backlogLimit { await queue.drain() }
  }

  /// Reports an outcome after those of all earlier deliveries.
  ///
  /// - Parameter size: The text's size in bytes, for the backlog.
  private func enqueue(
    _ size: Int = 0, _ outcome: @escaping @Sendable (isolated HistoryStore) -> CaptureOutcome
  ) {
    let cost = size + Self.costOfDelivery
    state.withLock { $0.backlog += cost }
    queue.add(for: store) { [self] store in
      report(outcome(store))
      state.withLock { $0.backlog -= cost }
    }
  }

  private func record(_ bytes: [UInt8], at time: Int64, in store: isolated HistoryStore) -> CaptureOutcome {
    let outcome = Self.record(bytes) { text throws(StoreError) in
      // A clipboard manager may take over a text of this program, and the source may read it back, before `noteCopied`
      // has run.
      let isOwn = state.withLock { $0.unnoted.contains(text) }
      return isOwn ? .duplicate : try store.record(text, at: time)
    }
    return outcome == .invalid(.empty) ? .nothingToRecord : outcome
  }

  // MARK: - The user's actions

  /// Records a text that the user pastes or drops, unless it equals the newest clip's text.
  ///
  /// Call this from work in the queue.
  /// - Returns: The outcome, which `report` does not receive.
  nonisolated(nonsending) func recordExplicitly(_ bytes: [UInt8], fromClipboard: Bool) async -> CaptureOutcome
  {
    await Self.recordExplicitly(bytes, at: now(), fromClipboard: fromClipboard, in: store)
  }

  private static func recordExplicitly(
    _ bytes: [UInt8], at time: Int64, fromClipboard: Bool, in store: isolated HistoryStore
  ) async -> CaptureOutcome {
    record(bytes) { text throws(StoreError) in
      try store.recordExplicitly(text, at: time, fromClipboard: fromClipboard)
    }
  }

  /// Remembers the text that was copied from the history, so that reading it back does not record it.
  ///
  /// Storing waits for the read in progress and for the texts in the queue, which were on the clipboard before this
  /// copy. When the window becomes active, a text that is already recorded may be read again. If this copy were stored
  /// first, that text would no longer equal the last captured text, and would be recorded twice.
  @MainActor func noteCopied(_ text: ClipText, after source: any ClipboardSource) {
    state.withLock { $0.unnoted.append(text) }
    source.afterRead { [self] in
      queue.add(for: store) { [self] store in
        do throws(StoreError) {
          try store.noteCopied(text)
        } catch {
          // Ignore other errors: the text is on the clipboard, as the user wants, and a store that cannot note the copy
          // cannot record a row for it either. The errors below require that the history is opened again.
          if error == .damaged || error == .replaced { report(.failed(error)) }
        }
        _ = state.withLock { $0.unnoted.removeFirst() }
      }
    }
  }

  // MARK: -

  /// Waits until the read in progress has ended and everything delivered so far has been handled.
  @MainActor func drain(after source: any ClipboardSource) async {
    await withCheckedContinuation { continuation in source.afterRead { continuation.resume() } }
    await queue.drain()
  }

  /// Validates a text and passes it to `intent`, on the store's thread because a large text takes time.
  private static func record(
    _ bytes: [UInt8], with intent: (ClipText) throws(StoreError) -> HistoryStore.RecordOutcome
  ) -> CaptureOutcome {
    let text: ClipText
    do throws(ClipText.Refusal) {
      text = try ClipText(validating: bytes)
    } catch {
      return .invalid(error)
    }
    do throws(StoreError) {
      return switch try intent(text) {
      case .recorded(let clip): .recorded(clip)
      case .duplicate: .ignored
      }
    } catch {
      return .failed(error)
    }
  }
}

/// The outcome of recording a text that was offered on the clipboard, pasted or dropped.
enum CaptureOutcome: Equatable, Sendable {
  /// The text is on disk, so its row may be shown.
  case recorded(Clip)
  /// The text equals the last captured text or, if it was pasted or dropped, the newest clip's text.
  case ignored
  /// The text is empty, is not valid UTF-8 or contains a NUL.
  case invalid(ClipText.Refusal)
  case unread(TransferError)
  case failed(StoreError)
  /// The clipboard has no text to paste.
  case noText
  /// The copied content is not text, or is empty.
  case nothingToRecord
  /// A password manager has asked that the text not be recorded.
  case secret

  /// Whether a clip has the text.
  var isInHistory: Bool {
    switch self {
    case .recorded, .ignored: true
    case .invalid, .unread, .failed, .noText, .nothingToRecord, .secret: false
    }
  }

  /// Whether the clipboard now holds something other than a text from the history.
  var isOfAnotherText: Bool {
    switch self {
    case .recorded, .ignored, .failed: false
    case .invalid, .unread, .noText, .nothingToRecord, .secret: true
    }
  }
}
