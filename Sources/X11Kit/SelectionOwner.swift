import CXCB
import ClipboardCore
import SerialQueue
import Synchronization

/// Owns the X11 clipboard and serves its text, with its own X connection and thread.
///
/// GDK's implementation deadlocks the program with texts of 256 KiB and more, and fails with 20 MiB and more. This
/// actor serves texts of any length to several requestors at the same time, from a single copy of the text.
///
/// ```swift
/// let owner = try SelectionOwner(display: nil) { _ in print("another program has copied something") }
/// try await owner.offer(Array("Hello".utf8))
/// ```
///
/// Every text target returns the same UTF-8 bytes. As in xclip and xsel, this includes `STRING`, because ISO 8859-1
/// would lose characters. Without requests, the thread is idle.
public actor SelectionOwner {
  /// The window that owns the clipboard while this owner has an offer.
  ///
  /// It stays the same for the owner's lifetime.
  public nonisolated let window: UInt32

  private let connection: XConnection
  private let atoms: Atoms
  private let transfers: OutgoingTransfers
  /// The current offer; nil while the clipboard has another owner or none.
  private var offer: Offer? {
    didSet { holdsClipboard.store(offer != nil, ordering: .releasing) }
  }
  private let holdsClipboard = Atomic(false)

  /// How long a request may be on its way, in milliseconds of the server time.
  private static let longestTransit: UInt32 = 600_000

  private let queue = SerialQueue(label: "org.copypasta.selection-owner")
  private var readSource: XConnection.ReadSource?
  private var timer: DispatchTimer?
  private let lost: @Sendable (SelectionOwner) -> Void

  /// A text, and the server time at which we took the clipboard for it.
  private struct Offer {
    let bytes: [UInt8]
    let since: UInt32
  }

  /// Requests block while the server is busy, so they run on a thread of their own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Connects to `display`, such as `:0`, without changing the clipboard; nil stands for the variable `DISPLAY`.
  ///
  /// The call blocks until the server answers.
  ///
  /// - Parameters:
  ///   - idleTimeout: How long a requestor may be inactive during a long text before its transfer is dropped.
  ///   - lost: Called on the owner's queue each time this owner loses the clipboard, because another program takes it
  ///     or the connection is lost.
  /// - Throws: `cannotConnect` if no server answers, `connectionLost` if it exits meanwhile.
  public init(
    display: String?, idleTimeout: Duration = .seconds(30),
    lost: @escaping @Sendable (SelectionOwner) -> Void = { _ in }
  ) throws(X11Error) {
    let connection = try XConnection(display: display)
    self.lost = lost
    self.connection = connection
    do {
      atoms = try Atoms(connection)
    } catch {
      throw .connectionLost
    }
    transfers = OutgoingTransfers(connection, atoms, idleTimeout: idleTimeout)
    window = connection.makeWindow()
    connection.flush()
    let source = XConnection.ReadSource(connection, queue: queue.dispatchQueue)
    readSource = source
    source.start { [weak self] in self?.assumeIsolated { $0.handleEvents() } }
  }

  /// Puts `bytes`, a text in UTF-8, on the clipboard.
  ///
  /// Transfers of an earlier text that are under way continue with that text.
  ///
  /// - Parameter press: the server time of the press that asked for the copy; 0 stands for the current time.
  /// - Returns: whether the text is on the clipboard; if not, `lost` is called.
  /// - Throws: `connectionLost`.
  @discardableResult
  public func offer(_ bytes: [UInt8], at press: UInt32 = noTime) throws(X11Error) -> Outcome {
    let isTaken: Bool
    do {
      var time = press == noTime ? try serverTime(.endless) : press
      // Our own earlier offer does not make the server refuse this one.
      if let offer, offer.since.isAtOrAfter(time) { time = offer.since }
      connection.setOwner(of: atoms[.clipboard], to: window, at: time)
      offer = Offer(bytes: bytes, since: time)
      try confirmOwnership()
      isTaken = offer != nil
      handleEvents()
    } catch {
      offer = nil
      handleEvents()
      throw .connectionLost
    }
    return isOwner ? .held : isTaken ? .takenOver : .ownershipLost
  }

  /// The result of an offer.
  public enum Outcome: Sendable {
    /// The text is on the clipboard.
    case held
    /// The text was on the clipboard until another program, such as a clipboard manager, took it over.
    case takenOver
    /// Another program has copied since the press.
    case ownershipLost
  }

  /// Whether the clipboard holds this owner's text, according to the events received so far.
  public nonisolated var isOwner: Bool { holdsClipboard.load(ordering: .acquiring) }

  /// Whether the connection is lost or another client has destroyed the window; if so, create a new owner.
  public var isConnectionLost: Bool { readSource == nil }

  // MARK: - Events

  private func handleEvents() {
    let isMore = connection.handleTurn { handle($0) }
    if connection.isLost { connectionLost() }
    if isMore { readSource?.callAgain() }
    setTimer()
  }

  private func handle(_ event: Event) {
    switch event {
    case .selectionRequested(let request): answer(request)
    case .selectionLost(atoms[.clipboard]): selectionLost()
    case .propertyDeleted(let window, let property, let sequence):
      transfers.propertyDeleted(at: .init(window: window, property: property), sequence: sequence)
    case .windowDestroyed(window), .windowMissing(window): connectionLost()
    case .windowDestroyed(let window), .windowMissing(let window): transfers.windowDestroyed(window)
    default: break
    }
  }

  private func selectionLost() {
    do {
      // The event may precede our last offer, so ask for the current owner.
      try confirmOwnership()
    } catch {
      connectionLost()
    }
  }

  private func connectionLost() {
    // The socket of a lost connection stays readable and would cause a busy loop.
    readSource = nil
    transfers.dropAll()
    guard offer != nil else { return }
    offer = nil
    lost(self)
  }

  // MARK: - Helpers

  private func confirmOwnership() throws(TransferError) {
    guard offer != nil, try connection.owner(of: atoms[.clipboard], .endless) != window else { return }
    offer = nil
    lost(self)
  }

  /// Returns a server time, which is required to take ownership and to send a request (ICCCM 2.1 and 2.4).
  ///
  /// Handles requests that arrive before the answer.
  private func serverTime(_ deadline: Deadline) throws(TransferError) -> UInt32 {
    connection.requestTime(for: window, through: atoms[.timeProperty])
    // Do not rely on the event alone, because it never arrives if another client has destroyed the window.
    try connection.synchronise(deadline)
    while let event = connection.consumeQueuedEvent() {
      if case .propertySet(window, atoms[.timeProperty], let time) = event { return time }
      handle(event)
    }
    throw .unavailable
  }

  /// Runs a timer only while transfers may exceed their timeout.
  private func setTimer() {
    guard let delay = transfers.nextCheck else {
      timer = nil
      return
    }
    guard timer == nil else { return }
    timer = DispatchTimer(after: delay, on: queue) { [weak self] in
      self?.assumeIsolated { $0.timerFired() }
    }
  }

  private func timerFired() {
    timer = nil
    transfers.dropIdle()
    handleEvents()
  }

  // MARK: - Requests from requestors (ICCCM 2.2 and 2.6)

  private func answer(_ request: Event.SelectionRequest) {
    // Clients that predate the ICCCM pass None as the property. For such clients, use the target's atom as the property
    // (ICCCM 2.2).
    let property = request.property == noAtom ? request.target : request.property
    connection.answer(request, property: serve(request, into: property) ? property : nil)
  }

  private func serve(_ request: Event.SelectionRequest, into property: Atom) -> Bool {
    guard let offer, isForUs(request, since: offer.since) else { return false }
    if request.target == atoms[.multiple] {
      return request.property != noAtom && serveAll(listedIn: property, of: request.requestor, offer)
    }
    return serve(request.target, into: property, of: request.requestor, offer)
  }

  private func isForUs(_ request: Event.SelectionRequest, since: UInt32) -> Bool {
    // Ignore a forged request with our own window as the requestor: completing a long text to it would deselect the
    // events that provide the server time.
    guard request.selection == atoms[.clipboard], request.owner == window, request.requestor != window else {
      return false
    }
    // A request from just before our ownership is meant for an earlier owner (ICCCM 2.2). Times overflow after 49 days,
    // so an older time may also be one of weeks later.
    let age = since &- request.time
    return request.time == noTime || age == 0 || age > Self.longestTransit
  }

  /// Writes the offer as `target` into a property.
  ///
  /// - Returns: false if the target is not supported.
  private func serve(_ target: Atom, into property: Atom, of requestor: Window, _ offer: Offer) -> Bool {
    let destination = OutgoingTransfers.Destination(window: requestor, property: property)
    switch target {
    case atoms[.targets]:
      transfers.drop(destination)
      connection.setProperty(property, of: requestor, type: XCB_ATOM_ATOM.rawValue, elements: targets)
    case atoms[.timestamp]:
      transfers.drop(destination)
      connection.setProperty(
        property, of: requestor, type: XCB_ATOM_INTEGER.rawValue, elements: [offer.since])
    case _ where atoms.textTargets.contains(target):
      transfers.drop(destination)
      // For TEXT the owner chooses the encoding, and names it in the property's type (ICCCM 2.6.2).
      let type = target == atoms[.text] ? atoms[.utf8String] : target
      guard offer.bytes.count <= transfers.chunkLength else {
        return transfers.begin(offer.bytes, type: type, to: destination)
      }
      connection.setProperty(property, of: requestor, type: type, bytes: offer.bytes[...])
    default: return false
    }
    return true
  }

  private var targets: [Atom] {
    [atoms[.targets], atoms[.timestamp], atoms[.multiple]] + atoms.textTargets
  }

  // MARK: - MULTIPLE (ICCCM 2.6.2)

  /// Serves the pairs of target and property that the requestor has listed.
  ///
  /// In the list, each target that cannot be served is replaced with None.
  private func serveAll(listedIn list: Atom, of requestor: Window, _ offer: Offer) -> Bool {
    let mostPairs = 64
    guard var pairs: [Atom] = connection.elements(of: list, of: requestor, limit: 2 * mostPairs),
      pairs.count.isMultiple(of: 2)
    else { return false }
    var isComplete = true
    for index in stride(from: 0, to: pairs.count, by: 2) {
      let (target, property) = (pairs[index], pairs[index + 1])
      if property != noAtom, serve(target, into: property, of: requestor, offer) { continue }
      pairs[index] = noAtom
      isComplete = false
    }
    if !isComplete {
      connection.setProperty(list, of: requestor, type: atoms[.atomPairType], elements: pairs)
    }
    return true
  }

  // MARK: - Handing over to the desktop's clipboard manager (ClipboardManager specification of freedesktop.org)

  /// Asks the clipboard manager to preserve the text after this program exits, and waits until the manager has it.
  ///
  /// The manager then takes ownership, and `lost` is called.
  ///
  /// - Returns: false if no manager is running, if it refuses, or if it takes longer than `limit`.
  public func handOver(within limit: Duration) -> Bool {
    guard isOwner else { return false }
    defer { handleEvents() }
    do {
      return try askManager(Deadline.endless.limited(to: limit))
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
  public func close(within limit: Duration) {
    defer { handleEvents() }
    do throws(TransferError) {
      let deadline = Deadline.endless.limited(to: limit)
      // From here on the server itself refuses all requests, unless a clipboard manager has taken over the text.
      if isOwner { connection.setOwner(of: atoms[.clipboard], to: noWindow, at: try serverTime(deadline)) }
      try connection.synchronise(deadline)
      while let event = connection.consumeQueuedEvent() { handle(event) }
      while transfers.nextCheck != nil { handle(try connection.nextEvent(deadline)) }
      try connection.synchronise(deadline)
    } catch {
      // The limit has passed, or the connection is lost.
    }
  }

  private func askManager(_ deadline: Deadline) throws(TransferError) -> Bool {
    guard try connection.owner(of: atoms[.clipboardManager], deadline) != nil else { return false }
    let property = atoms[.handOverProperty]
    connection.setProperty(property, of: window, type: XCB_ATOM_ATOM.rawValue, elements: targetsToKeep)
    let time = try serverTime(deadline)
    connection.convert(
      atoms[.clipboardManager], to: atoms[.saveTargets], into: property, of: window, at: time)
    while true {
      let event = try connection.nextEvent(deadline)
      if case .selectionAnswered(let answer) = event, answer.selection == atoms[.clipboardManager] {
        return answer.property != noAtom
      }
      // The manager requests the text before it answers.
      handle(event)
    }
  }

  /// All text targets for a short text; for a long text only UTF8_STRING, because all programs support it and the other
  /// targets would transfer the same bytes again.
  private var targetsToKeep: [Atom] {
    let isShort = (offer?.bytes.count ?? 0) <= transfers.chunkLength
    return isShort ? atoms.textTargets : [atoms[.utf8String]]
  }
}
