import CXCB
import ClipboardCore

/// A transfer of the content of the clipboard, or of what is dropped, to this program, from the search for its owner to
/// the last piece of the text.
///
/// A text counts only if it comes from the owner whose formats were judged. The server tells of every change of the
/// owner, and each event says which of our requests came before it: so we know whom a question has reached.
final class SelectionTransfer {
  private let connection: XConnection
  private let atoms: Atoms
  private let selection: Atom
  private let lateAnswers: SelectionReader.OrphanedRequests
  /// When something may be asked for; nil if the user has asked for this read.
  private let permission: Permission?
  private let limits: TransferLimits
  private let deadline: Deadline
  /// The window for the answers, which lives until the read is over and the owner has done what it was asked for.
  private let requestor: Window
  /// The answer that the owner still owes.
  private var awaited: SelectionReader.OrphanedRequests.Awaited?
  /// The owner's window, whose end the server tells us of.
  private var watched = noWindow
  private var stage = Stage.judging(since: 0)
  private var graceEnd: SuspendingClock.Instant?
  private let ownWindow: () -> Window?
  private let asked: () -> Void
  /// Whether this program has taken the clipboard since the text was asked for: nobody else's text came in between.
  private var isOwnershipLost = false

  /// When something may be asked for without the user asking for it.
  struct Permission {
    let permit: ReadPermit
    /// The window that has to have the focus, too.
    ///
    /// GTK leaves a window active while one of its menus has grabbed the keyboard, even if another program has the
    /// focus.
    let window: Window?
  }

  /// Whether there is another offer on the clipboard than the one that this read is about.
  private(set) var isReplaced = false
  /// Whether nothing was asked for because another window has the focus.
  private(set) var lacksFocus = false

  private enum Stage {
    /// The formats are asked for. `since` is the number of the request that asked who the owner is.
    case judging(since: UInt32)
    /// The text is asked for, by the request with this number.
    case asked(by: UInt32)
    /// The owner has answered: what comes is that text.
    case answered
  }

  init(
    of selection: Atom, _ connection: XConnection, _ atoms: Atoms,
    _ lateAnswers: SelectionReader.OrphanedRequests,
    _ permission: Permission?, _ limits: TransferLimits, _ deadline: Deadline,
    ownWindow: @escaping () -> Window?, asked: @escaping () -> Void
  ) {
    self.selection = selection
    self.connection = connection
    self.atoms = atoms
    self.lateAnswers = lateAnswers
    self.permission = permission
    self.limits = limits
    self.deadline = deadline
    self.ownWindow = ownWindow
    self.asked = asked
    requestor = connection.makeWindow()
  }

  /// Ends the transfer; to be called once, however the read ended.
  func end() {
    if watched != noWindow { connection.select(.none, on: watched) }
    if let awaited { lateAnswers.keep(requestor, until: awaited) } else { connection.destroy(requestor) }
    connection.flush()
    while let event = connection.consumeQueuedEvent() {
      lateAnswers.heed(event)
      if case .ownerChanged(let change) = event, isNews(change) || isPassedOver(change) {
        isReplaced = change.owner != nil
      }
    }
  }

  /// Reads the content of the selection; of what is dropped only what GDK would convert.
  ///
  /// - Throws: Why there is nothing; `cancelled` also if the owner changed before its text was there.
  func content() throws(TransferError) -> ClipboardContent {
    // A time of the server's in place of "CurrentTime" (ICCCM 2.4): some owners refuse the latter.
    connection.requestTime(for: requestor, through: atoms[.timeProperty])
    guard let owner = try currentOwner() else { return .noText }
    if owner == ownWindow() { return .own }
    watched = owner
    connection.select(.structure, on: owner)
    let time = try serverTime()
    let offered = try offeredTargets(at: time)
    // GDK asks for this form first, and passes it on as it is.
    if selection == atoms[.draggedContent], offered.contains(atoms[.plainUTF8]) { return .noText }
    if offered.contains(atoms.secretHint), try isSecret(at: time) { return .secret }
    guard let format = TextFormat.allCases.first(where: { offered.contains(atoms[$0]) }) else {
      return .noText
    }
    do {
      return .text(try text(as: format, at: time))
    } catch {
      throw reason(for: error)
    }
  }

  // MARK: - The questions

  private func currentOwner() throws(TransferError) -> Window? {
    let question = xcb_get_selection_owner(connection.handle, selection).sequence
    stage = .judging(since: question)
    return try connection.selectionOwner(answering: question, deadline)
  }

  private func serverTime() throws(TransferError) -> UInt32 {
    let property = atoms[.timeProperty]
    return try wait(deadline) { [requestor] event in
      guard case .propertySet(requestor, property, let time) = event else { return nil }
      return time
    }
  }

  /// The formats that the owner offers; none unless it lists them as ICCCM 2.6.2 has it, as atoms.
  ///
  /// An owner that lists nothing is not asked for text on a guess: it may have left out a secret's mark.
  private func offeredTargets(at time: UInt32) throws(TransferError) -> Set<Atom> {
    try ask(for: atoms[.targets], into: atoms[.targetsProperty], at: time)
    let answer = try answer(to: atoms[.targets], in: atoms[.targetsProperty], limit: 256 << 10)
    guard case .value(_, format: 32, let bytes) = answer else { return [] }
    return bytes.withUnsafeBytes { Set($0.bindMemory(to: Atom.self)) }
  }

  private func isSecret(at time: UInt32) throws(TransferError) -> Bool {
    let (hint, property) = (atoms.secretHint, atoms[.hintProperty])
    try ask(for: hint, into: property, at: time)
    return switch try answer(to: hint, in: property, limit: SecretHint.longestValue) {
    case .refused: SecretHint.isSecretHint(nil)
    case .tooLarge: false
    case .value(_, _, let bytes): SecretHint.isSecretHint(bytes)
    }
  }

  private func text(as format: TextFormat, at time: UInt32) throws(TransferError) -> [UInt8] {
    // Events that have arrived come first: the owner may not be the judged one any more.
    while let event = connection.consumeEvent() {
      try deadline.check()
      try heed(event)
    }
    let (target, property) = (atoms[format], atoms[.textProperty])
    stage = .asked(by: try ask(for: target, into: property, at: time))
    asked()
    switch try answer(to: target, in: property, limit: limits.bytes) {
    case .tooLarge: throw .tooLarge(limit: limits.bytes)
    case .value(let type, format: 8, let bytes):
      guard let text = atoms.utf8(bytes, type: type, target: format) else { throw .refused }
      // A text in ISO 8859-1 has grown.
      guard text.count <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
      return text
    case .refused, .value: throw .refused
    }
  }

  // MARK: - Asking for a target (ICCCM 2.4)

  /// The owner's answer to a request for a target.
  private enum Answer {
    /// The owner refused, or said that it had answered and had not.
    case refused
    /// The answer holds more than was allowed.
    case tooLarge
    /// `format` is the size of an element: 8, 16 or 32 bits.
    case value(type: Atom, format: UInt8, bytes: [UInt8])
  }

  /// Asks the owner to put `target` into `property`, unless reading is not allowed any more.
  ///
  /// - Returns: the number of the request.
  @discardableResult
  private func ask(for target: Atom, into property: Atom, at time: UInt32) throws(TransferError) -> UInt32 {
    var request: UInt32 = 0
    let question = { [self] in
      request = connection.convert(
        selection, to: target, into: property, of: requestor, at: time)
      connection.flush()
      awaited = .answer
    }
    guard let permission else {
      question()
      return request
    }
    if let window = permission.window, try !connection.hasFocus(window, deadline) {
      lacksFocus = true
      throw .cancelled
    }
    guard permission.permit.ask(question) else { throw .cancelled }
    return request
  }

  /// The owner's answer, in one property or piece by piece.
  private func answer(to target: Atom, in property: Atom, limit: Int) throws(TransferError) -> Answer {
    guard try waitForAnswer(to: target, in: property) else { return .refused }
    if case .asked = stage { stage = .answered }
    var bytes: [UInt8] = []
    let outcome = try connection.consumeProperty(
      property, of: requestor, appendingTo: &bytes, limit: max(limit, 4), deadline)
    switch outcome {
    case .consumed(atoms[.incr], _):
      // The value, the size, is only the owner's claim: 0 from xclip. Deleting the property asked for the first piece.
      return try receivePieces(in: property, limit: limit)
    case .consumed where bytes.count > limit: return .tooLarge
    case .consumed(let type, let format): return .value(type: type, format: format, bytes: bytes)
    case .tooLarge: return .tooLarge
    case .absent, .unsteady: return .refused
    }
  }

  /// Whether the owner has answered with something.
  ///
  /// Answers to other questions are passed over.
  private func waitForAnswer(to target: Atom, in property: Atom) throws(TransferError) -> Bool {
    let (requestor, selection) = (requestor, selection)
    return try wait(deadline.limited(to: limits.idleTimeout)) { [self] event in
      guard case .selectionAnswered(let answer) = event, answer.requestor == requestor,
        answer.selection == selection, answer.target == target,
        answer.property == property || answer.property == noAtom
      else { return nil }
      awaited = nil
      return answer.property == property
    }
  }

  // MARK: - Waiting

  /// Waits for an event that `pick` takes something from.
  ///
  /// Events come in order: what a dying owner answered before its end counts.
  private func wait<Found>(_ deadline: Deadline, for pick: (Event) -> Found?) throws(TransferError) -> Found {
    while true {
      let event = try connection.nextEvent(graceEnd.map(deadline.limited(until:)) ?? deadline)
      if let found = pick(event) { return found }
      try heed(event)
    }
  }

  private func heed(_ event: Event) throws(TransferError) {
    lateAnswers.heed(event)
    switch event {
    // Another client has destroyed the window for the answers: read anew, into another one.
    case .windowDestroyed(requestor), .windowMissing(requestor):
      isReplaced = true
      throw .cancelled
    // An owner may have gone before it was watched. If another program has replaced an owner, its end says nothing
    // new.
    case .windowDestroyed(watched), .windowMissing(watched): throw graceEnd == nil ? .ownerGone : replaced
    case .ownerChanged(let change) where isPassedOver(change): isReplaced = change.owner != nil
    case .ownerChanged(let change) where isNews(change): try ownerChanged(change)
    default: break
    }
  }

  /// Whether an event is about a change after the owner was asked for.
  private func isNews(_ change: Event.SelectionChange) -> Bool {
    guard change.selection == selection else { return false }
    guard case .judging(let question) = stage else { return true }
    return change.isAfter(question)
  }

  /// Whether an event tells of the clipboard, and this read is about what is dropped.
  private func isPassedOver(_ change: Event.SelectionChange) -> Bool {
    change.selection != selection && change.selection == atoms[.clipboard]
  }

  private func ownerChanged(_ change: Event.SelectionChange) throws(TransferError) {
    isReplaced = change.owner != nil
    if let owner = change.owner, owner == ownWindow() {
      // This text's owner has been asked for it, so the copy out of the history comes after it.
      guard isQuestionBefore(change) else { throw .ownershipLost }
      isOwnershipLost = true
      return
    }
    if isOwnershipLost {
      graceEnd = graceEnd ?? .now + limits.grace
      return
    }
    switch stage {
    case .answered where change.owner == nil: break
    // The owner may serve nobody else until this transfer is over (xclip 0.13).
    case .answered: graceEnd = graceEnd ?? .now + limits.grace
    // The question has reached the judged owner, and another program knows nothing of it.
    case .asked(let request) where change.isAfter(request) && isAnotherProgram(change.owner):
      graceEnd = graceEnd ?? .now + limits.grace
    // The text may be another's, or the same program's next one, whose formats nobody has looked at.
    case .judging, .asked: throw change.owner == nil ? .ownerGone : .cancelled
    }
  }

  /// Whether the question for the text has reached the judged owner before a change.
  private func isQuestionBefore(_ change: Event.SelectionChange) -> Bool {
    switch stage {
    case .judging: false
    case .asked(let request): change.isAfter(request)
    case .answered: true
    }
  }

  /// The error of a read whose owner has been replaced, and has had its time.
  private var replaced: TransferError { isOwnershipLost ? .ownershipLost : .cancelled }

  /// The error to report: after the owner has been replaced, a deadline that passes says no more than that.
  private func reason(for error: TransferError) -> TransferError {
    error == .timedOut && graceEnd != nil ? replaced : error
  }

  private func isAnotherProgram(_ owner: Window?) -> Bool {
    guard let owner else { return false }
    return connection.client(of: owner) != connection.client(of: watched)
  }

  // MARK: - INCR (ICCCM 2.7.2)

  private func receivePieces(in property: Atom, limit: Int) throws(TransferError) -> Answer {
    var bytes: [UInt8] = []
    var first: (type: Atom, format: UInt8)?
    while true {
      let before = bytes.count
      switch try consumePiece(of: property, appendingTo: &bytes, limit: limit) {
      case .consumed(let type, let format):
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

  private func consumePiece(
    of property: Atom, appendingTo bytes: inout [UInt8], limit: Int
  ) throws(TransferError) -> XConnection.ConsumedProperty {
    let deadline = deadline.limited(to: limits.idleTimeout)
    while true {
      try waitForPiece(of: property, deadline)
      let outcome = try connection.consumeProperty(
        property, of: requestor, appendingTo: &bytes, limit: limit, self.deadline)
      // What is absent was read with the last piece; the end is a property that is there, and empty.
      if outcome != .absent { return outcome }
    }
  }

  private func waitForPiece(of property: Atom, _ deadline: Deadline) throws(TransferError) {
    awaited = .piece
    try wait(deadline) { [requestor] event in
      if case .propertySet(requestor, property, _) = event { () } else { nil }
    }
    awaited = nil
  }

  /// Lets the owner finish, and keeps nothing, unless the owner stalls, or takes too long in all.
  ///
  /// xclip 0.13 serves nobody else until a transfer that it has begun is over: left in the middle of a text
  /// that is too large for us, it would never again paste anywhere.
  private func discardPieces(in property: Atom) throws(TransferError) {
    do {
      while try !connection.discardProperty(property, of: requestor, deadline) {
        try waitForPiece(of: property, deadline.limited(to: limits.idleTimeout))
      }
    } catch {
      // That the text is too large says more than a deadline or an owner's end.
      let error = reason(for: error)
      if error == .cancelled || error == .unavailable { throw error }
    }
  }
}
