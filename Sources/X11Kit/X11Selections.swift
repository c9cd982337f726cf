import CXCB
import ClipboardCore
import SerialQueue
import Synchronization

/// The selections of an X server: follows the clipboard's owner, reads the clipboard and drops, and offers this program's
/// text.
///
/// GDK's reading has no limit of time or size and does not expose Klipper's hint for secrets; once an owner has failed
/// to answer, GDK delivers every later answer one read too late. Its offering deadlocks the program with texts of
/// 256 KiB and more, and fails with 20 MiB and more.
///
/// Everything travels over one connection, so that there is one order of the owners' changes, of our requests and of our
/// own offers. Reads run side by side, each with a window of its own, so a late answer arrives at a window that no read
/// uses. The connection is made at the first use, and again after it was lost.
///
/// ```swift
/// let selections = X11Selections(display: nil, permit: permit)
/// try await selections.offer(Array("Hello".utf8))
/// while true {
///   try await selections.nextOffer()
///   let (content, offer) = await selections.readOffer()
/// }
/// ```
///
/// Without events, the thread is idle.
public actor X11Selections: SerialActor {
  /// The queue of the actor.
  public nonisolated let queue = SerialQueue(label: "org.copypasta.selections")
  private let display: String?
  /// How long a requestor may be inactive during a long text.
  private let idleTimeout: Duration
  nonisolated let permit: ReadPermit
  private let changed: @Sendable (_ isTaken: Bool) -> Void
  private let offers = Atomic(0)
  private var link: Link?

  /// The conditions of followed reads that begin from now on.
  public var followed: SelectionRead
  /// Whether the program ends, so that a followed read is ended unless its text has begun to arrive.
  private(set) var isEnding = false
  /// The permit's grant under which the clipboard is followed; nil while it is not.
  private var followedGrant: Int?
  /// Whether the next change of the owner is reported even if the clipboard is not followed.
  private var watchesNextChange = false
  private var hasNewOffer = false
  /// Whether our own offer has replaced the new offer before it was read.
  private var isMissed = false
  /// Once one of these windows receives the focus, the offer counts as new again.
  ///
  /// Empty unless the last read failed because none of these windows had the focus.
  private var awaitedFocus: [Window] = []
  /// The server time that was last requested.
  private var time = noTime
  /// Whether the clipboard manager has accepted the text; nil before its answer.
  private var managerAnswer: Bool?
  private var reads: [SelectionTransfer] = []
  private var waiters: [(end: SuspendingClock.Instant?, continuation: CheckedContinuation<Void, Never>)] = []
  /// How often the waiters were woken.
  private var wakeCount = 0
  private var timer: (end: SuspendingClock.Instant, timer: DispatchTimer)?

  /// What is lost with the connection.
  private final class Link {
    let connection: XConnection
    let atoms: Atoms
    let owner: SelectionOwner
    let orphanedRequests: OrphanedRequests
    let source: XConnection.ReadSource

    init(_ display: String?, _ idleTimeout: Duration, on queue: SerialQueue) throws {
      connection = try XConnection(display: display)
      atoms = try Atoms(connection)
      guard try connection.prepareOwnerChanges() else { throw TransferError.unavailable }
      owner = SelectionOwner(connection, atoms, idleTimeout: idleTimeout)
      orphanedRequests = OrphanedRequests(connection)
      source = XConnection.ReadSource(connection, queue: queue.dispatchQueue)
    }
  }

  /// Requests block while the server is busy, so they run on a thread of their own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - display: The server, such as `:0`; nil stands for the variable `DISPLAY`.
  ///   - permit: While it is granted, ``nextOffer()`` follows the clipboard. Call ``conditionsChanged()`` after each
  ///     change.
  ///   - idleTimeout: How long a requestor may be inactive during a long text before its transfer is dropped.
  ///   - changed: Called on the queue when another program takes the clipboard (true), or when the clipboard is emptied
  ///     or the connection lost (false), while the clipboard is followed, read or ours.
  public init(
    display: String?, permit: ReadPermit = ReadPermit(), idleTimeout: Duration = .seconds(30),
    changed: @escaping @Sendable (_ isTaken: Bool) -> Void = { _ in }
  ) {
    self.display = display
    self.permit = permit
    self.idleTimeout = idleTimeout
    self.changed = changed
    followed = SelectionRead(.followed, under: permit, within: TransferLimits())
  }

  // MARK: - The connection

  private func connected() throws(TransferError) -> Link {
    if let link { return link }
    do {
      let link = try Link(display, idleTimeout, on: queue)
      link.source.start { [weak self] in self?.assumeIsolated { _ = $0.handleEvents() } }
      self.link = link
      handleEvents()
      return link
    } catch {
      throw .unavailable
    }
  }

  private func connectionLost() {
    // The socket of a lost connection stays readable and would cause a busy loop.
    link = nil
    (followedGrant, awaitedFocus) = (nil, [])
    for read in reads { read.isConnectionLost = true }
    changed(false)
    wake()
  }

  // MARK: - Waiting

  /// Waits until a condition holds, or until `end`; checks the condition each time something has happened.
  private func wait(until end: SuspendingClock.Instant? = nil, for isMet: () -> Bool) async {
    while true {
      let seen = wakeCount
      if isMet() || end.map({ $0 <= .now }) ?? false { return }
      await withCheckedContinuation { continuation in
        // The thread may have handled events since the check above, when no waiter was there to wake.
        if wakeCount != seen { continuation.resume() } else { resumeLater(continuation, before: end) }
      }
    }
  }

  func resumeLater(_ continuation: CheckedContinuation<Void, Never>, before end: SuspendingClock.Instant?) {
    waiters.append((end, continuation))
    setTimer()
  }

  func wake() {
    wakeCount += 1
    let resumed = waiters
    waiters = []
    for waiter in resumed { waiter.continuation.resume() }
  }

  /// Runs a timer only while something waits with a time limit.
  private func setTimer() {
    let ends = waiters.compactMap(\.end) + [link?.owner.transfers.nextCheck].compactMap(\.self)
    guard let end = ends.min() else {
      timer = nil
      return
    }
    if let timer, timer.end <= end { return }
    timer = (
      end,
      DispatchTimer(after: end - .now, on: queue) { [weak self] in self?.assumeIsolated { $0.timerFired() } }
    )
  }

  private func timerFired() {
    timer = nil
    link?.owner.transfers.dropIdle()
    wake()
    handleEvents()
  }

  // MARK: - Events

  /// Handles pending events; call it before each suspension, because requests may have read events from the socket.
  ///
  /// - Returns: whether there may be more events.
  @discardableResult
  func handleEvents() -> Bool {
    guard let link else { return false }
    followPermit(link)
    var isChanged = false
    let isMore = link.connection.handleTurn { event in
      isChanged = true
      handle(event)
    }
    if link.connection.isLost, self.link === link { connectionLost() }
    if isMore { link.source.callAgain() }
    if isChanged { wake() }
    setTimer()
    return isMore
  }

  private func handle(_ event: Event) {
    guard let link else { return }
    link.orphanedRequests.handle(event)
    let (owner, atoms) = (link.owner, link.atoms)
    switch event {
    case .ownerChanged(let change) where change.selection == atoms[.clipboard]: clipboardChanged(change, link)
    case .focusCame(let window) where awaitedFocus.contains(window): hasNewOffer = true
    case .propertySet(owner.window, atoms[.timeProperty], let time): self.time = time
    case .selectionAnswered(let answer) where answer.selection == atoms[.clipboardManager]:
      managerAnswer = answer.property != noAtom
    case .windowDestroyed(owner.window), .windowMissing(owner.window): return connectionLost()
    default: owner.handle(event)
    }
    for read in reads { read.receive(event) }
  }

  private func clipboardChanged(_ change: Event.SelectionChange, _ link: Link) {
    // The event may have been sent before the changes were deselected.
    guard isWatched(change.selection, link) else { return }
    offers.add(1, ordering: .releasing)
    if change.owner == link.owner.window {
      isMissed = isMissed || hasNewOffer || !awaitedFocus.isEmpty
      return
    }
    // A read that has begun has found this owner.
    if reads.allSatisfy({ !$0.isFollowed || change.isAfter($0.lookup) }) {
      hasNewOffer = followedGrant != nil && change.owner != nil
    }
    isMissed = false
    watchesNextChange = false
    link.owner.ownerChanged(change)
    watch(change.selection, link)
    changed(change.owner != nil)
  }

  // MARK: - Following

  /// The number of changes of the clipboard's owner that were noticed; identifies an offer.
  public nonisolated var offer: Int { offers.load(ordering: .acquiring) }

  /// Counts the content of the clipboard as another offer, because its owner may have changed unnoticed.
  public nonisolated func countOffer() { offers.add(1, ordering: .releasing) }

  /// Applies a change of the permit or of another condition of a read; ends the reads that are not wanted any more.
  public func conditionsChanged() {
    handleEvents()
    wake()
  }

  /// Ends followed reads from now on unless their text has begun to arrive, because the program ends.
  public func endUnansweredReads() {
    isEnding = true
    conditionsChanged()
  }

  /// Reports the next change of the owner even if the clipboard is not followed by then.
  public func watchNextChange() {
    do throws(TransferError) {
      let link = try connected()
      watchesNextChange = true
      watch(link.atoms[.clipboard], link)
    } catch {
      // `nextOffer` reports that the server cannot be reached.
    }
  }

  /// Waits until the clipboard may be read and has an offer that the last followed read did not see.
  ///
  /// With each new grant of the permit, the current content counts as a new offer once.
  ///
  /// - Throws: `cancelled` if the task is cancelled; `unavailable` if the server cannot be reached.
  public func nextOffer() async throws(TransferError) {
    while true {
      if Task.isCancelled { throw .cancelled }
      _ = try connected()
      handleEvents()
      if hasNewOffer { return }
      await withTaskCancellationHandler {
        await wait { hasNewOffer || link == nil || Task.isCancelled }
      } onCancel: {
        wakeLater()
      }
    }
  }

  private nonisolated func wakeLater() { Task.unpooled(on: self) { $0.wake() } }

  private func followPermit(_ link: Link) {
    let grant = permit.current
    guard grant != followedGrant else { return }
    followedGrant = grant
    if grant != nil { watchesNextChange = false }
    (hasNewOffer, isMissed) = (grant != nil, false)
    endAwaitingFocus()
    watch(link.atoms[.clipboard], link)
  }

  private func isWatched(_ selection: Atom, _ link: Link) -> Bool {
    if reads.contains(where: { $0.selection == selection }) { return true }
    let isFollowed = followedGrant != nil || watchesNextChange || link.owner.isOwner
    return isFollowed && selection == link.atoms[.clipboard]
  }

  /// Selects the changes of a selection's owner only while they matter, so that they do not wake an idle process.
  private func watch(_ selection: Atom, _ link: Link) {
    link.connection.followOwner(of: selection, isWatched(selection, link))
    link.connection.flush()
  }

  /// Treats the offer as new once a window has the focus.
  ///
  /// Some window managers mark a window as active before they move the focus to it.
  private func awaitFocus(of window: Window, _ connection: XConnection) {
    do throws(TransferError) {
      awaitedFocus = try connection.windows(around: window, .endless)
      for window in awaitedFocus { connection.select(.focus, on: window) }
      // The window may have received the focus before focus events were selected.
      if try connection.hasFocus(window, .endless) { hasNewOffer = true }
    } catch {
      // The connection is lost, which `nextOffer` reports.
    }
  }

  private func endAwaitingFocus() {
    for window in awaitedFocus { link?.connection.deselect(.focus, on: window) }
    awaitedFocus = []
  }

  // MARK: - Reading

  /// Reads the new offer, with the conditions `followed`.
  ///
  /// - Returns: What to deliver, and the number of the offer to which it belongs.
  public func readOffer() async -> (content: Result<ClipboardContent, TransferError>, offer: Int) {
    await result(of: followed)
  }

  /// Reads the text of the clipboard or, for a drop, of the dragged content.
  ///
  /// A secret is not read: if the owner lists `SecretHint.name` with the value `secret`, or lists it but refuses the
  /// value, the text is never requested. If this program takes the clipboard after the text was requested, the read
  /// continues.
  ///
  /// - Throws: a `TransferError` with the reason why the content is missing. It is `cancelled` if the owner changes
  ///   before its text arrives, or if a condition of the read no longer holds before the text is requested.
  public func read(_ read: SelectionRead) async throws(TransferError) -> ClipboardContent {
    try await result(of: read).content.get()
  }

  private func result(
    of read: SelectionRead
  ) async -> (content: Result<ClipboardContent, TransferError>, offer: Int) {
    let link: Link
    do throws(TransferError) {
      link = try connected()
    } catch {
      return (.failure(error), offer)
    }
    let transfer = begin(read, link)
    let id = ObjectIdentifier(transfer)
    let result = await withTaskCancellationHandler {
      await content(of: id)
    } onCancel: {
      wakeLater()
    }
    end(transfer, link)
    return (result, transfer.offer)
  }

  private func begin(_ read: SelectionRead, _ link: Link) -> SelectionTransfer {
    handleEvents()
    let transfer = SelectionTransfer(read, for: self, link.connection, link.atoms, link.orphanedRequests)
    reads.append(transfer)
    if transfer.isFollowed {
      hasNewOffer = false
      endAwaitingFocus()
    }
    watch(transfer.selection, link)
    return transfer
  }

  private func content(
    of id: ObjectIdentifier
  ) async -> Result<ClipboardContent, TransferError> {
    guard let link, let transfer = reads.first(where: { ObjectIdentifier($0) == id }) else {
      return .failure(.unavailable)
    }
    do throws(TransferError) {
      guard let owner = try findOwner(transfer, link) else { return .success(.noText) }
      if owner == link.owner.window {
        guard transfer.isFollowed, isMissed else { return .success(.own) }
        isMissed = false
        throw .ownershipLost
      }
      transfer.begin(with: owner, at: time)
      return .success(try await transfer.content(within: transfer.read.limits))
    } catch {
      return .failure(error)
    }
  }

  /// Looks up the owner and the server time, because some owners reject CurrentTime (ICCCM 2.4).
  private func findOwner(_ transfer: SelectionTransfer, _ link: Link) throws(TransferError) -> Window? {
    let connection = link.connection
    connection.requestTime(for: link.owner.window, through: link.atoms[.timeProperty])
    transfer.lookup = xcb_get_selection_owner(connection.handle, transfer.selection).sequence
    let owner = try connection.selectionOwner(answering: transfer.lookup, .endless)
    while handleEvents() {}
    transfer.offer = offer
    return owner
  }

  private func end(_ transfer: SelectionTransfer, _ link: Link) {
    defer { conditionsChanged() }
    transfer.finish()
    reads.removeAll { $0 === transfer }
    guard self.link === link else { return }
    if transfer.isFollowed, followedGrant != nil {
      if transfer.isRequestorLost { hasNewOffer = true }
      if transfer.lacksFocus, let window = transfer.read.activeWindow {
        awaitFocus(of: window, link.connection)
      }
    }
    watch(transfer.selection, link)
  }

  /// Waits until the followed read in progress has ended.
  public func afterRead() async {
    await wait { !reads.contains { $0.isFollowed } }
  }

  /// Whether there is an offer of another program whose text a followed read has still to request.
  var isReadPending: Bool {
    guard permit.current != nil, link != nil else { return false }
    return hasNewOffer || !awaitedFocus.isEmpty
      || reads.contains { $0.isFollowed && !$0.isCommitted }
  }

  // MARK: - Offering

  /// Whether the clipboard holds this program's text.
  public var isOwner: Bool { link?.owner.isOwner ?? false }

  /// The window that owns the clipboard while it holds this program's text; nil without a connection.
  public var window: UInt32? { link?.owner.window }

  /// Puts `bytes`, a text in UTF-8, on the clipboard.
  ///
  /// First waits briefly for a pending read, because taking the clipboard discards its current text. Transfers of an
  /// earlier text that are under way continue with that text.
  ///
  /// - Parameters:
  ///   - press: the server time of the press that asked for the copy; 0 stands for the current time.
  ///   - taken: called on the queue once the text is on the clipboard, before any later change is reported.
  /// - Throws: `ownershipLost` if another program has copied since the press; `unavailable`.
  public func offer(
    _ bytes: [UInt8], at press: UInt32 = noTime, taken: @Sendable () -> Void = {}
  ) async throws(TransferError) {
    _ = try connected()
    handleEvents()
    let end = SuspendingClock.now + followed.limits.copyDelay
    await wait(until: end) { !isReadPending }
    let link = try connected()
    defer { handleEvents() }
    let isTaken = try link.owner.offer(bytes, at: press == noTime ? try serverTime(link) : press)
    watch(link.atoms[.clipboard], link)
    guard isTaken else { throw .ownershipLost }
    taken()
  }

  private func serverTime(_ link: Link) throws(TransferError) -> UInt32 {
    link.connection.requestTime(for: link.owner.window, through: link.atoms[.timeProperty])
    try link.connection.synchronise(.endless)
    while handleEvents() {}
    guard self.link === link else { throw .unavailable }
    return time
  }

  /// Asks the clipboard manager to preserve the text after this program exits, and waits until the manager has it
  /// (ClipboardManager specification of freedesktop.org).
  ///
  /// - Returns: false if no manager is running, if it refuses, or if it takes longer than `limit`.
  public func handOver(within limit: Duration) async -> Bool {
    let end = SuspendingClock.now + limit
    guard let link, link.owner.isOwner else { return false }
    defer { handleEvents() }
    do throws(TransferError) {
      guard try link.connection.owner(of: link.atoms[.clipboardManager], .endless) != nil else {
        return false
      }
      managerAnswer = nil
      link.owner.askManager(at: try serverTime(link))
      handleEvents()
      await wait(until: end) { managerAnswer != nil || self.link == nil }
      return managerAnswer ?? false
    } catch {
      return false
    }
  }

  /// Gives up the clipboard, and answers every request that has arrived, so that no program waits in vain.
  ///
  /// Call it last, because a request that the server has already sent to this program is lost when the connection
  /// closes.
  ///
  /// - Parameter limit: how long requestors of long texts may take to receive the rest.
  public func close(within limit: Duration) async {
    let end = SuspendingClock.now + limit
    guard let link else { return }
    defer { handleEvents() }
    do throws(TransferError) {
      // From here on the server itself refuses all requests, unless a clipboard manager has taken over the text.
      if link.owner.isOwner { link.owner.release(at: try serverTime(link)) }
      try link.connection.synchronise(.endless)
      handleEvents()
      await wait(until: end) { self.link?.owner.transfers.nextCheck == nil }
      try link.connection.synchronise(.endless)
    } catch {
      // The connection is lost.
    }
  }
}
