import ClipHistory
import ClipboardCore
import SerialQueue

/// What waits to be written to the history, in order, and the texts that this program has put on the clipboard.
///
/// Each text is one item of the queue of the user's actions, so that texts and actions are written in order. If the
/// history cannot be written, the texts wait, without delaying the user's other actions, until the session calls
/// `resume`.
@MainActor
final class CaptureQueue {
  enum Content {
    case bytes([UInt8])
    case text(ClipText)
    /// A copy from the history, to be stored as the last captured text.
    case copy(OwnOffer)
    /// The outcome of a read without a text.
    case outcome(CaptureOutcome)
  }

  private struct Entry {
    var content: Content
    let way: Capture.Way
    let time: Int64
    /// Whether the text is still on the clipboard as it is added.
    let isOnClipboard: Bool
    /// Whether the entry has waited for the history to be reopened; if it fails again, it is lost.
    var hasWaited = false

    /// The size in memory; it includes an amount for each entry, so that it also limits their number.
    var cost: Int {
      switch content {
      case .bytes(let bytes): bytes.count + 1024
      case .text(let text): text.byteCount + 1024
      case .copy, .outcome: 1024
      }
    }

    /// Whether it is a text to record.
    var isText: Bool {
      switch content {
      case .bytes, .text: true
      case .copy, .outcome: false
      }
    }
  }

  /// The least amount of text, in bytes, that may wait to be written.
  private static let leastRoom = 64 << 20
  /// The size in bytes above which older copies from the history are forgotten; the newest is always kept.
  private static let copyLimit = 4 << 20

  /// Runs the user's actions and the writes, in order.
  private let actions: TaskQueue
  private let store: HistoryStore
  private let now: @Sendable () -> Int64
  /// Called with the outcomes of the texts, in order.
  var report: @MainActor (Capture) -> Void = { _ in }
  /// Oldest first; a write takes the first.
  private var waiting: [Entry] = []
  /// Why texts wait instead of being written; nil if they are written.
  private(set) var obstacle: StoreError?
  private var isLockReported = false
  private var idle: [CheckedContinuation<Void, Never>] = []
  /// The texts that this program has put on the clipboard, oldest first, until each becomes the last captured text.
  ///
  /// They are not recorded if another program, such as a clipboard manager, offers them again.
  private(set) var copies: [OwnOffer] = []
  private(set) var copyCount = 0
  /// A copy that could not be stored; this is tried again before the next write, and when the program ends.
  private var unstored: OwnOffer?

  init(into store: HistoryStore, after actions: TaskQueue, now: @escaping @Sendable () -> Int64) {
    (self.store, self.actions, self.now) = (store, actions, now)
  }

  // MARK: - Copies from the history

  /// Remembers a text that this program is about to put on the clipboard, so that it is not recorded.
  func remember(_ text: ClipText, of clip: Clip.ID?) -> OwnOffer {
    copyCount += 1
    let copy = OwnOffer(number: copyCount, text: text, clip: clip)
    copies.append(copy)
    var size = copies.reduce(0) { $0 + $1.text.byteCount }
    while size > Self.copyLimit, copies.count > 1 { size -= copies.removeFirst().text.byteCount }
    return copy
  }

  /// Forgets a text that is not on the clipboard after all.
  func forget(_ copy: OwnOffer) { copies.removeAll { $0.number == copy.number } }

  /// Stores a copy from the history as the last captured text; returns the error if that fails.
  private func store(_ copy: OwnOffer) async -> StoreError? {
    do throws(StoreError) {
      try await store.setLastCaptured(copy.text)
      forgetCopies(upTo: copy.number)
      unstored = nil
      return nil
    } catch {
      return error
    }
  }

  private func forgetCopies(upTo number: Int) { copies.removeAll { $0.number <= number } }

  // MARK: - Writing, in order

  /// - Parameter room: The amount of text, in bytes, that may wait to be written, if it is more than 64 MiB.
  func add(_ content: Content, _ way: Capture.Way, isOnClipboard: Bool = true, room: Int = 0) {
    let entry = Entry(content: content, way: way, time: now(), isOnClipboard: isOnClipboard)
    let size = waiting.reduce(0) { $0 + $1.cost }
    if entry.isText, size > 0, size + entry.cost > max(room, Self.leastRoom) {
      waiting.append(Entry(content: .outcome(.overflow), way: way, time: entry.time, isOnClipboard: false))
    } else {
      // Only the newest copy becomes the last captured text.
      if obstacle != nil, case .copy = content, case .copy? = waiting.last?.content { waiting.removeLast() }
      waiting.append(entry)
    }
    if obstacle == nil { actions.add { [self] in await write() } } else { reportWaiting() }
  }

  /// Writes the first entry, unless entries wait.
  private func write() async {
    guard obstacle == nil else { return }
    if let copy = unstored, let error = await store(copy) { reportUnstored(error) }
    guard let entry = waiting.first else { return }
    let outcome = await outcome(of: entry)
    if case .waiting(let error)? = outcome {
      obstacle = error
      if error != .locked { waiting[0].hasWaited = true }
      // A lock is reported for a text only; the session has to know of any.
      if error != .locked || !entry.isText { report(Capture(way: entry.way, outcome: .waiting(error))) }
      return reportWaiting()
    }
    waiting.removeFirst()
    isLockReported = false
    if let outcome { report(Capture(way: entry.way, outcome: outcome)) }
    if waiting.isEmpty { resumeDrains() }
  }

  /// Reports an error that may pass, so that the session tries again; no other error matters, because the text is on the
  /// clipboard.
  private func reportUnstored(_ error: StoreError) {
    if [.locked, .diskFull, .readOnly].contains(error) {
      report(Capture(way: .copied, outcome: .waiting(error)))
    }
  }

  /// Reports the outcomes without a text, which need not wait, and reports once that a text waits for a lock.
  private func reportWaiting() {
    waiting.removeAll { entry in
      guard case .outcome(let outcome) = entry.content else { return false }
      report(Capture(way: entry.way, outcome: outcome))
      return true
    }
    guard obstacle == .locked, !isLockReported, let text = waiting.first(where: \.isText) else { return }
    isLockReported = true
    report(Capture(way: text.way, outcome: .waiting(.locked)))
  }

  private func outcome(of entry: Entry) async -> CaptureOutcome? {
    switch entry.content {
    case .outcome(let outcome): return outcome
    case .copy(let copy):
      guard let error = await store(copy) else { return nil }
      if mayWait(for: error, entry) { return .waiting(error) }
      unstored = copy
      reportUnstored(error)
      return nil
    case .text(let text): return await record(text, entry)
    case .bytes(let bytes):
      do throws(ClipText.Refusal) {
        let text = try await store.validated(bytes)
        waiting[0].content = .text(text)
        return await record(text, entry)
      } catch {
        return error == .empty && !Capture(way: entry.way, outcome: .ignored).isOnPurpose
          ? .nothingToRecord : .invalid(error)
      }
    }
  }

  private func record(_ text: ClipText, _ entry: Entry) async -> CaptureOutcome {
    if case .copiedElsewhere = entry.way, copies.contains(where: { $0.text == text }) { return .ignored }
    do throws(StoreError) {
      let outcome =
        if case .copiedElsewhere = entry.way {
          try await store.record(text, at: entry.time)
        } else {
          try await store.recordExplicitly(text, at: entry.time, fromClipboard: entry.isOnClipboard)
        }
      // The text is the last captured one now, instead of the copy.
      if entry.isOnClipboard, let copy = unstored.take() { forgetCopies(upTo: copy.number) }
      return if case .recorded(let clip) = outcome { .recorded(clip) } else { .ignored }
    } catch {
      return mayWait(for: error, entry) ? .waiting(error) : .failed(error)
    }
  }

  private func mayWait(for error: StoreError, _ entry: Entry) -> Bool {
    error == .locked || (error == .replaced || error == .damaged) && !entry.hasWaited
  }

  /// Writes what waits; call this after the history was reopened, and at each attempt during a lock.
  func resume() {
    obstacle = nil
    if unstored != nil, waiting.isEmpty { actions.add { [self] in await write() } }
    for _ in waiting { actions.add { [self] in await write() } }
  }

  // MARK: - The end

  /// Whether texts or copies wait to be written.
  var isWaiting: Bool { !waiting.isEmpty }

  /// Waits until everything added so far is on disk, however long another program locks the history.
  func drain() async {
    await withCheckedContinuation { continuation in
      // Check it here, because the main actor may do other work, such as the last write, before it runs this closure.
      if isWaiting { idle.append(continuation) } else { continuation.resume() }
    }
  }

  private func resumeDrains() {
    let drains = idle
    idle = []
    drains.forEach { $0.resume() }
  }

  /// Makes a last attempt to write what waits, and to store the newest copy from the history if it was not stored yet.
  ///
  /// - Returns: The number of texts that are lost.
  func close() async -> Int {
    resume()
    await actions.drain()
    if let copy = copies.last {
      add(.copy(copy), .copied)
      resume()
      await actions.drain()
    }
    resumeDrains()
    return waiting.count(where: \.isText)
  }
}

extension HistoryStore {
  /// Validates a text on the store's thread, because a large text takes time.
  fileprivate func validated(_ bytes: [UInt8]) throws(ClipText.Refusal) -> ClipText {
    try ClipText(validating: bytes)
  }
}
