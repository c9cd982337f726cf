import ClipHistory
import ClipboardCore
import GtkKit
import SerialQueue

/// The one way into the open history: every text that is copied elsewhere, pasted or dropped comes in here, and waits
/// here until it is written.
///
/// Each text is one item of the queue of the user's actions, so that texts and actions are written in order. If the
/// history cannot be written, the texts wait, without delaying the user's other actions, until the session calls
/// `resume`.
@MainActor
final class Intake {
  /// What the reads depend on.
  struct Conditions: Equatable {
    var isShown = false
    /// Whether the window has the focus.
    var isActive = false
    var isPaused = false
    var isOpen = false

    /// Whether the clipboard is followed.
    var isFollowing: Bool { isActive && isOpen && !isPaused }
  }

  /// What waits to be written.
  private struct Entry {
    enum Content {
      case bytes([UInt8])
      case text(ClipText)
      /// A copy from the history, to be stored as the last captured text.
      case copy(OwnOffer)
      /// The outcome of a read without a text.
      case outcome(CaptureOutcome)
    }

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

  /// A paste or a drop that waits for its text.
  private final class UserRead {
    let isPaste: Bool
    /// Revoked once a condition of the request no longer holds.
    let permit = ReadPermit()
    /// The text of this program that the paste is about, once all earlier actions are done.
    var own: OwnOffer?
    var task: Task<Void, Never>?

    init(isPaste: Bool) {
      self.isPaste = isPaste
      permit.grant()
    }

    var isWithdrawn: Bool { permit.current == nil }
  }

  /// What was on the clipboard when a pause ended, which is not recorded.
  private enum PausedCopy: Equatable {
    case none
    case unread
    case text(hash: Int)
  }

  /// The least amount of text, in bytes, that may wait to be written.
  static let leastRoom = 64 << 20
  /// The size in bytes above which older copies from the history are forgotten; the newest is always kept.
  private static let copyLimit = 4 << 20

  private let clipboard: any SystemClipboard
  /// Runs the user's actions and the writes, in order.
  private let actions: TaskQueue
  private let store: HistoryStore
  private let now: @Sendable () -> Int64
  private let show: @MainActor ([Capture]) -> Void
  private let clipboardChanged: @MainActor () -> Void
  private lazy var arrivals = BurstMailbox<Capture>(deliver: weakly(self) { $0.arrived($1) })
  private var observation: ListenerToken?

  /// Oldest first; a write takes the first.
  private var waiting: [Entry] = []
  /// Why texts wait instead of being written; nil if they are written.
  private(set) var obstacle: StoreError?
  private var isLockReported = false
  private var idle: [CheckedContinuation<Void, Never>] = []
  private var userReads: [UserRead] = []
  /// The texts that this program has put on the clipboard, oldest first, until each becomes the last captured text.
  ///
  /// They are not recorded if another program, such as a clipboard manager, offers them again.
  private(set) var copies: [OwnOffer] = []
  private var copyCount = 0
  /// A copy that could not be stored; this is tried again before the next write, and when the program ends.
  private var unstored: OwnOffer?
  /// Whether the desktop could be reached since following began.
  private var isReachable = true
  /// Whether the last offer that was read is a secret, and the clipboard was not emptied since.
  private var isSecret = false
  /// The number of the offer that was on the clipboard when following began.
  private var firstOffer: Int?
  private var pausedCopy = PausedCopy.none
  /// Whether the next change of the clipboard is noticed although it is not followed.
  private var isWatched = false

  /// - Parameters:
  ///   - actions: The queue for captures and the user's actions.
  ///   - show: Called with the outcomes of the texts, in order.
  ///   - clipboardChanged: Called when `clipboardState` may have changed.
  init(
    into store: HistoryStore, from clipboard: any SystemClipboard, after actions: TaskQueue,
    now: @escaping @Sendable () -> Int64, show: @escaping @MainActor ([Capture]) -> Void,
    clipboardChanged: @escaping @MainActor () -> Void
  ) {
    (self.store, self.clipboard, self.actions, self.now) = (store, clipboard, actions, now)
    (self.show, self.clipboardChanged) = (show, clipboardChanged)
    observation = clipboard.changes.add(weakly(self) { $0.changed(isTaken: $1) })
    clipboard.deliver = { [weak self] in self?.received($0, offer: $1) }
  }

  // MARK: - The window

  /// What the reads depend on; once a change that ends following has returned, no text is requested automatically.
  var conditions = Conditions() {
    didSet {
      guard conditions != oldValue else { return }
      if oldValue.isPaused && !conditions.isPaused { pausedCopy = .unread }
      if pausedCopy != .none, !conditions.isPaused, !conditions.isFollowing {
        isWatched = clipboard.watchNextChange()
      }
      let isHidden = oldValue.isShown && !conditions.isShown || !oldValue.isPaused && conditions.isPaused
      let hasLostFocus = oldValue.isActive && !conditions.isActive
      if isHidden || hasLostFocus { withdraw { isHidden || $0.isPaste } }
      guard conditions.isFollowing != oldValue.isFollowing else { return }
      clipboard.follow(conditions.isFollowing)
      (isReachable, isSecret) = (true, false)
      if conditions.isFollowing { firstOffer = clipboard.offer }
    }
  }

  /// The size of the largest text that is recorded, in bytes.
  var sizeLimit: Int {
    get { clipboard.limits.bytes }
    set { clipboard.limits.bytes = newValue }
  }

  /// Whether the clipboard is followed.
  var isFollowing: Bool { conditions.isFollowing && isReachable }

  /// What is known to be on the clipboard, without reading it.
  var clipboardState: ClipboardState {
    if let own = clipboard.ownOffer { return own.clip.map(ClipboardState.item) ?? .unknown }
    return isSecret ? .secret : .unknown
  }

  private func changed(isTaken: Bool) {
    // What has been copied since a pause is recorded at the next activation.
    if isWatched, !conditions.isFollowing { pausedCopy = .none }
    if !isTaken { isSecret = false }
    clipboardChanged()
  }

  // MARK: - Copied elsewhere

  private func received(_ delivery: ClipboardDelivery, offer: Int) {
    if delivery == .failure(.unavailable) { isReachable = false }
    if isFromPause(delivery, offer: offer) { return }
    add(delivery, .copiedElsewhere(offer: offer), isOnClipboard: true)
  }

  /// Whether an offer was on the clipboard when a pause ended.
  ///
  /// When the window becomes active again, the same text may come as a new offer, and is then recognised by its hash.
  private func isFromPause(_ delivery: ClipboardDelivery, offer: Int) -> Bool {
    let text: [UInt8]? = if case .success(.text(let bytes)) = delivery { bytes } else { nil }
    guard offer == firstOffer else {
      if text != nil { pausedCopy = .none }
      return false
    }
    switch pausedCopy {
    case .none: return false
    case .text(let hash) where text?.hashValue == hash: return true
    case .text:
      // Once something else was on the clipboard, a copy of the same text is a new one.
      if case .success = delivery { pausedCopy = .none }
      return false
    case .unread where delivery == .success(.secret) || delivery == .failure(.cancelled): return false
    case .unread:
      pausedCopy = text.map { .text(hash: $0.hashValue) } ?? .none
      return true
    }
  }

  // MARK: - Copies from the history

  /// Puts a text on the clipboard, which is then not recorded.
  ///
  /// - Parameter clip: The clip whose whole text it is; nil for any other text.
  func copy(_ text: ClipText, of clip: Clip.ID? = nil, _ press: CopyPress) async throws(TransferError) {
    copyCount += 1
    let copy = OwnOffer(number: copyCount, text: text, clip: clip)
    // Remember it first, because a clipboard manager may immediately take it over and offer it again.
    copies.append(copy)
    var size = copies.reduce(0) { $0 + $1.text.byteCount }
    while size > Self.copyLimit, copies.count > 1 { size -= copies.removeFirst().text.byteCount }
    do throws(TransferError) {
      try await clipboard.setText(copy, press)
    } catch {
      copies.removeAll { $0.number == copy.number }
      throw error
    }
    isSecret = false
    if case .text = pausedCopy { pausedCopy = .none }
    clipboardChanged()
    // The read in progress and the texts that wait were on the clipboard before this copy. If this copy were stored
    // first, a text that is read again would no longer equal the last captured text, and would be recorded twice.
    clipboard.afterRead(weakly(self) { $0.add(.copy(copy), .copied) })
  }

  // MARK: - Paste and drop

  /// Records the text that is on the clipboard now, even if its row was deleted; does nothing while an earlier paste
  /// waits for its text.
  func paste() {
    guard !userReads.contains(where: \.isPaste) else { return }
    let (offer, own, count) = (clipboard.offer, clipboard.ownOffer, copyCount)
    let userRead = UserRead(isPaste: true)
    // An action that was requested before the paste may copy a row.
    let turn = actions.add { [self] in
      userRead.own = copies.last.flatMap { $0.number > count ? $0 : nil } ?? own
    }
    start(userRead) { [self] userRead in
      // Read now, because the offer may be replaced while earlier actions run.
      let early =
        own == nil
        ? Task.unpooled { [self] in
          await delivery { () throws(TransferError) in
            try await clipboard.read(pasted: offer, under: userRead.permit)
          }
        } : nil
      await turn.value
      if let own = userRead.own {
        early?.cancel()
        if !userRead.isWithdrawn { add(.text(own.text), .pastedOwn(copy: own.number)) }
      } else if let content = await early?.value, !userRead.isWithdrawn {
        let isOnClipboard = offer == clipboard.offer && count == copyCount
        add(content, .pasted(offer: offer), isOnClipboard: isOnClipboard)
      }
    }
  }

  /// Records a dropped text.
  func drop(_ drop: any DroppedText) {
    start(UserRead(isPaste: false)) { [self] userRead in
      let delivery = await delivery { () throws(TransferError) in
        try await clipboard.read(drop, under: userRead.permit)
      }
      let isText = if case .success(.text) = delivery { !userRead.isWithdrawn } else { false }
      drop.finish(accepted: isText)
      if !userRead.isWithdrawn { add(delivery, .dropped, isOnClipboard: false) }
    }
  }

  private func start(_ userRead: UserRead, _ read: @escaping @MainActor (UserRead) async -> Void) {
    userReads.append(userRead)
    userRead.task = Task.unpooled { [self] in
      await read(userRead)
      userReads.removeAll { $0 === userRead }
    }
  }

  private func delivery(
    of read: () async throws(TransferError) -> ClipboardContent
  ) async -> ClipboardDelivery {
    do throws(TransferError) {
      return .success(try await read())
    } catch {
      return .failure(error)
    }
  }

  /// Ends the paste that waits for its text; returns false if there is none.
  func cancelPaste() -> Bool {
    let isWaiting = userReads.contains(where: \.isPaste)
    withdraw(where: \.isPaste)
    return isWaiting
  }

  /// Cancels pastes and drops whose conditions no longer hold, and shows one notice.
  private func withdraw(where isConcerned: (UserRead) -> Bool) {
    let withdrawn = userReads.filter(isConcerned)
    guard let first = withdrawn.first else { return }
    userReads.removeAll(where: isConcerned)
    for userRead in withdrawn { userRead.permit.revoke() }
    clipboard.endRevokedReads()
    show([Capture(way: first.isPaste ? .pasted(offer: 0) : .dropped, outcome: .unread(.cancelled))])
  }

  // MARK: - Writing, in order

  private func add(_ delivery: ClipboardDelivery, _ way: Capture.Way, isOnClipboard: Bool) {
    if case .success(.text(let bytes)) = delivery {
      add(.bytes(bytes), way, isOnClipboard: isOnClipboard)
    } else if let outcome = CaptureOutcome(delivery, way) {
      add(.outcome(outcome), way)
    }
  }

  private func add(_ content: Entry.Content, _ way: Capture.Way, isOnClipboard: Bool = true) {
    let entry = Entry(content: content, way: way, time: now(), isOnClipboard: isOnClipboard)
    let size = waiting.reduce(0) { $0 + $1.cost }
    if entry.isText, size > 0, size + entry.cost > max(sizeLimit, Self.leastRoom) {
      waiting.append(Entry(content: .outcome(.overflow), way: way, time: entry.time, isOnClipboard: false))
    } else {
      waiting.append(entry)
    }
    if obstacle == nil { actions.add { [self] in await write() } } else { reportWaiting() }
  }

  /// Writes the first entry, unless entries wait.
  private func write() async {
    guard obstacle == nil, let entry = waiting.first else { return }
    if let copy = unstored { _ = await store(copy) }
    let outcome = await outcome(of: entry)
    if case .waiting(let error)? = outcome {
      obstacle = error
      if error != .locked { waiting[0].hasWaited = true }
      // A lock is reported for a text only; the session has to know of any.
      if error != .locked || !entry.isText {
        arrivals.add(Capture(way: entry.way, outcome: .waiting(error)))
      }
      return reportWaiting()
    }
    waiting.removeFirst()
    isLockReported = false
    if let outcome { arrivals.add(Capture(way: entry.way, outcome: outcome)) }
    if waiting.isEmpty { resumeDrains() }
  }

  /// Reports the outcomes without a text, which need not wait, and reports once that a text waits for a lock.
  private func reportWaiting() {
    for entry in waiting {
      if case .outcome(let outcome) = entry.content {
        arrivals.add(Capture(way: entry.way, outcome: outcome))
      }
    }
    waiting.removeAll { if case .outcome = $0.content { true } else { false } }
    guard obstacle == .locked, !isLockReported, let text = waiting.first(where: \.isText) else { return }
    isLockReported = true
    arrivals.add(Capture(way: text.way, outcome: .waiting(.locked)))
  }

  private func outcome(of entry: Entry) async -> CaptureOutcome? {
    switch entry.content {
    case .outcome(let outcome): return outcome
    case .copy(let copy):
      guard let error = await store(copy) else { return nil }
      if mayWait(for: error, entry) { return .waiting(error) }
      // The failure is not reported, because the text is on the clipboard.
      unstored = copy
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
      guard case .recorded(let clip) = outcome else { return .ignored }
      if case .pastedOwn(clipboard.ownOffer?.number) = entry.way { clipboard.ownOffer?.clip = clip.id }
      return .recorded(clip)
    } catch {
      return mayWait(for: error, entry) ? .waiting(error) : .failed(error)
    }
  }

  private func mayWait(for error: StoreError, _ entry: Entry) -> Bool {
    error == .locked || (error == .replaced || error == .damaged) && !entry.hasWaited
  }

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

  /// Writes what waits; call this after the history was reopened, and at each attempt during a lock.
  func resume() {
    obstacle = nil
    for _ in waiting { actions.add { [self] in await write() } }
  }

  // MARK: - Outcomes

  private func arrived(_ captures: [Capture]) {
    for capture in captures {
      switch (capture.way, capture.outcome) {
      case (.copiedElsewhere(let offer), _), (.pasted(let offer), .secret):
        let wasSecret = isSecret
        // Otherwise a newer offer is being read, or reading has ended.
        if offer == clipboard.offer, conditions.isFollowing { isSecret = capture.outcome == .secret }
        if isSecret || wasSecret { clipboardChanged() }
      case (.pastedOwn, .recorded): clipboardChanged()
      default: break
      }
    }
    show(captures)
  }

  /// Forgets the ids of clips, because they have changed.
  func forgetClips() {
    clipboard.ownOffer?.clip = nil
    clipboardChanged()
  }

  // MARK: - The end

  /// Shows the outcomes of all texts that were recorded so far.
  func flush() { arrivals.flush() }

  /// Waits until all texts requested so far are on disk, however long another program locks the history.
  func drain() async {
    for userRead in userReads { await userRead.task?.value }
    await actions.drain()
    await withCheckedContinuation { continuation in clipboard.afterRead { continuation.resume() } }
    if !waiting.isEmpty { await withCheckedContinuation { idle.append($0) } }
    flush()
  }

  private func resumeDrains() {
    let drains = idle
    idle = []
    drains.forEach { $0.resume() }
  }

  /// Whether texts or copies wait to be written.
  var isWaiting: Bool { !waiting.isEmpty }

  /// Ends the reads for which no text has arrived yet, because the program ends.
  func endUnansweredReads() { clipboard.endUnansweredReads() }

  /// Stops reading the clipboard permanently, and cancels a read in progress.
  func endReading() {
    withdraw { _ in true }
    clipboard.close()
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
