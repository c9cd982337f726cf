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
///   let content = try await reader.readText(ownWindow: owner.window, within: TransferLimits())
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
  private let permit: ReadPermit
  private let orphanedRequests: OrphanedRequests
  private var readSource: XConnection.ReadSource?
  /// The permit's grant under which owner changes are watched; nil while they are not.
  private var followedGrant: Int?
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
  /// - Throws: `cannotConnect` if no server answers, if the server lacks XFixes, or if the process is out of file
  ///   descriptors; `connectionLost` if the server exits meanwhile.
  public init(
    display: String?, permit: ReadPermit = ReadPermit(),
    on queue: SerialQueue = SerialQueue(label: "org.copypasta.selection-reader")
  ) throws(X11Error) {
    self.queue = queue
    let connection = try XConnection(display: display)
    self.connection = connection
    self.permit = permit
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

  private func handleEvents() {
    follow()
    let isMore = connection.handleTurn { event in
      orphanedRequests.handle(event)
      if case .ownerChanged(let change) = event, change.selection == atoms[.clipboard], followedGrant != nil {
        hasNewOffer = change.owner != nil
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
    if (grant == nil) != (followedGrant == nil) {
      connection.followOwner(of: atoms[.clipboard], grant != nil)
      connection.flush()
    }
    followedGrant = grant
    hasNewOffer = grant != nil
    endAwaitingFocus()
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

  /// Reads the text of the CLIPBOARD selection.
  ///
  /// A secret is not read: if the owner lists `SecretHint.name` with the value `secret`, or lists it but refuses the
  /// value, the text is never requested. If the caller itself takes the clipboard after the text was requested, the
  /// read continues.
  ///
  /// - Parameters:
  ///   - ownWindow: The window of the caller's own offer, which is not read; evaluated each time it is needed.
  ///   - activeWindow: The window that must have the server's focus at each request, unless the read is `onPurpose`.
  ///   - limits: The limits of size and time.
  ///   - onPurpose: Whether the user initiated this read; if not, every request needs the permit.
  ///   - asked: Called when the text has been requested.
  ///   - offerChanged: Called when another program changes the clipboard during the read; the argument is whether there is a
  ///     new offer to read.
  /// - Throws: a `TransferError` with the reason why the content is missing. It is `cancelled` if the owner changes
  ///   before its text arrives, or if the permit or the focus is lost before the text is requested. After any error but
  ///   `unavailable`, the reader can be used again.
  public func readText(
    ownWindow: @autoclosure @escaping @Sendable () -> UInt32?, activeWindow: UInt32? = nil,
    within limits: TransferLimits, onPurpose: Bool = false, asked: @escaping @Sendable () -> Void = {},
    offerChanged: @escaping @Sendable (Bool) -> Void = { _ in }
  ) async throws(TransferError) -> ClipboardContent {
    let deadline = Deadline(end: nil, cancellation: cancellation).limited(to: limits.total)
    let result: Result<ClipboardContent, TransferError> = await withTaskCancellationHandler {
      let permission = onPurpose ? nil : SelectionTransfer.Permission(permit: permit, window: activeWindow)
      return read(
        within: limits, permission, deadline, ownWindow: ownWindow, asked: asked, offerChanged: offerChanged)
    } onCancel: { [cancellation] in
      cancellation.send()
    }
    return try result.get()
  }

  private func read(
    within limits: TransferLimits, _ permission: SelectionTransfer.Permission?, _ deadline: Deadline,
    ownWindow: @escaping () -> UInt32?, asked: @escaping () -> Void, offerChanged: @escaping (Bool) -> Void
  ) -> Result<ClipboardContent, TransferError> {
    handleEvents()
    // Only an automatic read uses up the offer; after a read that the user initiated, `nextOffer` still reports it as
    // new.
    if permission != nil {
      hasNewOffer = false
      endAwaitingFocus()
    }
    if followedGrant == nil { connection.followOwner(of: atoms[.clipboard], true) }
    let transfer = SelectionTransfer(
      of: atoms[.clipboard], connection, atoms, orphanedRequests, permission, limits, deadline,
      ownWindow: ownWindow, asked: asked, offerChanged: offerChanged)
    defer {
      if followedGrant == nil { connection.followOwner(of: atoms[.clipboard], false) }
      transfer.end()
      resume(after: transfer, isOnPurpose: permission == nil)
    }
    do {
      return .success(try transfer.content())
    } catch {
      if transfer.lacksFocus, let window = permission?.window { awaitFocus(of: window) }
      return .failure(error)
    }
  }

  /// Handles the changes of owner and focus whose events the read has consumed.
  private func resume(after transfer: SelectionTransfer, isOnPurpose: Bool) {
    let mayHaveFocus = isOnPurpose && !awaitedFocus.isEmpty
    if followedGrant != nil, transfer.isReplaced || mayHaveFocus { hasNewOffer = true }
    handleEvents()
  }

  /// Reads a text that another program has dropped, unless GDK passes the text on unchanged.
  ///
  /// When GDK converts a text, it truncates the text at a NUL, and escapes invalid UTF-8.
  ///
  /// - Returns: nil if GDK should read the text, because it passes the text on unchanged or may succeed where this read
  ///   failed.
  /// - Throws: `TransferError` if the text cannot be read.
  public func readDroppedText(within limits: TransferLimits) throws(TransferError) -> [UInt8]? {
    let deadline = Deadline.endless.limited(to: limits.total)
    connection.followOwner(of: atoms[.draggedContent], true)
    let transfer = SelectionTransfer(
      of: atoms[.draggedContent], connection, atoms, orphanedRequests, nil, limits, deadline,
      ownWindow: { nil }, asked: {}, offerChanged: { _ in })
    defer {
      connection.followOwner(of: atoms[.draggedContent], false)
      transfer.end()
      resume(after: transfer, isOnPurpose: true)
    }
    do throws(TransferError) {
      switch try transfer.content() {
      case .text(let bytes): return bytes
      case .noText, .own: return nil
      case .secret: throw .refused
      }
    } catch .timedOut {
      return nil
    }
  }
}

extension SelectionReader {
  /// The windows of abandoned reads whose owners have not answered yet.
  ///
  /// An owner may still write its answer to a property of the window. If the window were destroyed, the owner would get
  /// an X error, which terminates many programs, such as xclip, and loses the text that they offer. Therefore the
  /// window is kept until the answer arrives.
  final class OrphanedRequests {
    /// What the owner still has to do before the window can be destroyed.
    enum Remainder {
      /// Answer the request.
      case answer
      /// Write the next chunk of a long text.
      case chunk
    }

    /// The maximum number of windows to keep for requests without an answer; some owners never answer.
    private static let limit = 32

    private let connection: XConnection
    private var windows: [(window: Window, remainder: Remainder)] = []

    init(_ connection: XConnection) {
      self.connection = connection
    }

    /// Takes over the window of a read that has ended.
    func keep(_ window: Window, until remainder: Remainder) {
      windows.append((window, remainder))
      if windows.count > Self.limit { connection.destroy(windows.removeFirst().window) }
    }

    /// Destroys a kept window if `event` shows that the owner has answered or written the chunk.
    func handle(_ event: Event) {
      guard !windows.isEmpty else { return }
      switch event {
      case .selectionAnswered(let answer): end(answer.requestor, .answer)
      case .propertySet(let window, _, _): end(window, .chunk)
      default: break
      }
    }

    private func end(_ window: Window, _ remainder: Remainder) {
      guard let index = windows.firstIndex(where: { $0 == (window, remainder) }) else { return }
      windows.remove(at: index)
      connection.destroy(window)
      connection.flush()
    }
  }
}
