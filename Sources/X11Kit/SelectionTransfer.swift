import CXCB
import ClipboardCore

/// One read of the clipboard or of a drop, from its formats to the last chunk of its text.
///
/// A text is accepted only from the owner whose formats were examined. The server reports every change of the owner,
/// and each event shows which of our requests were processed before it, so we know which owner received a request.
final class SelectionTransfer: ClipboardOffer {
  let read: SelectionRead
  let selection: Atom
  /// The number of the request that looked up the owner.
  var lookup: UInt32 = 0
  /// The number of the offer that was on the clipboard at the lookup or at the last request.
  var offer = 0
  var isConnectionLost = false
  /// Whether no further request for the text is expected: its owner has begun to send it, or the last format is
  /// requested.
  private(set) var isCommitted = false
  /// Whether another client has destroyed the window for the answers.
  private(set) var isRequestorLost = false
  /// Whether no request was sent because another window has the focus.
  private(set) var lacksFocus = false

  private unowned let selections: X11Selections
  private let connection: XConnection
  private let atoms: Atoms
  private let orphanedRequests: OrphanedRequests
  /// The time limit of the whole read.
  private let end: SuspendingClock.Instant
  /// The window for the answers, kept until the read is over and the owner has answered the last request.
  private var requestor: Window
  /// What the owner still has to do for the last request; nil if there is nothing left to do.
  private var outstanding: OrphanedRequests.Remainder?
  /// The owner's window, whose destruction is observed.
  private var owner = noWindow
  /// The timestamp of all requests.
  private var time = noTime
  private var stage = Stage.examining
  private var graceEnd: SuspendingClock.Instant?
  /// Whether this program has taken the clipboard since the text was requested.
  private var isOwnershipLost = false
  /// What has arrived for this read.
  private var events: [Event] = []

  private enum Stage {
    /// The owner is being looked up and its formats examined.
    case examining
    /// The text is requested, by the request with this number.
    case asked(by: UInt32)
    /// The owner has answered, so what arrives is its text.
    case answered
  }

  init(
    _ read: SelectionRead, for selections: X11Selections, _ connection: XConnection, _ atoms: Atoms,
    _ orphanedRequests: OrphanedRequests
  ) {
    self.read = read
    self.selections = selections
    self.connection = connection
    self.atoms = atoms
    self.orphanedRequests = orphanedRequests
    if case .dropped = read.reason {
      selection = atoms[.draggedContent]
    } else {
      selection = atoms[.clipboard]
    }
    end = .now + read.limits.total
    requestor = connection.makeWindow()
  }

  var isFollowed: Bool { read.reason == .followed }

  /// Begins to read from this owner.
  ///
  /// - Parameter time: the server's time; for a drop, the drop's is used, because Qt's drag sources identify the drop by
  ///   it.
  func begin(with owner: Window, at time: UInt32) {
    self.owner = owner
    self.time = if case .dropped(let drop) = read.reason, drop != noTime { drop } else { time }
    connection.select(.structure, on: owner)
  }

  /// Ends the read; call it once, however the read ended.
  func finish() {
    if owner != noWindow { connection.deselect(.structure, on: owner) }
    releaseRequestor()
    connection.flush()
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
    let offered = try await offeredTargets()
    return (TextFormat.allCases.filter { offered.contains(atoms[$0]) }, offered.contains(atoms.secretHint))
  }

  /// Returns the formats that the owner offers; empty unless it lists them as atoms (ICCCM 2.6.2).
  ///
  /// An owner that lists no formats is not asked for text, because it may have omitted the hint for secrets, too.
  private nonisolated(nonsending) func offeredTargets() async throws(TransferError) -> Set<Atom> {
    try ask(for: atoms[.targets], into: atoms[.targetsProperty])
    let answer = try await answer(to: atoms[.targets], in: atoms[.targetsProperty], limit: 256 << 10)
    guard case .value(_, format: 32, let bytes) = answer else {
      // Do not report a clipboard without text, because other programs may be able to paste it.
      if !isFollowed { throw .refused }
      return []
    }
    return bytes.withUnsafeBytes { Set($0.bindMemory(to: Atom.self)) }
  }

  nonisolated(nonsending) func bytes(
    of format: RequestedFormat, within limits: TransferLimits
  ) async throws(TransferError) -> [UInt8] {
    guard case .text(let text, let isLast) = format else { return try await hint(within: limits) }
    // A replaced owner receives no further request.
    if graceEnd != nil || isOwnershipLost { throw replaced }
    defer { stage = .examining }
    do throws(TransferError) {
      return try await self.text(as: text, isLast: isLast, within: limits)
    } catch {
      // Use another window, because the owner may still answer, or send chunks.
      releaseRequestor()
      requestor = connection.makeWindow()
      throw reason(for: error)
    }
  }

  private nonisolated(nonsending) func hint(within limits: TransferLimits) async throws(TransferError)
    -> [UInt8]
  {
    let (hint, property) = (atoms.secretHint, atoms[.hintProperty])
    try ask(for: hint, into: property)
    switch try await answer(to: hint, in: property, limit: limits.bytes) {
    case .refused: throw .refused
    case .tooLarge: throw .tooLarge(limit: limits.bytes)
    case .value(_, _, let bytes): return bytes
    }
  }

  private nonisolated(nonsending) func text(
    as format: TextFormat, isLast: Bool, within limits: TransferLimits
  ) async throws(TransferError) -> [UInt8] {
    let (target, property) = (atoms[format], atoms[.textProperty])
    stage = .asked(by: try ask(for: target, into: property))
    if isLast { commit() }
    switch try await answer(to: target, in: property, within: limits.idleTimeout, limit: limits.bytes) {
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
    if let window = read.activeWindow, try !connection.hasFocus(window, .endless) {
      lacksFocus = true
      throw .cancelled
    }
    // Handle pending events first, because the owner may have changed since its formats were examined.
    var isMore = true
    while isMore {
      isMore = handleEvents()
      while !events.isEmpty { try handle(events.removeFirst()) }
      try check(end)
    }
    if isConnectionLost { throw .unavailable }
    offer = selections.offer
    guard read.offer == nil || read.offer == offer else { throw .cancelled }
    var request: UInt32?
    let send = { [self] in
      request = connection.convert(selection, to: target, into: property, of: requestor, at: time)
      connection.flush()
      outstanding = .answer
    }
    guard read.permit.request(send), let request else { throw .cancelled }
    return request
  }

  /// Receives the owner's answer, in one property or in chunks.
  private nonisolated(nonsending) func answer(
    to target: Atom, in property: Atom, within wait: Duration? = nil, limit: Int
  ) async throws(TransferError) -> Answer {
    guard try await waitForAnswer(to: target, in: property, atMost: wait ?? read.limits.idleTimeout) else {
      return .refused
    }
    if case .asked = stage { stage = .answered }
    var bytes: [UInt8] = []
    let outcome = try connection.consumeProperty(
      property, of: requestor, appendingTo: &bytes, limit: max(limit, 4), .endless)
    if case .answered = stage, !bytes.isEmpty { commit() }
    switch outcome {
    case .consumed(atoms[.incr], _):
      // Ignore the announced size, because xclip announces 0. Deleting the property has requested the first chunk.
      return try await receiveChunks(in: property, limit: limit)
    case .consumed where bytes.count > limit: return .tooLarge
    case .consumed(let type, let format): return .value(type: type, format: format, bytes: bytes)
    case .tooLarge: return .tooLarge
    case .absent, .unsteady: return .refused
    }
  }

  /// Returns whether the owner has written the property; ignores answers to other requests.
  private nonisolated(nonsending) func waitForAnswer(
    to target: Atom, in property: Atom, atMost limit: Duration
  ) async throws(TransferError) -> Bool {
    try await wait(atMost: limit) { event in
      guard case .selectionAnswered(let answer) = event, answer.requestor == requestor,
        answer.selection == selection, answer.target == target,
        answer.property == property || answer.property == noAtom
      else { return nil }
      outstanding = nil
      return answer.property == property
    }
  }

  // MARK: - Waiting

  /// Receives an event that may concern this read; events are handled in order, so an answer that an owner sent before
  /// it exited is used.
  func receive(_ event: Event) {
    switch event {
    case .selectionAnswered(let answer) where answer.requestor == requestor: events.append(event)
    case .propertySet(requestor, _, _): events.append(event)
    case .windowDestroyed(requestor), .windowMissing(requestor): events.append(event)
    case .windowDestroyed(owner), .windowMissing(owner): events.append(event)
    case .ownerChanged(let change) where change.selection == selection: events.append(event)
    default: break
    }
  }

  /// Waits for an event for which `pick` returns a value.
  private nonisolated(nonsending) func wait<Found>(
    atMost limit: Duration, for pick: (Event) -> Found?
  ) async throws(TransferError) -> Found {
    let limit = SuspendingClock.now + limit
    while true {
      let limit = min(limit, end, graceEnd ?? end)
      // Check the limit for each event, because a flood of events leaves no time to wait.
      try check(limit)
      if events.isEmpty { handleEvents() }
      if let event = events.first {
        events.removeFirst()
        if let found = pick(event) { return found }
        try handle(event)
      } else if isConnectionLost {
        throw .unavailable
      } else {
        await withCheckedContinuation { continuation in
          // The thread may have handled events since the check above, when no waiter was there to wake.
          if events.isEmpty, !isConnectionLost, isWanted {
            selections.assumeIsolated { $0.resumeLater(continuation, before: limit) }
          } else {
            continuation.resume()
          }
        }
      }
    }
  }

  /// - Returns: whether there may be more events.
  @discardableResult
  private func handleEvents() -> Bool { selections.assumeIsolated { $0.handleEvents() } }

  private func check(_ limit: SuspendingClock.Instant) throws(TransferError) {
    if !isWanted { throw .cancelled }
    if SuspendingClock.now >= limit { throw .timedOut }
  }

  /// Whether to continue to wait for the owner.
  private var isWanted: Bool {
    if Task.isCancelled { return false }
    return switch stage {
    case .answered: true
    case .asked where isFollowed: !selections.assumeIsolated { $0.isEnding }
    case .examining, .asked: read.permit.current != nil
    }
  }

  private func handle(_ event: Event) throws(TransferError) {
    switch event {
    // Cancel, so that the caller reads again with a new window.
    case .windowDestroyed(requestor), .windowMissing(requestor):
      isRequestorLost = true
      throw .cancelled
    // The owner has exited, possibly before its window was observed. If another program has replaced the owner, report
    // that instead.
    case .windowDestroyed(owner), .windowMissing(owner): throw graceEnd == nil ? .ownerGone : replaced
    // The lookup has found the owner of an earlier change.
    case .ownerChanged(let change) where change.isAfter(lookup): try ownerChanged(change)
    default: break
    }
  }

  private func commit() {
    guard !isCommitted else { return }
    isCommitted = true
    selections.assumeIsolated { $0.wake() }
  }

  private func ownerChanged(_ change: Event.SelectionChange) throws(TransferError) {
    if let owner = change.owner, connection.client(of: owner) == connection.client(of: requestor) {
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
    return connection.client(of: owner) != connection.client(of: self.owner)
  }

  // MARK: - INCR (ICCCM 2.7.2)

  private nonisolated(nonsending) func receiveChunks(in property: Atom, limit: Int)
    async throws(TransferError) -> Answer
  {
    var bytes: [UInt8] = []
    var first: (type: Atom, format: UInt8)?
    while true {
      let before = bytes.count
      switch try await consumeChunk(of: property, appendingTo: &bytes, limit: limit) {
      case .consumed(let type, let format):
        // An empty chunk marks the end.
        guard bytes.count > before else {
          return .value(type: first?.type ?? type, format: first?.format ?? format, bytes: bytes)
        }
        if let first, first != (type, format) { return .refused }
        first = (type, format)
      case .tooLarge:
        bytes = []
        try await discardChunks(in: property)
        return .tooLarge
      case .absent, .unsteady: return .refused
      }
    }
  }

  private nonisolated(nonsending) func consumeChunk(
    of property: Atom, appendingTo bytes: inout [UInt8], limit: Int
  ) async throws(TransferError) -> XConnection.ConsumedProperty {
    while true {
      try await waitForChunk(of: property)
      let outcome = try connection.consumeProperty(
        property, of: requestor, appendingTo: &bytes, limit: limit, .endless)
      // An absent property was already read together with the previous chunk; only an empty property marks the end.
      if outcome != .absent { return outcome }
    }
  }

  private nonisolated(nonsending) func waitForChunk(of property: Atom) async throws(TransferError) {
    outstanding = .chunk
    try await wait(atMost: read.limits.idleTimeout) { [requestor] event in
      if case .propertySet(requestor, property, _) = event { () } else { nil }
    }
    outstanding = nil
  }

  /// Lets the owner finish sending a text that is too large, and discards it; gives up if the owner stalls or takes too
  /// long in total.
  ///
  /// xclip 0.13 serves no other requestor until a transfer is over: if a transfer is abandoned, no program can paste
  /// from xclip again.
  private nonisolated(nonsending) func discardChunks(in property: Atom) async throws(TransferError) {
    do {
      while try !connection.discardProperty(property, of: requestor, .endless) {
        try await waitForChunk(of: property)
      }
    } catch {
      // Report that the text is too large rather than a timeout or the owner's exit.
      let error = reason(for: error)
      if error == .cancelled || error == .unavailable { throw error }
    }
  }
}
