import ClipHistory
import ClipboardCore
import GtkKit
import SerialQueue

/// The one way into the open history: every text that is copied elsewhere, pasted or dropped comes in here.
///
/// Each text goes from the clipboard's source to a `CaptureQueue`, and its outcome to `show`.
@MainActor
final class Intake {
  /// What the reads depend on.
  struct Conditions: Equatable {
    var isShown = false
    /// Whether the window has the focus.
    var isActive = false
    var isPaused = false

    /// Whether the clipboard is followed.
    var isFollowing: Bool { isActive && !isPaused }
  }

  /// A paste or a drop that waits for its text.
  private final class UserRead {
    let isPaste: Bool
    /// Revoked once a condition of the request no longer holds.
    let permit = ReadPermit()
    var task: Task<Void, Never>?

    init(isPaste: Bool) {
      self.isPaste = isPaste
      permit.grant()
    }

    var isWithdrawn: Bool { permit.current == nil }
  }

  private let clipboard: any SystemClipboard
  /// Runs the user's actions; a paste waits for them, because a copy from the history changes the clipboard.
  private let actions: TaskQueue
  private let store: HistoryStore
  private let now: @Sendable () -> Int64
  private lazy var captures = CaptureQueue(
    into: store, queue: actions, noting: clipboard.ownCopies, now: now, report: arrivals.add)
  private let show: @MainActor ([Capture]) -> Void
  /// Carries the outcomes of captures to the main thread.
  private lazy var arrivals = BurstMailbox<Capture>(deliver: weakly(self) { $0.arrived($1) })
  /// Reads what other programs offer.
  private lazy var source = clipboard.makeSource { [captures] delivery, offer in
    captures.add(delivery, .copiedElsewhere(offer: offer))
    await captures.awaitRoom()
  } ownerChanged: { [weak self] in
    Task.unpooled { [weak self] in self?.ownerChanged() }
  }
  private var userReads: [UserRead] = []
  /// The last text that this program has put on the clipboard since the pending paste began.
  private var copiedSincePaste: ClipText?
  private var observations: [ListenerToken] = []

  /// The clip that is on the clipboard, if that is known without reading the clipboard.
  ///
  /// It is known while this program offers the clip, or if the clip was the last to be captured from the clipboard and
  /// the clipboard has been followed ever since.
  private(set) var onClipboard: Clip.ID? {
    didSet { if onClipboard != oldValue { onClipboardChanged(onClipboard) } }
  }
  private let onClipboardChanged: @MainActor (Clip.ID?) -> Void
  private let contentChanged: @MainActor () -> Void

  /// - Parameters:
  ///   - actions: The queue for captures and the user's actions.
  ///   - show: Called with the outcomes of the texts, in order.
  ///   - onClipboardChanged: Called when another clip is on the clipboard.
  ///   - contentChanged: Called when another program has taken or emptied the clipboard, so that information about the
  ///     earlier content is outdated.
  init(
    into store: HistoryStore, from clipboard: any SystemClipboard, after actions: TaskQueue,
    now: @escaping @Sendable () -> Int64, show: @escaping @MainActor ([Capture]) -> Void,
    onClipboardChanged: @escaping @MainActor (Clip.ID?) -> Void,
    contentChanged: @escaping @MainActor () -> Void
  ) {
    self.store = store
    self.clipboard = clipboard
    self.actions = actions
    self.now = now
    self.show = show
    self.onClipboardChanged = onClipboardChanged
    self.contentChanged = contentChanged
    // Store the copies that were made before this intake existed.
    for copy in clipboard.ownCopies.all { captures.add(copy) }
    observations = [
      clipboard.ownCopies.additions.add(weakly(self) { $0.copied($1) }),
      clipboard.offerLosses.add(weakly(self) { $0.onClipboard = nil }),
    ]
  }

  // MARK: - The window

  /// What the reads depend on; once a change that ends following has returned, no text is requested automatically.
  var conditions = Conditions() {
    didSet {
      guard conditions != oldValue else { return }
      let isHidden = oldValue.isShown && !conditions.isShown || !oldValue.isPaused && conditions.isPaused
      let hasLostFocus = oldValue.isActive && !conditions.isActive
      if isHidden || hasLostFocus { withdraw { isHidden || $0.isPaste } }
      guard conditions.isFollowing != oldValue.isFollowing else { return }
      if !conditions.isFollowing, !clipboard.isOffering { onClipboard = nil }
      source.follow(conditions.isFollowing)
    }
  }

  /// The size of the largest text that is recorded, in bytes.
  var sizeLimit: Int {
    get { source.limits.bytes }
    set { source.limits.bytes = newValue }
  }

  /// Cancels pastes and drops whose conditions no longer hold, and shows one notice.
  private func withdraw(where isConcerned: (UserRead) -> Bool) {
    let withdrawn = userReads.filter(isConcerned)
    guard let first = withdrawn.first else { return }
    userReads.removeAll(where: isConcerned)
    for userRead in withdrawn { userRead.permit.revoke() }
    show([Capture(way: first.isPaste ? .pasted(offer: 0) : .dropped, outcome: .unread(.cancelled))])
  }

  // MARK: - Paste and drop

  /// Records the text that is on the clipboard now, even if its row was deleted; does nothing while an earlier paste
  /// waits for its text.
  func paste() {
    guard !userReads.contains(where: \.isPaste) else { return }
    let offer = source.offer
    copiedSincePaste = nil
    start(UserRead(isPaste: true)) { [self] userRead in
      @MainActor func read() async -> ClipboardDelivery {
        await delivery { () throws(TransferError) in
          try await source.read(pasted: offer, under: userRead.permit)
        }
      }
      // If the clipboard is not followed, read now, because on X11 the source then does not notice a new offer.
      let early = conditions.isFollowing ? nil : Task.unpooled { await read() }
      // Finish any pending copy from the history, so that its text is on the clipboard.
      await actions.drain()
      await captures.awaitRoom()
      guard !userRead.isWithdrawn else { return }
      if let own = copiedSincePaste.take() ?? clipboard.offeredText {
        return captures.add(own, .pastedOwn(copy: clipboard.ownCopies.count))
      }
      let content = if let early { await early.value } else { await read() }
      if !userRead.isWithdrawn { captures.add(content, .pasted(offer: offer)) }
    }
  }

  /// Records a dropped text.
  func drop(_ drop: any DroppedText) {
    start(UserRead(isPaste: false)) { [self] userRead in
      await captures.awaitRoom()
      let delivery = await delivery { () throws(TransferError) in
        try await source.read(drop, under: userRead.permit)
      }
      let isText = if case .success(.text) = delivery { !userRead.isWithdrawn } else { false }
      drop.finish(accepted: isText)
      if !userRead.isWithdrawn { captures.add(delivery, .dropped) }
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

  /// Stores a text that this program has put on the clipboard as the last captured text.
  ///
  /// Storing waits for the read in progress and for the texts in the queue, which were on the clipboard before this
  /// copy. When the window becomes active, a text that is already recorded may be read again. If this copy were stored
  /// first, that text would no longer equal the last captured text, and would be recorded twice.
  private func copied(_ copy: OwnCopies.Copy) {
    // If a clipboard manager has taken over the text, forget the clip, because a later copy would go unnoticed.
    onClipboard = clipboard.isOffering ? copy.clip : nil
    if userReads.contains(where: \.isPaste) { copiedSincePaste = copy.text }
    clipboard.pendingRead.afterRead { [captures] in captures.add(copy) }
  }

  // MARK: - Outcomes

  private func ownerChanged() {
    if !clipboard.isOffering { onClipboard = nil }
    contentChanged()
  }

  private func arrived(_ captures: [Capture]) {
    show(captures)
    // Otherwise a later copy in another program would go unnoticed.
    let isObserved = conditions.isFollowing || clipboard.isOffering
    for capture in captures where isOnClipboard(capture.way) {
      switch capture.outcome {
      case .recorded(let clip): if isObserved { onClipboard = clip.id }
      case .ignored(let id?): if isObserved { onClipboard = id }
      case .ignored(nil), .waiting: break
      case .invalid, .unread, .failed, .noText, .nothingToRecord, .secret: onClipboard = nil
      }
    }
  }

  /// Whether the offer or the copy that arrived in this way is still on the clipboard.
  func isOnClipboard(_ way: Capture.Way) -> Bool {
    switch way {
    case .copiedElsewhere(let offer), .pasted(let offer): !clipboard.isOffering && offer == source.offer
    case .pastedOwn(let copy): clipboard.isOffering && copy == clipboard.ownCopies.count
    case .dropped: false
    }
  }

  /// Forgets the ids of clips, because they have changed.
  func forgetClips() {
    onClipboard = nil
    captures.forgetClips()
  }

  // MARK: - The end

  /// Shows the outcomes of all texts that were recorded so far.
  func flush() { arrivals.flush() }

  /// Why texts wait instead of being written; nil if they are written.
  var obstacle: StoreError? { captures.obstacle }

  /// Tries again now to write what waits for another program's lock.
  func retry() { captures.retry() }

  /// Writes what waits; call this after the history was reopened.
  func resume() { captures.resume() }

  /// Waits until all texts requested so far are on disk, however long another program locks the history.
  func drain() async {
    for userRead in userReads { await userRead.task?.value }
    await actions.drain()
    await withCheckedContinuation { continuation in
      clipboard.pendingRead.afterRead { continuation.resume() }
    }
    await captures.drain()
    flush()
  }

  /// Whether no text is being read or waits, and no copy from the history has to be stored.
  var isIdle: Bool {
    userReads.isEmpty && clipboard.ownCopies.all.isEmpty && !clipboard.pendingRead.isReading
      && captures.isIdle
  }

  /// Stops reading the clipboard permanently, and cancels a read in progress.
  func endReading() {
    withdraw { _ in true }
    source.close()
  }

  /// Makes a last attempt to write what waits; returns the number of texts that are lost.
  func close() async -> Int { await captures.close() }
}
