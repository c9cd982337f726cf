import ClipHistory
import ClipboardCore
import SerialQueue
import Synchronization

/// Records captured texts, in order; a copy from the history is stored only as the last captured text.
///
/// Writes on the store's thread. While another program locks the history, the texts wait here, without delaying the
/// user's other actions, and are tried again at short intervals. If the file was replaced or is damaged, they wait
/// until the history is reopened.
final class CaptureQueue: Sendable {
  /// The backlog, in bytes, above which no further text is read until everything is written.
  static let backlogLimit = 4 << 20
  /// Added to the backlog for each entry, so that the backlog also limits the number of entries.
  private static let costOfEntry = 1 << 10
  /// How long to wait before the next attempt while the history is locked.
  private static let retryTime = Duration.milliseconds(250)

  private enum Entry: Sendable {
    case bytes([UInt8], Capture.Way, at: Int64)
    case text(ClipText, Capture.Way, at: Int64)
    /// A copy from the history, to be stored as the last captured text.
    case ownCopy(OwnCopies.Copy)
    /// The outcome of a read without a text.
    case outcome(CaptureOutcome, Capture.Way)

    var cost: Int {
      switch self {
      case .bytes(let bytes, _, _): bytes.count + costOfEntry
      case .text(let text, _, _): text.byteCount + costOfEntry
      case .ownCopy, .outcome: costOfEntry
      }
    }

    /// What to report for an entry without a text; nil for the other entries.
    var capture: Capture? {
      if case .outcome(let outcome, let way) = self { Capture(way: way, outcome: outcome) } else { nil }
    }

    var isOwnCopy: Bool { if case .ownCopy = self { true } else { false } }

    /// The way in which the text to record arrived; nil for the other entries.
    var textWay: Capture.Way? {
      switch self {
      case .bytes(_, let way, _), .text(_, let way, _): way
      case .ownCopy, .outcome: nil
      }
    }
  }

  private struct State {
    /// The waiting entries, oldest first, with their sizes in the backlog; only the store's thread removes texts.
    var waiting: [(entry: Entry, cost: Int, number: Int)] = []
    var backlog = 0
    /// How many entries were added so far.
    var count = 0
    /// Why the entries wait: the history was locked, replaced or damaged at the last attempt.
    var obstacle: StoreError?
    /// The number of the last entry that waited for the history to be reopened; if it fails again, it is lost.
    var reopening = 0
    /// Whether the current lock was reported.
    var isLockReported = false
    /// A copy from the history that could not be stored as the last captured text; this is tried again before the next
    /// write, and when the program ends.
    var unstored: OwnCopies.Copy?
    /// The clip of the last captured text, if it is known.
    var last: Clip.ID?
    var idle: [CheckedContinuation<Void, Never>] = []
    /// Runs while the history is locked.
    var retry: DispatchTimer?
  }

  private let store: HistoryStore
  /// Runs the captures and the user's actions in order.
  private let queue: TaskQueue
  private let copies: OwnCopies
  private let now: @Sendable () -> Int64
  private let report: @Sendable (Capture) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - queue: The queue for captures and the user's actions.
  ///   - report: Called on any thread with the outcome of each text, in order. After `.waiting` for any reason but a
  ///     lock, reopen the history, and then call `resume`.
  init(
    into store: HistoryStore, queue: TaskQueue, noting copies: OwnCopies,
    now: @escaping @Sendable () -> Int64,
    report: @escaping @Sendable (Capture) -> Void
  ) {
    (self.store, self.queue, self.copies, self.now, self.report) = (store, queue, copies, now, report)
  }

  // MARK: - Adding

  /// Adds the outcome of a read.
  func add(_ delivery: ClipboardDelivery, _ way: Capture.Way) {
    if case .success(.text(let bytes)) = delivery {
      add(.bytes(bytes, way, at: now()))
    } else if let outcome = CaptureOutcome(delivery, way) {
      add(.outcome(outcome, way))
    }
  }

  /// Adds a text that needs no read.
  func add(_ text: ClipText, _ way: Capture.Way) { add(.text(text, way, at: now())) }

  /// Adds a text that this program has put on the clipboard, so that reading it back does not record it.
  func add(_ copy: OwnCopies.Copy) { add(.ownCopy(copy)) }

  /// Forgets which clip has the last captured text, because the ids of clips have changed.
  func forgetClips() { state.withLock { $0.last = nil } }

  private func add(_ entry: Entry) {
    let (number, obstacle) = state.withLock { state in
      state.count += 1
      // Only the last of several copies in a row becomes the last captured text.
      if entry.isOwnCopy, state.waiting.count > 1, state.waiting.last?.entry.isOwnCopy == true {
        state.waiting[state.waiting.count - 1].entry = entry
      } else {
        state.waiting.append((entry, entry.cost, state.count))
        state.backlog += entry.cost
      }
      return (state.count, state.obstacle)
    }
    if obstacle == nil { work(upTo: number) } else { reportWaiting() }
  }

  /// Waits until the backlog is small enough to read the next text.
  nonisolated(nonsending) func awaitRoom() async {
    if state.withLock(\.backlog) > Self.backlogLimit { await drain() }
  }

  /// Waits until everything is written, however long another program locks the history.
  nonisolated(nonsending) func drain() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if !state.waiting.isEmpty { state.idle.append(continuation) }
        return state.waiting.isEmpty
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Makes a last attempt to write what waits, and to store the newest copy from the history if it was not stored yet.
  ///
  /// - Returns: The number of texts that are lost.
  @MainActor func close() async -> Int {
    resume()
    await queue.drain()
    if let copy = copies.all.last {
      add(copy)
      await queue.drain()
    }
    resumeDrains()
    return state.withLock { state in
      state.retry = nil
      return state.waiting.count { $0.entry.textWay != nil }
    }
  }

  private func resumeDrains() {
    let idle = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    idle.forEach { $0.resume() }
  }

  // MARK: - Writing

  /// Queues the writing of the entries up to `number`.
  ///
  /// Each later entry is queued when it arrives, so that it is written after the user's earlier actions.
  private func work(upTo number: Int) {
    queue.add(for: store) { [self] store in
      storeAgain(in: store)
      while let entry = state.withLock({ state in
        state.obstacle == nil ? state.waiting.first.flatMap { $0.number <= number ? $0.entry : nil } : nil
      }) {
        let capture = write(entry, in: store)
        if let capture, case .waiting(let error) = capture.outcome {
          return postpone(capture, because: error)
        }
        if let capture { report(capture) }
        state.withLock { state in
          state.backlog -= state.waiting.removeFirst().cost
          state.isLockReported = false
        }
      }
      if state.withLock(\.waiting.isEmpty) { resumeDrains() }
    }
  }

  private func postpone(_ capture: Capture, because error: StoreError) {
    state.withLock { state in
      state.obstacle = error
      guard error == .locked else { return }
      state.retry = DispatchTimer(after: Self.retryTime, on: store.queue) { [weak self] in self?.retry() }
    }
    if error != .locked { report(capture) }
    reportWaiting()
  }

  /// Reports the outcomes without a text, which need not wait, and reports once that a text waits for a lock.
  ///
  /// A waiting copy from the history is not reported.
  private func reportWaiting() {
    let captures = state.withLock { state -> [Capture] in
      // With an obstacle, the store's thread is not writing an entry, so entries can be removed.
      guard let obstacle = state.obstacle else { return [] }
      var captures = state.waiting.compactMap(\.entry.capture)
      state.waiting.removeAll { $0.entry.capture != nil }
      state.backlog -= captures.count * Self.costOfEntry
      if obstacle == .locked, !state.isLockReported,
        let way = state.waiting.lazy.compactMap(\.entry.textWay).first
      {
        state.isLockReported = true
        captures.append(Capture(way: way, outcome: .waiting(.locked)))
      }
      return captures
    }
    captures.forEach(report)
  }

  /// Whether everything is written.
  var isIdle: Bool { state.withLock(\.waiting.isEmpty) }

  /// Why texts wait; nil if they are written.
  var obstacle: StoreError? { state.withLock(\.obstacle) }

  /// Tries again now to write what waits for a lock.
  func retry() { if obstacle == .locked { resume() } }

  /// Tries again to write what waits; call this after the history was reopened.
  func resume() {
    let number = state.withLock { state in
      (state.obstacle, state.retry) = (nil, nil)
      return state.count
    }
    work(upTo: number)
  }

  /// Writes an entry and returns what to report; `waiting` if it has to be tried again.
  private func write(_ entry: Entry, in store: isolated HistoryStore) -> Capture? {
    switch entry {
    case .outcome: return entry.capture
    case .ownCopy(let copy): return write(copy, in: store)
    case .text(let text, let way, let time):
      return Capture(way: way, outcome: record(text, way, time, in: store))
    case .bytes(let bytes, let way, let time):
      // Validate on the store's thread, because a large text takes time.
      do throws(ClipText.Refusal) {
        let text = try ClipText(validating: bytes)
        state.withLock { $0.waiting[0].entry = .text(text, way, at: time) }
        return Capture(way: way, outcome: record(text, way, time, in: store))
      } catch {
        let isEmptyOffer = if case .copiedElsewhere = way { error == .empty } else { false }
        return Capture(way: way, outcome: isEmptyOffer ? .nothingToRecord : .invalid(error))
      }
    }
  }

  private func record(
    _ text: ClipText, _ way: Capture.Way, _ time: Int64, in store: isolated HistoryStore
  ) -> CaptureOutcome {
    do throws(StoreError) {
      let outcome: HistoryStore.RecordOutcome
      switch way {
      case .copiedElsewhere:
        if let copy = copies.copy(of: text) { return .ignored(copy.clip) }
        outcome = try store.record(text, at: time)
      case .pasted, .pastedOwn: outcome = try store.recordExplicitly(text, at: time, fromClipboard: true)
      case .dropped: outcome = try store.recordExplicitly(text, at: time, fromClipboard: false)
      }
      return updateLast(after: outcome, way)
    } catch {
      return outcome(of: error)
    }
  }

  /// The outcome of the first entry after an error: whether it waits or has failed.
  private func outcome(of error: StoreError) -> CaptureOutcome {
    switch error {
    case .locked: .waiting(error)
    case .replaced, .damaged:
      state.withLock { state in
        let (number, reopening) = (state.waiting[0].number, state.reopening)
        state.reopening = number
        return number == reopening ? .failed(error) : .waiting(error)
      }
    default: .failed(error)
    }
  }

  /// Updates `last`, the clip of the last captured text; a dropped text does not change it.
  private func updateLast(
    after outcome: HistoryStore.RecordOutcome, _ way: Capture.Way
  ) -> CaptureOutcome {
    let isCopiedElsewhere = if case .copiedElsewhere = way { true } else { false }
    return state.withLock { state in
      if way != .dropped, let unstored = state.unstored.take() { copies.forget(upTo: unstored.number) }
      switch outcome {
      case .recorded(let clip):
        if way != .dropped { state.last = clip.id }
        return .recorded(clip)
      case .duplicate:
        if !isCopiedElsewhere, way != .dropped { state.last = nil }
        return .ignored(isCopiedElsewhere ? state.last : nil)
      }
    }
  }

  /// Stores a copy from the history as the last captured text, or keeps it for a later attempt; a final failure is not
  /// reported, because the text is on the clipboard.
  private func write(_ copy: OwnCopies.Copy, in store: isolated HistoryStore) -> Capture? {
    do throws(StoreError) {
      try setLastCaptured(copy, in: store)
      return nil
    } catch {
      let outcome = outcome(of: error)
      if case .waiting = outcome { return Capture(way: .pastedOwn(copy: copy.number), outcome: outcome) }
      state.withLock { $0.unstored = copy }
      return nil
    }
  }

  private func storeAgain(in store: isolated HistoryStore) {
    guard let unstored = state.withLock(\.unstored) else { return }
    do throws(StoreError) {
      try setLastCaptured(unstored, in: store)
    } catch {
      // Try again before the next write.
    }
  }

  private func setLastCaptured(_ copy: OwnCopies.Copy, in store: isolated HistoryStore) throws(StoreError) {
    try store.setLastCaptured(copy.text)
    copies.forget(upTo: copy.number)
    state.withLock { ($0.unstored, $0.last) = (nil, copy.clip) }
  }
}
