import ClipHistory

/// Takes what the watcher read into the history, in the order in which it was read.
@MainActor
final class CaptureRecorder {
  private let store: HistoryStore
  private let now: @Sendable () -> Int64
  private let outcome: @MainActor (CaptureOutcome) -> Void
  private let queue = TaskQueue()

  /// Texts up to this size may wait for the disk while the next one is read; larger ones are waited for, so that
  /// never many of them are in memory.
  private static let backlogSize = 1 << 20

  init(
    store: HistoryStore, now: @escaping @Sendable () -> Int64,
    outcome: @escaping @MainActor (CaptureOutcome) -> Void
  ) {
    self.store = store
    self.now = now
    self.outcome = outcome
  }

  /// Records a text that the clipboard offered, unless the history's rules say otherwise.
  func record(_ bytes: [UInt8]) async {
    let time = now()
    let size = bytes.count
    let work = queue.add { [store, outcome] in
      outcome(await CaptureRecorder.outcome(of: bytes, at: time, in: store))
    }
    if size > Self.backlogSize { await work.value }
  }

  /// Records a text that the user hands over, unless it is the newest clip's; says what became of it to the caller.
  func recordOnPurpose(_ bytes: [UInt8], fromClipboard: Bool) async -> CaptureOutcome {
    let time = now()
    return await queue.run { [store] in
      await CaptureRecorder.purposefulOutcome(of: bytes, at: time, fromClipboard: fromClipboard, in: store)
    }
  }

  /// Does something while nothing is recorded: after what was read so far, before what comes then.
  func pausing(_ work: @escaping @MainActor () async -> Void) async { await queue.add(work).value }

  /// Notes that a text was copied out of the history, so that it is not recorded when it comes back.
  func noteCopied(_ text: ClipText) {
    queue.add { [store, outcome] in
      do throws(StoreError) {
        try await store.noteCopied(text)
      } catch {
        outcome(.failed(error))
      }
    }
  }

  /// Returns when all that was read so far is recorded.
  func settle() async { await queue.settle() }

  /// Reports a text that could not be read.
  func refuse(_ error: TransferError) {
    if error != .cancelled { outcome(.refused(.transfer(error))) }
  }

  /// Validates and stores a text, both off the main thread; an empty one is nothing to speak of.
  @concurrent
  private static func outcome(of bytes: [UInt8], at time: Int64, in store: HistoryStore) async
    -> CaptureOutcome
  {
    if bytes.isEmpty { return .ignored }
    return await outcome(of: bytes) { text throws(StoreError) in try await store.record(text, at: time) }
  }

  /// Validates a text that the user handed over, and stores it, both off the main thread.
  @concurrent
  private static func purposefulOutcome(
    of bytes: [UInt8], at time: Int64, fromClipboard: Bool, in store: HistoryStore
  ) async -> CaptureOutcome {
    await outcome(of: bytes) { text throws(StoreError) in
      try await store.recordOnPurpose(text, at: time, fromClipboard: fromClipboard)
    }
  }

  private nonisolated(nonsending) static func outcome(
    of bytes: [UInt8],
    record: nonisolated(nonsending) (ClipText) async throws(StoreError) -> HistoryStore.RecordOutcome
  ) async -> CaptureOutcome {
    let text: ClipText
    do throws(ClipText.Refusal) {
      text = try ClipText(validating: bytes)
    } catch {
      return .refused(.content(error))
    }
    do throws(StoreError) {
      switch try await record(text) {
      case .recorded(let clip): return .recorded(clip)
      case .duplicate: return .ignored
      }
    } catch {
      return .failed(error)
    }
  }
}

/// What became of something that was offered.
enum CaptureOutcome: Sendable {
  /// It is on disk, and may be shown.
  case recorded(Clip)
  /// Empty, or the last captured text again.
  case ignored
  /// It is no text that the history keeps.
  case refused(CaptureRefusal)
  /// It could not be kept.
  case failed(StoreError)
}

/// Why an offer was not recorded though the user might expect it.
enum CaptureRefusal: Equatable, Sendable {
  case content(ClipText.Refusal)
  case transfer(TransferError)
}
