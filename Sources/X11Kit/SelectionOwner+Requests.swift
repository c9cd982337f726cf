/// What pasters ask for, and what they get (ICCCM 2.2 and 2.6).
extension SelectionOwner {
  /// Answers one request, if only by refusing it.
  func answer(_ request: SelectionRequest) {
    // Clients from before the ICCCM name no property, and mean the target (ICCCM 2.2).
    let property = request.property == noAtom ? request.target : request.property
    connection.answer(request, property: serve(request, into: property) ? property : nil)
  }

  private func serve(_ request: SelectionRequest, into property: Atom) -> Bool {
    guard let offer, isForUs(request, since: offer.since) else { return false }
    if request.target == atoms[.multiple] {
      return request.property != noAtom && serveAll(listedIn: property, of: request.requestor, offer)
    }
    return serve(request.target, into: property, of: request.requestor, offer)
  }

  private func isForUs(_ request: SelectionRequest, since: UInt32) -> Bool {
    // Nobody but a prankster names our window as the requestor: the end of a long text to it would take from
    // us the events that tell the time.
    guard request.selection == atoms[.clipboard], request.owner == window, request.requestor != window else {
      return false
    }
    // Times wrap around after 49.7 days. A request from before our ownership is not meant for us (ICCCM 2.2).
    return request.time == noTime || Int32(bitPattern: request.time &- since) >= 0
  }

  /// Writes the offer as `target` into a property; false where it cannot be given so.
  private func serve(_ target: Atom, into property: Atom, of requestor: Window, _ offer: Offer) -> Bool {
    let destination = OutgoingTransfers.Destination(window: requestor, property: property)
    switch target {
    case atoms[.targets]:
      transfers.drop(destination)
      connection.setProperty(property, of: requestor, type: atoms[.atomType], elements: targets)
    case atoms[.timestamp]:
      transfers.drop(destination)
      connection.setProperty(property, of: requestor, type: atoms[.integerType], elements: [offer.since])
    case _ where AtomName.textTargets.contains { atoms[$0] == target }:
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
    let names: [AtomName] = [.targets, .timestamp, .multiple]
    return (names + AtomName.textTargets).map { atoms[$0] }
  }

  // MARK: - MULTIPLE (ICCCM 2.6.2)

  /// Serves the pairs of a target and a property that the requestor has listed.
  ///
  /// A target that cannot be given becomes "None" in the list.
  private func serveAll(listedIn list: Atom, of requestor: Window, _ offer: Offer) -> Bool {
    let mostPairs = 64
    guard var pairs = elements(of: list, of: requestor, limit: 2 * mostPairs), pairs.count.isMultiple(of: 2)
    else {
      return false
    }
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

  private func elements(of list: Atom, of requestor: Window, limit: Int) -> [UInt32]? {
    do {
      return try connection.elements(of: list, of: requestor, limit: limit)
    } catch {
      // Only a connection that is lost; whoever handles events notices.
      return nil
    }
  }
}
