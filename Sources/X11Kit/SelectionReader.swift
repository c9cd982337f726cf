import ClipboardCore
import SerialQueue

/// Reads the text on the X11 clipboard, and follows who owns it, through a connection of its own and off the main
/// thread.
///
/// GDK's reading has no limit of time or size, hides Klipper's mark of a secret, and after an owner that never
/// answered hands out every later answer one read too late. Here each read has a window of its own: whatever comes late
/// comes to a window that nobody looks at.
///
/// ```swift
/// let reader = try SelectionReader(display: nil, permit: permit)
/// while true {
///   try await reader.nextOffer()
///   let content = try await reader.readText(ownWindow: owner.window, within: TransferLimits())
/// }
/// ```
///
/// Reads take turns: a second one begins when the first has ended. While nothing happens, nothing runs.
public actor SelectionReader: SerialActor {
  /// The thread that the reader runs on.
  public nonisolated let queue: SerialQueue
  private let connection: XConnection
  private let atoms: Atoms
  private let cancellation: Deadline.CancellationSignal
  private let permit: ReadPermit
  private let lateAnswers: OrphanedRequests
  private var readSource: XConnection.ReadSource?
  /// The grant for which the clipboard is followed; nil while it is not.
  private var followedGrant: Int?
  /// Whether there is an offer that nobody has read.
  private var hasNewOffer = false
  private var waiter: CheckedContinuation<Void, Never>?
  /// The windows whose focus begins a read again, because the last one was refused for lack of it.
  private var awaitedFocus: [Window] = []

  /// The reads sleep in `poll(2)`, so they have a thread of their own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Connects to `display` (such as `:0`), or to the one that the variable `DISPLAY` names.
  ///
  /// The call waits for the server.
  /// - Parameters:
  ///   - permit: While it is granted, ``nextOffer()`` follows the clipboard. Call ``permitChanged()`` after each change.
  ///   - queue: The thread to run on, which sleeps while it reads.
  /// - Throws: `cannotConnect` if no server answers, it lacks XFixes, or the process is out of file descriptors.
  public init(
    display: String?, permit: ReadPermit = ReadPermit(),
    on queue: SerialQueue = SerialQueue(label: "org.copypasta.selection-reader")
  ) throws(X11Error) {
    self.queue = queue
    let connection = try XConnection(display: display)
    self.connection = connection
    self.permit = permit
    lateAnswers = OrphanedRequests(connection)
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

  /// Waits until the clipboard may be read, and holds an offer that was not there at the last read.
  ///
  /// Each grant of the permit makes the present content an offer to read, once.
  /// - Throws: `cancelled` if the task is; `unavailable` if the connection is lost, after which this reader is of no
  ///   use.
  public func nextOffer() async throws(TransferError) {
    while true {
      if Task.isCancelled { throw .cancelled }
      handleEvents()
      if connection.isLost { throw .unavailable }
      if hasNewOffer { return }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          // The thread may have had another turn on the way here; an event of that turn has woken nobody.
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

  /// Begins or ends following the clipboard, as the permit now says.
  public func permitChanged() { handleEvents() }

  private func handleEvents() {
    follow()
    let isMore = connection.handleTurn { event in
      lateAnswers.heed(event)
      if case .ownerChanged(let change) = event, change.selection == atoms[.clipboard], followedGrant != nil {
        hasNewOffer = change.owner != nil
      }
      if case .focusCame(let window) = event, awaitedFocus.contains(window) { hasNewOffer = true }
    }
    // The socket of a lost connection would be readable for ever.
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

  /// Makes the offer a new one again once a window has the focus.
  ///
  /// Some window managers mark a window as active before they move the focus to it.
  private func awaitFocus(of window: Window) {
    do throws(TransferError) {
      awaitedFocus = try connection.windows(around: window, .endless)
      for window in awaitedFocus { connection.select(.focus, on: window) }
      // The focus may have come before the server was asked to report it.
      hasNewOffer = try connection.hasFocus(window, .endless)
    } catch {
      // The connection is lost, which ends the following.
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
  /// A secret is not read: if the owner lists `SecretHint.name` with the value `secret`, or lists it and does not tell
  /// its value, the text is never asked for.
  /// If the caller takes the clipboard itself once the text is asked for, the read goes on to its end.
  /// - Parameters:
  ///   - ownWindow: The window of the caller's own offer, which is not read back; asked for each time it matters.
  ///   - activeWindow: The window that has to have the server's focus whenever something is asked for, unless that is
  ///     on purpose.
  ///   - limits: How far the read may go.
  ///   - onPurpose: Whether the user has asked for this read; otherwise nothing is asked for without the permit.
  ///   - asked: Called when the text has been asked for.
  /// - Throws: Why there is no content; `cancelled` also if the owner changed before its text was there, or the permit
  ///   was revoked, or the focus lost, before it was asked for. After any error but `unavailable` the next read works.
  public func readText(
    ownWindow: @autoclosure @escaping @Sendable () -> UInt32?, activeWindow: UInt32? = nil,
    within limits: TransferLimits, onPurpose: Bool = false, asked: @escaping @Sendable () -> Void = {}
  ) async throws(TransferError) -> ClipboardContent {
    let deadline = Deadline(end: nil, cancellation: cancellation).limited(to: limits.total)
    let result: Result<ClipboardContent, TransferError> = await withTaskCancellationHandler {
      let permission = onPurpose ? nil : SelectionTransfer.Permission(permit: permit, window: activeWindow)
      return read(within: limits, permission, deadline, ownWindow: ownWindow, asked: asked)
    } onCancel: { [cancellation] in
      cancellation.send()
    }
    return try result.get()
  }

  private func read(
    within limits: TransferLimits, _ permission: SelectionTransfer.Permission?, _ deadline: Deadline,
    ownWindow: @escaping () -> UInt32?, asked: @escaping () -> Void
  ) -> Result<ClipboardContent, TransferError> {
    handleEvents()
    // A text that the user has asked for is still new to `nextOffer`.
    if permission != nil {
      hasNewOffer = false
      endAwaitingFocus()
    }
    if followedGrant == nil { connection.followOwner(of: atoms[.clipboard], true) }
    let transfer = SelectionTransfer(
      of: atoms[.clipboard], connection, atoms, lateAnswers, permission, limits, deadline,
      ownWindow: ownWindow, asked: asked)
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

  /// Follows the clipboard again after a read, which has passed over the events.
  private func resume(after transfer: SelectionTransfer, isOnPurpose: Bool) {
    let mayHaveFocus = isOnPurpose && !awaitedFocus.isEmpty
    if followedGrant != nil, transfer.isReplaced || mayHaveFocus { hasNewOffer = true }
    handleEvents()
  }

  /// Reads a text that another program has dropped, if GDK would convert it: GDK cuts such a text off at a NUL, and
  /// escapes what is not valid UTF-8.
  ///
  /// - Returns: nil if GDK passes the text on as it is, or may get one that this connection does not.
  /// - Throws: Why there is no text.
  public func readDroppedText(within limits: TransferLimits) throws(TransferError) -> [UInt8]? {
    let deadline = Deadline.endless.limited(to: limits.total)
    connection.followOwner(of: atoms[.draggedContent], true)
    let transfer = SelectionTransfer(
      of: atoms[.draggedContent], connection, atoms, lateAnswers, nil, limits, deadline, ownWindow: { nil },
      asked: {})
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
  /// Questions of reads that were given up, which owners have not answered yet.
  ///
  /// An owner may still answer into the window that it was given. If the window were gone, the owner would get an X
  /// error, which ends many programs (xclip is one), and with them the text that they offer. So the window stays until
  /// the answer has come.
  final class OrphanedRequests {
    /// What an owner still has to do.
    enum Awaited {
      /// Answer the question.
      case answer
      /// Write the next piece of a long text.
      case piece
    }

    /// The most windows that are kept: some owners never answer.
    private static let limit = 32

    private let connection: XConnection
    private var windows: [(window: Window, awaited: Awaited)] = []

    init(_ connection: XConnection) {
      self.connection = connection
    }

    /// Takes over the window of a read that has ended.
    func keep(_ window: Window, until awaited: Awaited) {
      windows.append((window, awaited))
      if windows.count > Self.limit { connection.destroy(windows.removeFirst().window) }
    }

    /// Destroys the window that an event says is not needed any more.
    func heed(_ event: Event) {
      guard !windows.isEmpty else { return }
      switch event {
      case .selectionAnswered(let answer): end(answer.requestor, .answer)
      case .propertySet(let window, _, _): end(window, .piece)
      default: break
      }
    }

    private func end(_ window: Window, _ awaited: Awaited) {
      guard let index = windows.firstIndex(where: { $0 == (window, awaited) }) else { return }
      windows.remove(at: index)
      connection.destroy(window)
      connection.flush()
    }
  }
}
