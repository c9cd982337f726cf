import CXCB
import ClipboardCore

/// One read of the clipboard or of a drop, from finding the owner to the last chunk.
///
/// A text is accepted only from the owner whose formats were examined. The server reports every change of the owner,
/// and each event shows which of our requests were processed before it, so we know which owner received a request.
final class SelectionTransfer: ClipboardOffer {
  private let read: SelectionRead
  private let connection: XConnection
  private let atoms: Atoms
  private let selection: Atom
  private let orphanedRequests: OrphanedRequests
  private var deadline: Deadline
  /// The window for the answers, kept until the read is over and the owner has answered the last request.
  private var requestor: Window
  /// What the owner still has to do for the last request; nil if there is nothing left to do.
  private var outstanding: OrphanedRequests.Remainder?
  /// The owner's window, whose destruction is observed.
  private var watched = noWindow
  private var stage = Stage.examining(since: 0)
  /// The server time of all requests.
  private var time = noTime
  /// The number of the request that looked up the owner.
  private var lookup: UInt32 = 0
  private var graceEnd: SuspendingClock.Instant?
  private let reportOwner: (Window?) -> Void
  /// Whether this program has taken the clipboard since the text was requested.
  private var isOwnershipLost = false

  /// Whether a new offer has replaced the offer that is being read.
  private(set) var isReplaced = false
  /// Whether no request was sent because another window has the focus.
  private(set) var lacksFocus = false

  private enum Stage {
    /// The owner is being looked up and its formats examined; `since` is the sequence number of the GetSelectionOwner
    /// request.
    case examining(since: UInt32)
    /// The text is requested, by the request with this number.
    case asked(by: UInt32)
    /// The owner has answered, so what arrives is its text.
    case answered
  }

  /// - Parameter ownerChanged: called for each change of the clipboard's owner; nil stands for no owner.
  init(
    _ read: SelectionRead, of selection: Atom, _ connection: XConnection, _ atoms: Atoms,
    _ orphanedRequests: OrphanedRequests, _ deadline: Deadline, ownerChanged: @escaping (Window?) -> Void
  ) {
    self.read = read
    self.selection = selection
    self.connection = connection
    self.atoms = atoms
    self.orphanedRequests = orphanedRequests
    self.deadline = deadline
    reportOwner = ownerChanged
    requestor = connection.makeWindow()
    self.deadline.isWanted = { [unowned self] in self.read.isWanted(progress) }
  }

  private var progress: SelectionRead.Progress {
    switch stage {
    case .examining: .examining
    case .asked: .requested
    case .answered: .begun
    }
  }

  /// Ends the transfer; call it once, however the read ended.
  func end() {
    if watched != noWindow { connection.select(.none, on: watched) }
    releaseRequestor()
    connection.flush()
    while let event = connection.consumeQueuedEvent() {
      orphanedRequests.handle(event)
      if case .ownerChanged(let change) = event, change.selection == selection {
        report(change)
        if isCurrent(change) { isReplaced = change.owner != nil }
      }
    }
  }

  /// Destroys the window for the answers, once the owner has answered.
  private func releaseRequestor() {
    if let outstanding {
      orphanedRequests.keep(requestor, until: outstanding)
    } else {
      connection.destroy(requestor)
    }
    outstanding = nil
  }

  // MARK: - Formats

  nonisolated(nonsending) func formats() async throws(TransferError) -> (texts: [TextFormat], hasHint: Bool) {
    time = try requestTime()
    let offered = try offeredTargets()
    return (TextFormat.allCases.filter { offered.contains(atoms[$0]) }, offered.contains(atoms.secretHint))
  }

  nonisolated(nonsending) func content() async throws(TransferError) -> ClipboardContent {
    // Use a server time (ICCCM 2.4), because some owners reject CurrentTime.
    connection.requestTime(for: requestor, through: atoms[.timeProperty])
    guard let owner = try currentOwner() else { return .noText }
    if owner == read.ownWindow() { return .own }
    watched = owner
    connection.select(.structure, on: owner)
    return try await content(within: read.limits)
  }

  // MARK: - Requests

  private func currentOwner() throws(TransferError) -> Window? {
    lookup = xcb_get_selection_owner(connection.handle, selection).sequence
    stage = .examining(since: lookup)
    return try connection.selectionOwner(answering: lookup, deadline)
  }

  /// Returns the timestamp for all requests: the drop's, because Qt's drag sources identify the drop by it, or
  /// otherwise the current server time.
  private func requestTime() throws(TransferError) -> UInt32 {
    if let time = read.dropTime, time != noTime { return time }
    let property = atoms[.timeProperty]
    return try wait(deadline) { [requestor] event in
      guard case .propertySet(requestor, property, let time) = event else { return nil }
      return time
    }
  }

  /// Returns the formats that the owner offers; empty unless it lists them as atoms (ICCCM 2.6.2).
  ///
  /// An owner that lists no formats is not asked for text, because it may have omitted the hint for secrets, too.
  private func offeredTargets() throws(TransferError) -> Set<Atom> {
    try ask(for: atoms[.targets], into: atoms[.targetsProperty])
    let answer = try answer(to: atoms[.targets], in: atoms[.targetsProperty], limit: 256 << 10)
    guard case .value(_, format: 32, let bytes) = answer else {
      // Do not report a clipboard without text, because other programs may be able to paste it.
      if read.reason != .followed { throw .refused }
      return []
    }
    return bytes.withUnsafeBytes { Set($0.bindMemory(to: Atom.self)) }
  }

  nonisolated(nonsending) func bytes(
    of format: RequestedFormat, within limits: TransferLimits
  ) async throws(TransferError) -> [UInt8] {
    guard case .text(let text, let isLast) = format else { return try hint(within: limits) }
    // A replaced owner receives no further request.
    if graceEnd != nil || isOwnershipLost { throw replaced }
    defer { stage = .examining(since: lookup) }
    do throws(TransferError) {
      return try self.text(as: text, isLast: isLast, within: limits)
    } catch {
      // Use another window, because the owner may still answer, or send chunks.
      releaseRequestor()
      requestor = connection.makeWindow()
      throw reason(for: error)
    }
  }

  private func hint(within limits: TransferLimits) throws(TransferError) -> [UInt8] {
    let (hint, property) = (atoms.secretHint, atoms[.hintProperty])
    try ask(for: hint, into: property)
    switch try answer(to: hint, in: property, limit: limits.bytes) {
    case .refused: throw .refused
    case .tooLarge: throw .tooLarge(limit: limits.bytes)
    case .value(_, _, let bytes): return bytes
    }
  }

  private func text(
    as format: TextFormat, isLast: Bool, within limits: TransferLimits
  ) throws(TransferError) -> [UInt8] {
    let (target, property) = (atoms[format], atoms[.textProperty])
    stage = .asked(by: try ask(for: target, into: property))
    if isLast { read.asked() }
    switch try answer(to: target, in: property, within: limits.idleTimeout, limit: limits.bytes) {
    case .tooLarge: throw .tooLarge(limit: limits.bytes)
    case .value(let type, format: 8, let bytes):
      guard let text = atoms.utf8(bytes, type: type, target: format) else { throw .refused }
      // A text in ISO 8859-1 grows when it is converted.
      guard text.count <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
      return text
    case .refused, .value: throw .refused
    }
  }

  // MARK: - Requesting a target (ICCCM 2.4)

  private enum Answer {
    /// The owner refused, or claimed to have answered but wrote no valid answer.
    case refused
    /// The answer is larger than the limit.
    case tooLarge
    /// `format` is the size of an element: 8, 16 or 32 bits.
    case value(type: Atom, format: UInt8, bytes: [UInt8])
  }

  /// Requests `target`, to be stored in `property`, unless a condition of the read no longer holds.
  ///
  /// - Returns: the number of the request.
  @discardableResult
  private func ask(for target: Atom, into property: Atom) throws(TransferError) -> UInt32 {
    if let window = read.activeWindow, try !connection.hasFocus(window, deadline) {
      lacksFocus = true
      throw .cancelled
    }
    try deadline.check()
    // Handle pending events first, because the owner may have changed since its formats were examined.
    while let event = connection.consumeEvent() {
      try deadline.check()
      try handle(event)
    }
    var request: UInt32?
    let send = { [self] in
      guard read.isCurrentOffer() else { return }
      request = connection.convert(selection, to: target, into: property, of: requestor, at: time)
      connection.flush()
      outstanding = .answer
    }
    guard read.permit.request(send), let request else { throw .cancelled }
    return request
  }

  /// Receives the owner's answer, in one property or in chunks.
  private func answer(
    to target: Atom, in property: Atom, within wait: Duration? = nil, limit: Int
  ) throws(TransferError) -> Answer {
    let deadline = deadline.limited(to: wait ?? read.limits.idleTimeout)
    guard try waitForAnswer(to: target, in: property, deadline) else { return .refused }
    if case .asked = stage { stage = .answered }
    var bytes: [UInt8] = []
    let outcome = try connection.consumeProperty(
      property, of: requestor, appendingTo: &bytes, limit: max(limit, 4), self.deadline)
    if case .answered = stage, !bytes.isEmpty, graceEnd == nil { read.asked() }
    switch outcome {
    case .consumed(atoms[.incr], _):
      // Ignore the announced size, because xclip announces 0. Deleting the property has requested the first chunk.
      return try receiveChunks(in: property, limit: limit)
    case .consumed where bytes.count > limit: return .tooLarge
    case .consumed(let type, let format): return .value(type: type, format: format, bytes: bytes)
    case .tooLarge: return .tooLarge
    case .absent, .unsteady: return .refused
    }
  }

  /// Returns whether the owner has written the property; ignores answers to other requests.
  private func waitForAnswer(
    to target: Atom, in property: Atom, _ deadline: Deadline
  ) throws(TransferError) -> Bool {
    let (requestor, selection) = (requestor, selection)
    return try wait(deadline) { [self] event in
      guard case .selectionAnswered(let answer) = event, answer.requestor == requestor,
        answer.selection == selection, answer.target == target,
        answer.property == property || answer.property == noAtom
      else { return nil }
      outstanding = nil
      return answer.property == property
    }
  }

  // MARK: - Waiting

  /// Waits for an event for which `pick` returns a value.
  ///
  /// Events are handled in order, so an answer that an owner sent before it exited is used.
  private func wait<Found>(_ deadline: Deadline, for pick: (Event) -> Found?) throws(TransferError) -> Found {
    while true {
      let event = try connection.nextEvent(graceEnd.map(deadline.limited(until:)) ?? deadline)
      if let found = pick(event) { return found }
      try handle(event)
    }
  }

  private func handle(_ event: Event) throws(TransferError) {
    orphanedRequests.handle(event)
    switch event {
    // Another client has destroyed the window for the answers: cancel, so that the caller reads again with a new
    // window.
    case .windowDestroyed(requestor), .windowMissing(requestor):
      isReplaced = true
      throw .cancelled
    // The owner has exited, possibly before its window was observed. If another program has replaced the owner, report
    // that instead.
    case .windowDestroyed(watched), .windowMissing(watched): throw graceEnd == nil ? .ownerGone : replaced
    case .ownerChanged(let change) where change.selection == selection:
      report(change)
      if isCurrent(change) { try ownerChanged(change) }
    default: break
    }
  }

  private func report(_ change: Event.SelectionChange) {
    if change.selection == atoms[.clipboard] { reportOwner(change.owner) }
  }

  /// Whether the owner changed after the request that looked up the owner.
  private func isCurrent(_ change: Event.SelectionChange) -> Bool {
    guard case .examining(let request) = stage else { return true }
    return change.isAfter(request)
  }

  private func ownerChanged(_ change: Event.SelectionChange) throws(TransferError) {
    isReplaced = change.owner != nil
    if let owner = change.owner, owner == read.ownWindow() {
      // Continue if the request had reached the owner before this change, because the text was then copied before the
      // user's copy from the history.
      guard isRequestBefore(change) else { throw .ownershipLost }
      isOwnershipLost = true
      return
    }
    if isOwnershipLost {
      graceEnd = graceEnd ?? .now + read.limits.grace
      return
    }
    switch stage {
    case .answered where change.owner == nil: break
    // Continue for the grace period, because some owners serve no other requestor until this transfer is over (xclip
    // 0.13).
    case .answered: graceEnd = graceEnd ?? .now + read.limits.grace
    // The examined owner received the request before another program took the clipboard.
    case .asked(let request) where change.isAfter(request) && isAnotherProgram(change.owner):
      graceEnd = graceEnd ?? .now + read.limits.grace
    // The answer may come from the new owner, whose formats were not examined.
    case .examining, .asked: throw change.owner == nil ? .ownerGone : .cancelled
    }
  }

  /// Whether the request for the text reached the examined owner before a change.
  private func isRequestBefore(_ change: Event.SelectionChange) -> Bool {
    switch stage {
    case .examining: false
    case .asked(let request): change.isAfter(request)
    case .answered: true
    }
  }

  /// The error of a read whose owner was replaced and whose grace period has passed.
  private var replaced: TransferError { isOwnershipLost ? .ownershipLost : .cancelled }

  /// The error to throw: once the owner was replaced, a timeout only means that the grace period has passed.
  private func reason(for error: TransferError) -> TransferError {
    error == .timedOut && graceEnd != nil ? replaced : error
  }

  private func isAnotherProgram(_ owner: Window?) -> Bool {
    guard let owner else { return false }
    return connection.client(of: owner) != connection.client(of: watched)
  }

  // MARK: - INCR (ICCCM 2.7.2)

  private func receiveChunks(in property: Atom, limit: Int) throws(TransferError) -> Answer {
    var bytes: [UInt8] = []
    var first: (type: Atom, format: UInt8)?
    while true {
      let before = bytes.count
      switch try consumeChunk(of: property, appendingTo: &bytes, limit: limit) {
      case .consumed(let type, let format):
        // An empty chunk marks the end.
        guard bytes.count > before else {
          return .value(type: first?.type ?? type, format: first?.format ?? format, bytes: bytes)
        }
        if let first, first != (type, format) { return .refused }
        first = (type, format)
      case .tooLarge:
        bytes = []
        try discardChunks(in: property)
        return .tooLarge
      case .absent, .unsteady: return .refused
      }
    }
  }

  private func consumeChunk(
    of property: Atom, appendingTo bytes: inout [UInt8], limit: Int
  ) throws(TransferError) -> XConnection.ConsumedProperty {
    let deadline = deadline.limited(to: read.limits.idleTimeout)
    while true {
      try waitForChunk(of: property, deadline)
      let outcome = try connection.consumeProperty(
        property, of: requestor, appendingTo: &bytes, limit: limit, self.deadline)
      // An absent property was already read together with the previous chunk; only an empty property marks the end.
      if outcome != .absent { return outcome }
    }
  }

  private func waitForChunk(of property: Atom, _ deadline: Deadline) throws(TransferError) {
    outstanding = .chunk
    try wait(deadline) { [requestor] event in
      if case .propertySet(requestor, property, _) = event { () } else { nil }
    }
    outstanding = nil
  }

  /// Lets the owner finish sending a text that is too large, and discards it; gives up if the owner stalls or takes too
  /// long in total.
  ///
  /// xclip 0.13 serves no other requestor until a transfer is over: if a transfer is abandoned, no program can paste
  /// from xclip again.
  private func discardChunks(in property: Atom) throws(TransferError) {
    do {
      while try !connection.discardProperty(property, of: requestor, deadline) {
        try waitForChunk(of: property, deadline.limited(to: read.limits.idleTimeout))
      }
    } catch {
      // Report that the text is too large rather than a timeout or the owner's exit.
      let error = reason(for: error)
      if error == .cancelled || error == .unavailable { throw error }
    }
  }
}
