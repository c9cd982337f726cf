import ClipHistory
import ClipboardCore
import Synchronization

/// Takes the texts that a source delivers into the history.
///
/// A text goes from the source's thread to the store's, which judges and records it, and what became of it to `tell`.
/// Nothing on the way waits for the main thread.
final class ClipboardRecorder: Sendable {
  /// How many bytes may wait for the disk while the next text is read.
  static let backlogLimit = 4 << 20
  /// The cost of a waiting text in addition to its bytes, so that many small ones are bounded too.
  private static let costOfText = 1 << 10

  private let store: HistoryStore
  /// The work that goes into the history, one after the other, with all else that the user does with it.
  private let queue: TaskQueue
  private let now: @Sendable () -> Int64
  private let tell: @Sendable (CaptureOutcome) -> Void
  private let state = Mutex(State())

  private struct State {
    /// The texts that were copied out of the history and are not noted yet.
    var unnoted: [ClipText] = []
    /// The size of the texts that were delivered and are not on disk yet, in bytes.
    var backlog = 0
  }

  /// - Parameters:
  ///   - queue: takes each text that is delivered.
  ///   - tell: called with what became of each delivery and own copy, in their order, on any thread.
  init(
    into store: HistoryStore, queue: TaskQueue = TaskQueue(), now: @escaping @Sendable () -> Int64,
    tell: @escaping @Sendable (CaptureOutcome) -> Void
  ) {
    self.store = store
    self.queue = queue
    self.now = now
    self.tell = tell
  }

  // MARK: - What a source delivers

  /// Takes a delivery, behind those before it; returns when the next text may be read.
  nonisolated(nonsending) func take(_ delivery: ClipboardDelivery) async {
    switch delivery {
    case .success(.text(let bytes)): enqueue(bytes)
    case .success(.secret): tell(.secret)
    case .success(.noText): tell(.nothingToRecord)
    case .success(.own), .failure(.cancelled): break
    case .failure(let error): tell(.unread(error))
    }
    if state.withLock(\.backlog) > Self.backlogLimit { await queue.drain() }
  }

  private func enqueue(_ bytes: [UInt8]) {
    let (time, cost) = (now(), bytes.count + Self.costOfText)
    state.withLock { $0.backlog += cost }
    queue.add(for: store) { [self] store in
      let outcome = Self.record(bytes) { text throws(StoreError) in
        // A clipboard manager may have taken an own copy over, and have been read, before the copy is noted.
        let isOwn = state.withLock { $0.unnoted.contains(text) }
        return isOwn ? .duplicate : try store.record(text, at: time)
      }
      tell(outcome == .invalid(.empty) ? .nothingToRecord : outcome)
      state.withLock { $0.backlog -= cost }
    }
  }

  // MARK: - What the user does

  /// Records a text that the user hands over, unless it is the newest clip's; called from work in the queue.
  ///
  /// - Returns: The outcome of the text, not passed to `tell`.
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

  /// Notes that a text was copied out of the history, so that it is not recorded when it comes back.
  ///
  /// A text that is being read, or waits for the disk, was on the clipboard before: it is compared with what was
  /// captured or copied until then. Otherwise the last text, read again as the window became active, would be taken for
  /// a new one. So the copy is noted after the delivery of the read that is under way.
  @MainActor func noteCopied(_ text: ClipText, after source: any ClipboardSource) {
    state.withLock { $0.unnoted.append(text) }
    source.afterRead { [self] in
      queue.add(for: store) { [self] store in
        do throws(StoreError) {
          try store.noteCopied(text)
        } catch {
          // The text is on the clipboard, as the user wants, and a history that takes no note takes no row either. Only
          // a history that has to be opened again is reported.
          if error == .damaged || error == .replaced { tell(.failed(error)) }
        }
        _ = state.withLock { $0.unnoted.removeFirst() }
      }
    }
  }

  // MARK: -

  /// Returns when a read that has begun is over, and all that was delivered so far is recorded.
  @MainActor func drain(after source: any ClipboardSource) async {
    await withCheckedContinuation { continuation in source.afterRead { continuation.resume() } }
    await queue.drain()
  }

  /// Judges a text, and records it with `intent` if it is one; on the store's thread, for that takes time.
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
  /// What was copied is no text, or an empty one.
  case nothingToRecord
  /// A password manager asks not to record the text.
  case secret

  /// Whether something is on the clipboard that is none of the history's texts.
  var isOfAnotherText: Bool {
    switch self {
    case .recorded, .ignored, .failed: false
    case .invalid, .unread, .noText, .nothingToRecord, .secret: true
    }
  }
}
