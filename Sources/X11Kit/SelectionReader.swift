import ClipboardCore
import SerialQueue

/// Reads the text on the X11 clipboard and watches for new owners, with its own X connection and thread.
///
/// GDK's reading has no limit of time or size and does not expose Klipper's hint for secrets. Once an owner has failed
/// to answer, GDK delivers every later answer one read too late. Here each read has its own window, so a late answer
/// arrives at a window that no read uses.
///
/// ```swift
/// let reader = try SelectionReader(display: nil, permit: permit)
/// while true {
///   try await reader.nextOffer()
///   let content = try await reader.read(SelectionRead(.followed, under: permit, within: TransferLimits()))
/// }
/// ```
///
/// Reads are serialised: a second one begins when the first has ended.
///
/// Without events, the thread is idle.
public actor SelectionReader: SerialActor {
  /// The queue on which the reader runs.
  public nonisolated let queue: SerialQueue
  private let connection: XConnection
  private let atoms: Atoms
  private let cancellation: Deadline.CancellationSignal
  nonisolated let permit: ReadPermit
  private let orphanedRequests: OrphanedRequests
  private let ownerChanged: @Sendable (UInt32?) -> Void
  private var readSource: XConnection.ReadSource?
  /// The permit's grant under which the clipboard is followed; nil while it is not.
  private var followedGrant: Int?
  /// Whether the next change of the owner is reported even if the clipboard is not followed.
  private var watchesNextChange = false
  private var hasNewOffer = false
  private var waiter: CheckedContinuation<Void, Never>?
  /// Once one of these windows receives the focus, the offer counts as new again.
  ///
  /// Empty unless the last read failed because none of these windows had the focus.
  private var awaitedFocus: [Window] = []

  /// Reads sleep in `poll(2)`, so they run on a thread of their own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Connects to `display`, such as `:0`; nil stands for the variable `DISPLAY`.
  ///
  /// The call blocks until the server answers.
  ///
  /// - Parameters:
  ///   - permit: While it is granted, ``nextOffer()`` follows the clipboard. Call ``permitChanged()`` after each
  ///     change.
  ///   - queue: The queue to run on; reads block its thread.
  ///   - ownerChanged: Called on the queue for each change of the clipboard's owner, while the clipboard is followed or
  ///     read; the argument is the new owner's window, or nil if there is none.
  /// - Throws: `cannotConnect` if no server answers, if the server lacks XFixes, or if the process is out of file
  ///   descriptors; `connectionLost` if the server exits meanwhile.
  public init(
    display: String?, permit: ReadPermit = ReadPermit(),
    on queue: SerialQueue = SerialQueue(label: "org.copypasta.selection-reader"),
    ownerChanged: @escaping @Sendable (UInt32?) -> Void = { _ in }
  ) throws(X11Error) {
    self.queue = queue
    let connection = try XConnection(display: display)
    self.connection = connection
    self.permit = permit
    self.ownerChanged = ownerChanged
    orphanedRequests = OrphanedRequests(connection)
    let tellsOwners: Bool
    do {
      atoms = try Atoms(connection)
      tellsOwners = try connection.prepareOwnerChanges()
    } catch {
      throw .connectionLost
    }
    guard tellsOwners, let cancellation = Deadline.CancellationSignal() else {
      throw .cannotConnect(display: display ?? "")
    }
    self.cancellation = cancellation
    let source = XConnection.ReadSource(connection, queue: queue.dispatchQueue)
    readSource = source
    source.start { [weak self] in self?.assumeIsolated { $0.handleEvents() } }
  }

  // MARK: - Following

  /// Waits until the clipboard may be read and has an offer that the last read did not see.
  ///
  /// With each new grant of the permit, the current content counts as a new offer once.
  ///
  /// - Throws: `cancelled` if the task is cancelled; `unavailable` if the connection is lost, after which the reader
  ///   cannot be used.
  public func nextOffer() async throws(TransferError) {
    while true {
      if Task.isCancelled { throw .cancelled }
      handleEvents()
      if connection.isLost { throw .unavailable }
      if hasNewOffer { return }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          // The thread may have handled events since the check above, when no waiter was there to wake.
          if hasNewOffer || connection.isLost || Task.isCancelled {
            continuation.resume()
          } else {
            waiter = continuation
          }
        }
      } onCancel: {
        Task.unpooled(on: self) { reader in reader.wake() }
      }
    }
  }

  /// Starts or stops following the clipboard, according to the permit.
  public func permitChanged() { handleEvents() }

  /// Reports the next change of the owner even if the clipboard is not followed by then.
  public func watchNextChange() {
    watchesNextChange = true
    selectOwnerChanges()
  }

  /// Ends the read in progress if it is not wanted any more; see `SelectionRead.isWanted`.
  public nonisolated func endUnwantedRead() { cancellation.send() }

  private func handleEvents() {
    follow()
    let isMore = connection.handleTurn { event in
      orphanedRequests.handle(event)
      if case .ownerChanged(let change) = event, change.selection == atoms[.clipboard],
        watchesOwner
      {
        hasNewOffer = followedGrant != nil && change.owner != nil
        if watchesNextChange {
          watchesNextChange = false
          selectOwnerChanges()
        }
        ownerChanged(change.owner)
      }
      if case .focusCame(let window) = event, awaitedFocus.contains(window) { hasNewOffer = true }
    }
    // The socket of a lost connection stays readable and would cause a busy loop.
    if connection.isLost { readSource = nil }
    if isMore { readSource?.callAgain() }
    if hasNewOffer || connection.isLost { wake() }
  }

  private func follow() {
    let grant = permit.current
    guard grant != followedGrant else { return }
    followedGrant = grant
    if grant != nil { watchesNextChange = false }
    selectOwnerChanges()
    hasNewOffer = grant != nil
    endAwaitingFocus()
  }

  private var watchesOwner: Bool { followedGrant != nil || watchesNextChange }

  private func selectOwnerChanges() {
    connection.followOwner(of: atoms[.clipboard], watchesOwner)
    connection.flush()
  }

  /// Treats the offer as new once a window has the focus.
  ///
  /// Some window managers mark a window as active before they move the focus to it.
  private func awaitFocus(of window: Window) {
    do throws(TransferError) {
      awaitedFocus = try connection.windows(around: window, .endless)
      for window in awaitedFocus { connection.select(.focus, on: window) }
      // The window may have received the focus before focus events were selected.
      hasNewOffer = try connection.hasFocus(window, .endless)
    } catch {
      // The connection is lost, which `nextOffer` reports.
    }
  }

  private func endAwaitingFocus() {
    for window in awaitedFocus { connection.select(.none, on: window) }
    awaitedFocus = []
  }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }

  // MARK: - Reading

  /// Reads the text of the clipboard or, for a drop, of the dragged content.
  ///
  /// A secret is not read: if the owner lists `SecretHint.name` with the value `secret`, or lists it but refuses the
  /// value, the text is never requested. If the caller itself takes the clipboard after the text was requested, the
  /// read continues.
  ///
  /// - Throws: a `TransferError` with the reason why the content is missing. It is `cancelled` if the owner changes
  ///   before its text arrives, or if a condition of the read no longer holds before the text is requested. After any
  ///   error but `unavailable`, the reader can be used again.
  public func read(_ read: SelectionRead) async throws(TransferError) -> ClipboardContent {
    let deadline = Deadline(end: nil, cancellation: cancellation).limited(to: read.limits.total)
    let result: Result<ClipboardContent, TransferError> = await withTaskCancellationHandler {
      await content(of: read, deadline)
    } onCancel: { [cancellation] in
      cancellation.send()
    }
    return try result.get()
  }

  private func content(
    of read: SelectionRead, _ deadline: Deadline
  ) async -> Result<ClipboardContent, TransferError> {
    handleEvents()
    let isFollowed = read.reason == .followed
    // Only an automatic read uses up the offer; after a read that the user initiated, `nextOffer` still reports it as
    // new.
    if isFollowed {
      hasNewOffer = false
      endAwaitingFocus()
    }
    let selection = read.dropTime == nil ? atoms[.clipboard] : atoms[.draggedContent]
    let isWatched = watchesOwner && read.dropTime == nil
    if !isWatched { connection.followOwner(of: selection, true) }
    let transfer = SelectionTransfer(
      read, of: selection, connection, atoms, orphanedRequests, deadline, ownerChanged: ownerChanged)
    defer {
      if !isWatched { connection.followOwner(of: selection, false) }
      transfer.end()
      // The end of a transfer discards focus events, so await the focus only now.
      if isFollowed, transfer.lacksFocus, let window = read.activeWindow { awaitFocus(of: window) }
      handleChanges(during: transfer, isFollowed: isFollowed)
    }
    do {
      return .success(try await transfer.content())
    } catch {
      return .failure(error)
    }
  }

  /// Handles the changes of owner and focus whose events the read has consumed.
  private func handleChanges(during transfer: SelectionTransfer, isFollowed: Bool) {
    let mayHaveFocus = !isFollowed && !awaitedFocus.isEmpty
    if followedGrant != nil, transfer.isReplaced || mayHaveFocus { hasNewOffer = true }
    handleEvents()
  }
}
