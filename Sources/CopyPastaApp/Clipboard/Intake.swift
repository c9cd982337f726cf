import ClipHistory
import ClipboardCore
import GtkKit
import SerialQueue

/// The one way into the open history: every text that is copied elsewhere, pasted or dropped comes in here, and passes
/// on to the queue of what is written.
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

  /// What waits to be written.
  let captures: CaptureQueue
  private let clipboard: any SystemClipboard
  /// Runs the user's actions and the writes, in order.
  private let actions: TaskQueue
  private let show: @MainActor ([Capture]) -> Void
  private let clipboardChanged: @MainActor () -> Void
  private lazy var arrivals = BurstMailbox<Capture>(deliver: weakly(self) { $0.arrived($1) })
  private var observation: ListenerToken?

  private var userReads: [UserRead] = []
  /// Whether the desktop could be reached since following began.
  private var isReachable = true
  /// Whether the last offer that was read is a secret, and the clipboard was not emptied since.
  private var isSecret = false
  private var pausedCopy = PausedCopy.none
  /// The numbers of the offers that were on the clipboard when following began, since the last pause.
  private var firstOffers: [Int] = []
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
    captures = CaptureQueue(into: store, after: actions, now: now)
    (self.clipboard, self.actions) = (clipboard, actions)
    (self.show, self.clipboardChanged) = (show, clipboardChanged)
    captures.report = weakly(self) { $0.arrivals.add($1) }
    observation = clipboard.changes.add(weakly(self) { $0.changed(isTaken: $1) })
    clipboard.deliver = { [weak self] in self?.received($0, offer: $1) }
  }

  // MARK: - The window

  /// What the reads depend on; once a change that ends following has returned, no text is requested automatically.
  var conditions = Conditions() {
    didSet {
      guard conditions != oldValue else { return }
      if oldValue.isPaused && !conditions.isPaused { (pausedCopy, firstOffers) = (.unread, []) }
      if pausedCopy != .none, !conditions.isPaused, !conditions.isFollowing {
        isWatched = clipboard.watchNextChange()
      }
      let isHidden = oldValue.isShown && !conditions.isShown || !oldValue.isPaused && conditions.isPaused
      let hasLostFocus = oldValue.isActive && !conditions.isActive
      if isHidden || hasLostFocus { withdraw { isHidden || $0.isPaste } }
      guard conditions.isFollowing != oldValue.isFollowing else { return }
      clipboard.follow(conditions.isFollowing)
      (isReachable, isSecret) = (true, false)
      if conditions.isFollowing, pausedCopy != .none { firstOffers.append(clipboard.offer) }
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
    // A skipped secret was reported, and is reported until the new offer was read.
    if !isSecret { clipboardChanged() }
  }

  // MARK: - Copied elsewhere

  private func received(_ delivery: ClipboardDelivery, offer: Int) {
    if delivery == .failure(.unavailable) {
      isReachable = false
    } else if pausedCopy.includes(delivery, isFirst: firstOffers.contains(offer)) {
      return
    }
    add(delivery, .copiedElsewhere(offer: offer), isOnClipboard: true)
  }

  // MARK: - Copies from the history

  /// Puts a text on the clipboard, which is then not recorded.
  ///
  /// - Parameter clip: The clip whose whole text it is; nil for any other text.
  func copy(_ text: ClipText, of clip: Clip.ID? = nil, _ press: CopyPress) async throws(TransferError) {
    // Remember it first, because a clipboard manager may immediately take it over and offer it again.
    let copy = captures.remember(text, of: clip)
    do throws(TransferError) {
      try await clipboard.setText(copy, press)
    } catch {
      captures.forget(copy)
      throw error
    }
    isSecret = false
    if case .text = pausedCopy { pausedCopy = .none }
    clipboardChanged()
    // The read in progress and the texts that wait were on the clipboard before this copy. If this copy were stored
    // first, a text that is read again would no longer equal the last captured text, and would be recorded twice.
    clipboard.afterRead({ [captures] in captures.add(.copy(copy), .copied) })
  }

  // MARK: - Paste and drop

  /// Records the text that is on the clipboard now, even if its row was deleted; does nothing while an earlier paste
  /// waits for its text.
  func paste() {
    guard !userReads.contains(where: \.isPaste) else { return }
    let (offer, own, count) = (clipboard.offer, clipboard.ownOffer, captures.copyCount)
    let userRead = UserRead(isPaste: true)
    // An action that was requested before the paste may copy a row.
    let turn = actions.add { [self] in
      userRead.own = captures.copies.last.flatMap { $0.number > count ? $0 : nil } ?? own
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
        if !userRead.isWithdrawn { add(own) }
      } else if let content = await early?.value, !userRead.isWithdrawn {
        let isOnClipboard = offer == clipboard.offer && count == captures.copyCount
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

  // MARK: - Outcomes

  private func add(_ delivery: ClipboardDelivery, _ way: Capture.Way, isOnClipboard: Bool) {
    if case .success(.text(let bytes)) = delivery {
      captures.add(.bytes(bytes), way, isOnClipboard: isOnClipboard, room: sizeLimit)
    } else if let outcome = CaptureOutcome(delivery, way) {
      captures.add(.outcome(outcome), way)
    }
  }

  private func add(_ own: OwnOffer) {
    let way = Capture.Way.pastedOwn(copy: own.number)
    if own.text.byteCount > sizeLimit {
      captures.add(.outcome(.unread(.tooLarge(limit: sizeLimit))), way)
    } else {
      captures.add(.text(own.text), way)
    }
  }

  private func arrived(_ captures: [Capture]) {
    for capture in captures {
      switch (capture.way, capture.outcome) {
      case (.copiedElsewhere(let offer), _), (.pasted(let offer), .secret):
        let wasSecret = isSecret
        // Otherwise a newer offer is being read, or reading has ended.
        if offer == clipboard.offer, conditions.isFollowing { isSecret = capture.outcome == .secret }
        if isSecret || wasSecret { clipboardChanged() }
      case (.pastedOwn(let copy), .recorded(let clip)):
        if clipboard.ownOffer?.number == copy { clipboard.ownOffer?.clip = clip.id }
        clipboardChanged()
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
    await captures.drain()
    flush()
  }

  /// Ends the reads for which no text has arrived yet, because the program ends.
  func endUnansweredReads() { clipboard.endUnansweredReads() }

  /// Stops reading the clipboard permanently, and cancels a read in progress.
  func endReading() {
    withdraw { _ in true }
    clipboard.close()
  }
}
