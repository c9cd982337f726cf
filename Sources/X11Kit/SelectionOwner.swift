import CXCB
import ClipboardCore

/// Owns the X11 clipboard and serves its text.
///
/// It serves texts of any length to several requestors at the same time, from a single copy of the text. Every text
/// target returns the same UTF-8 bytes. As in xclip and xsel, this includes `STRING`, because ISO 8859-1 would lose
/// characters.
final class SelectionOwner {
  /// The window that owns the clipboard while there is an offer; it stays the same for the owner's lifetime.
  let window: Window
  let transfers: OutgoingTransfers
  private let connection: XConnection
  private let atoms: Atoms
  /// The current offer; nil while the clipboard has another owner or none.
  private var offer: Offer?

  /// How long a request may be on its way, in milliseconds of the server time.
  private static let longestTransit: UInt32 = 600_000

  /// A text, and the server time at which we took the clipboard for it.
  private struct Offer {
    let bytes: [UInt8]
    let since: UInt32
    /// The number of the request that took the clipboard.
    let request: UInt32
  }

  /// - Parameter idleTimeout: how long a requestor may be inactive during a long text before its transfer is dropped.
  init(_ connection: XConnection, _ atoms: Atoms, idleTimeout: Duration) {
    self.connection = connection
    self.atoms = atoms
    transfers = OutgoingTransfers(connection, atoms, idleTimeout: idleTimeout)
    window = connection.makeWindow()
  }

  /// Whether the clipboard holds the offer, according to the events handled so far.
  var isOwner: Bool { offer != nil }

  /// Takes the clipboard for a text.
  ///
  /// - Returns: false if another program has copied since `time`.
  func offer(_ bytes: [UInt8], at time: UInt32) throws(TransferError) -> Bool {
    // Our own earlier offer does not make the server refuse this one.
    let time = if let offer, offer.since.isAtOrAfter(time) { offer.since } else { time }
    // The event of a later change has to arrive.
    connection.followOwner(of: atoms[.clipboard], true)
    let request = connection.setOwner(of: atoms[.clipboard], to: window, at: time)
    guard try connection.owner(of: atoms[.clipboard], .endless) == window else { return false }
    offer = Offer(bytes: bytes, since: time, request: request)
    return true
  }

  /// Gives up the clipboard, unless another program owns it by then.
  func release(at time: UInt32) {
    connection.setOwner(of: atoms[.clipboard], to: noWindow, at: time)
    offer = nil
  }

  // MARK: - Events

  /// Ends the offer, unless the event precedes it.
  func ownerChanged(_ change: Event.SelectionChange) {
    if let offer, change.isAfter(offer.request) { self.offer = nil }
  }

  func handle(_ event: Event) {
    switch event {
    case .selectionRequested(let request): answer(request)
    case .propertyDeleted(let window, let property, let sequence):
      transfers.propertyDeleted(at: .init(window: window, property: property), sequence: sequence)
    case .windowDestroyed(let window), .windowMissing(let window): transfers.windowDestroyed(window)
    default: break
    }
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
    // Ignore a forged request with one of our own windows as the requestor: a long text to it would change the events
    // that are selected for it.
    guard request.selection == atoms[.clipboard], request.owner == window,
      connection.client(of: request.requestor) != connection.client(of: window)
    else {
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

  /// Asks the clipboard manager to request and keep the text; its answer has the selection `CLIPBOARD_MANAGER`.
  func askManager(at time: UInt32) {
    let property = atoms[.handOverProperty]
    // A long text only as UTF8_STRING, because all programs support it and the other targets would transfer the same
    // bytes again.
    let isShort = (offer?.bytes.count ?? 0) <= transfers.chunkLength
    connection.setProperty(
      property, of: window, type: XCB_ATOM_ATOM.rawValue,
      elements: isShort ? atoms.textTargets : [atoms[.utf8String]])
    connection.convert(
      atoms[.clipboardManager], to: atoms[.saveTargets], into: property, of: window, at: time)
  }
}
