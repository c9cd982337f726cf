import CXCB
import ClipboardCore
import SerialQueue

/// Owns the X11 clipboard and hands out a text, through a connection of its own and off the main thread.
///
/// GDK's own serving deadlocks the program from 256 KiB, and serves nothing from 20 MiB. This one serves texts of
/// any length, to several requestors at once, from the one copy of the text that it was given.
///
/// ```swift
/// let owner = try SelectionOwner(display: nil) { _ in print("somebody else has copied something") }
/// try await owner.offer(Array("Hello".utf8))
/// ```
///
/// Every text target gives the same bytes of UTF-8, `STRING` too, as xclip and xsel do: byte for byte rather than
/// with question marks for what ISO 8859-1 lacks. While nobody asks, nothing runs.
public actor SelectionOwner {
  /// The window that owns the clipboard while this owner does.
  ///
  /// The window stays the same as long as the owner lives.
  public nonisolated let window: UInt32

  private let connection: XConnection
  private let atoms: Atoms
  private let transfers: OutgoingTransfers
  /// The offer; nil while somebody else, or nobody, owns the clipboard.
  private var offer: Offer?

  private let queue = SerialQueue(label: "org.copypasta.selection-owner")
  private var readSource: XConnection.ReadSource?
  private var timer: DispatchTimer?
  private let lost: @Sendable (SelectionOwner) -> Void

  private var patience = Patience()

  /// A text, and since when it is on the clipboard.
  private struct Offer {
    let bytes: [UInt8]
    let since: UInt32
  }

  /// Requests wait for the server, so they have a thread of their own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Connects to `display` (such as `:0`), or to the one that the variable `DISPLAY` names.
  ///
  /// The call waits for the server. The clipboard stays as it is.
  /// - Parameters:
  ///   - idleTimeout: How long a requestor may do nothing in the middle of a long text before it is given up.
  ///   - lost: Called on the owner's queue, with the owner, each time this owner loses the clipboard: somebody else has
  ///     taken it, or the connection is lost.
  /// - Throws: `cannotConnect` if no server answers.
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

  /// Puts `bytes`, a text in UTF-8, on the clipboard in place of what is there.
  ///
  /// Pastes of an earlier text that are under way end with that text.
  /// - Returns: Whether the text is there; if it is not, `lost` is called.
  /// - Throws: `connectionLost`.
  @discardableResult
  public func offer(_ bytes: [UInt8]) throws(X11Error) -> Outcome {
    let isTaken: Bool
    do {
      let time = try serverTime(.endless)
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

  /// What became of an offer.
  public enum Outcome: Sendable {
    /// The text is on the clipboard.
    case held
    /// The text was on the clipboard, and another program, such as a clipboard manager, has taken it over by now.
    case takenOver
    /// Another program has copied at this very moment, and its copy is the later one.
    case ownershipLost
  }

  /// Whether the text on the clipboard is this owner's, as far as the server has told.
  public var isOwner: Bool { offer != nil }

  /// Whether the server has ended, or has dropped the connection, or another client has destroyed the window: the
  /// clipboard needs another owner then.
  public var isConnectionLost: Bool { readSource == nil }

  // MARK: - Events

  private func handleEvents() {
    patience.turnBegins()
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
      // The event may be from before our last offer: the present owner counts.
      try confirmOwnership()
    } catch {
      connectionLost()
    }
  }

  private func connectionLost() {
    // The socket of a lost connection would be readable for ever.
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

  /// The time that ICCCM 2.1 wants ownership to be taken with.
  ///
  /// Requests that come meanwhile are answered.
  private func serverTime(_ deadline: Deadline) throws(TransferError) -> UInt32 {
    connection.requestTime(for: window, through: atoms[.timeProperty])
    // Waiting for the event itself might not end: none comes if another client has destroyed the window.
    try connection.synchronise(deadline)
    while let event = connection.consumeQueuedEvent() {
      if case .propertySet(window, atoms[.timeProperty], let time) = event { return time }
      handle(event)
    }
    throw .unavailable
  }

  /// A timer runs only while a requestor is to be waited for.
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

  // MARK: - Requests of requestors (ICCCM 2.2 and 2.6)

  /// Answers one request, if only by refusing it.
  private func answer(_ request: Event.SelectionRequest) {
    guard patience.holds(with: connection.client(of: request.requestor)) else { return }
    // Clients from before the ICCCM name no property, and mean the target (ICCCM 2.2).
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
    // Only a prankster names our window as the requestor: the end of a long text to it would cost us the events
    // that tell the time.
    guard request.selection == atoms[.clipboard], request.owner == window, request.requestor != window else {
      return false
    }
    // A request from before our ownership is not meant for us (ICCCM 2.2).
    return request.time == noTime || request.time.isAtOrAfter(since)
  }

  /// Writes the offer as `target` into a property.
  ///
  /// - Returns: false if the text cannot be given in that form.
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
      // TEXT leaves the encoding to the owner, who says by the type which one it is (ICCCM 2.6.2).
      let type = target == atoms[.text] ? atoms[.utf8String] : target
      guard offer.bytes.count <= transfers.pieceLength else {
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

  /// Serves the pairs of a target and a property that the requestor has listed.
  ///
  /// A target that cannot be given becomes "None" in the list.
  private func serveAll(listedIn list: Atom, of requestor: Window, _ offer: Offer) -> Bool {
    let mostPairs = 64
    guard var pairs = connection.elements(of: list, of: requestor, limit: 2 * mostPairs),
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

  /// Asks the clipboard manager to keep the text beyond the end of this program, and waits until it has the text.
  ///
  /// The manager then takes the clipboard over, and `lost` is called.
  /// - Returns: false if there is no manager, if it refuses, or if it takes longer than `limit`.
  public func handOver(within limit: Duration) -> Bool {
    guard isOwner else { return false }
    defer { handleEvents() }
    do {
      return try askManager(Deadline.endless.limited(to: limit))
    } catch {
      return false
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
      // The manager asks for the text before it answers.
      handle(event)
    }
  }

  /// Every form of a short text; of a long one only the form that all programs know: the others are the same bytes.
  private var targetsToKeep: [Atom] {
    let isShort = (offer?.bytes.count ?? 0) <= transfers.pieceLength
    return isShort ? atoms.textTargets : [atoms[.utf8String]]
  }
}

extension SelectionOwner {
  /// Decides which requests of a client are answered.
  ///
  /// A client that waits for an answer before it asks again gets every answer. Other clients may ask faster than
  /// anybody can answer; a request that is not answered costs next to nothing, and keeps nobody else waiting.
  private struct Patience {
    /// How many hasty requests of a client are answered in a second.
    private static let limit = 1024

    /// The clients that have asked in this turn.
    private var clients: Set<UInt32> = []
    /// How often, in this second, each client has asked more than once in a turn.
    private var haste: [UInt32: Int] = [:]
    private var end = SuspendingClock.now

    mutating func turnBegins() {
      clients.removeAll(keepingCapacity: true)
      guard !haste.isEmpty, end < .now else { return }
      haste = [:]
      end = .now + .seconds(1)
    }

    mutating func holds(with client: UInt32) -> Bool {
      if clients.insert(client).inserted { return true }
      haste[client, default: 0] += 1
      return haste[client, default: 0] <= Self.limit
    }
  }
}
