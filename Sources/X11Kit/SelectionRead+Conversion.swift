/// What asking the owner for one target came to.
enum Conversion {
  /// The owner refused, or said that it had answered and had not.
  case refused
  /// The answer holds more than was allowed.
  case tooLarge
  /// `format` is the size of an element: 8, 16 or 32 bits.
  case value(type: Atom, format: UInt8, bytes: [UInt8])
}

extension SelectionRead {
  /// Asks the owner for `target`, and takes its answer, in one property or piece by piece.
  func convert(
    to target: AtomName, into property: AtomName, limit: Int, at time: UInt32
  ) throws(SelectionReadError) -> Conversion {
    let (target, property) = (atoms[target], atoms[property])
    connection.convert(atoms[.clipboard], to: target, into: property, of: requestor, at: time)
    guard try waitForAnswer(to: target, in: property) else { return .refused }
    var bytes: [UInt8] = []
    switch try take(property, appendingTo: &bytes, limit: max(limit, 4)) {
    case .taken(atoms[.incr], _):
      // Its value, the size, is the owner's word only: 0 from xclip. Deleting it asked for the first piece.
      return try receivePieces(in: property, limit: limit)
    case .taken where bytes.count > limit: return .tooLarge
    case .taken(let type, let format): return .value(type: type, format: format, bytes: bytes)
    case .tooLarge: return .tooLarge
    case .absent, .unsteady: return .refused
    }
  }

  /// Waits for an event that `pick` takes something from.
  ///
  /// The owner's end ends it.
  ///
  /// Events come in their order: what a dying owner answered before counts.
  func wait<Found>(_ patience: Patience, for pick: (Event) -> Found?) throws(SelectionReadError) -> Found {
    while true {
      let event = try SelectionReadError.translating { () throws(Interruption) in
        try connection.nextEvent(patience)
      }
      if let found = pick(event) { return found }
      if event == .windowDestroyed(watched) { throw .ownerGone }
    }
  }

  /// Whether the owner has answered with something.
  ///
  /// What answers another question is passed over.
  private func waitForAnswer(to target: Atom, in property: Atom) throws(SelectionReadError) -> Bool {
    let (requestor, clipboard) = (requestor, atoms[.clipboard])
    return try wait(patience.limited(to: silence)) { event in
      guard case .selectionAnswered(let answer) = event, answer.requestor == requestor,
        answer.selection == clipboard, answer.target == target,
        answer.property == property || answer.property == noAtom
      else { return nil }
      return answer.property == property
    }
  }

  // MARK: - INCR (ICCCM 2.7.2)

  private func receivePieces(in property: Atom, limit: Int) throws(SelectionReadError) -> Conversion {
    var bytes: [UInt8] = []
    var first: (type: Atom, format: UInt8)?
    while true {
      let before = bytes.count
      switch try takePiece(of: property, appendingTo: &bytes, limit: limit) {
      case .taken(let type, let format):
        // A piece without length is the end.
        guard bytes.count > before else {
          return .value(type: first?.type ?? type, format: first?.format ?? format, bytes: bytes)
        }
        if let first, first != (type, format) { return .refused }
        first = (type, format)
      case .tooLarge:
        bytes = []
        try discardPieces(in: property)
        return .tooLarge
      case .absent, .unsteady: return .refused
      }
    }
  }

  private func takePiece(
    of property: Atom, appendingTo bytes: inout [UInt8], limit: Int
  ) throws(SelectionReadError) -> TakenProperty {
    let patience = patience.limited(to: silence)
    while true {
      try waitForPiece(of: property, patience)
      let taken = try take(property, appendingTo: &bytes, limit: limit)
      // The event was for bytes that the last piece brought along. Only a property that is there can end it.
      if taken != .absent { return taken }
    }
  }

  private func waitForPiece(of property: Atom, _ patience: Patience) throws(SelectionReadError) {
    try wait(patience) { [requestor] event in
      if case .propertySet(requestor, property, _) = event { () } else { nil }
    }
  }

  /// Lets the owner come to its end, keeping nothing, as long as it is neither silent nor slow.
  ///
  /// xclip 0.13 serves nobody else until a transfer that it has begun is over: left in the middle of a text
  /// that is too large for us, it would never again paste anywhere.
  private func discardPieces(in property: Atom) throws(SelectionReadError) {
    do {
      while try !discardPiece(in: property) {
        try waitForPiece(of: property, patience.limited(to: silence))
      }
    } catch {
      // That the text is too large is known, and says more.
      if error == .cancelled || error == .connectionLost { throw error }
    }
  }

  private func discardPiece(in property: Atom) throws(SelectionReadError) -> Bool {
    try SelectionReadError.translating { () throws(Interruption) in
      try connection.discardProperty(property, of: requestor, patience)
    }
  }

  private func take(
    _ property: Atom, appendingTo bytes: inout [UInt8], limit: Int
  ) throws(SelectionReadError) -> TakenProperty {
    try SelectionReadError.translating { () throws(Interruption) in
      try connection.takeProperty(
        property, of: requestor, appendingTo: &bytes, limit: limit, patience)
    }
  }
}
