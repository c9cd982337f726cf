import ClipHistory
import ClipboardCore
import GtkKit
import SerialQueue

/// The clipboard on Wayland, through GDK, whose Wayland streams can be cancelled and carry texts of any size.
@MainActor
final class GdkClipboard: SystemClipboard {
  private let device: any ClipboardDevice
  let changes = Observers<Bool>()
  var deliver: @MainActor (ClipboardDelivery, _ offer: Int) -> Void = { _, _ in }
  var limits = TransferLimits()
  private let permit = ReadPermit()
  /// The number of changes of the selection owner.
  private(set) var offer = 0
  private var hasNewOffer = false
  /// Whether our own offer has replaced the new offer before it was read.
  private var isMissed = false
  private var following: Task<Void, Never>?
  private var isClosed = false
  private var isEnding = false
  private var reads: [Read] = []
  /// The read of `following` that is in progress, or is being delivered.
  private var followed: Read?
  private var afterFollowed: [@MainActor () -> Void] = []
  /// Copies that wait until `isReadPending` is false.
  private var copies: [CheckedContinuation<Void, Never>] = []
  private var offered: OwnOffer?
  /// True until the user presses something after the last copy elsewhere.
  private(set) var needsPress = true
  /// The number of copies in other programs, now and at the last press.
  private var (otherCopies, pressed): (UInt32, UInt32) = (0, 0)

  private final class Read {
    /// The number of the offer.
    let offer: Int
    /// The permit under which requests are sent.
    let permit: ReadPermit
    /// The grant of the permit when the read began; the text is requested only while this grant is valid.
    let grant: Int?
    var task: Task<ClipboardContent, any Error>?
    /// How long the read may continue after another program has replaced the offer; `grace` then cancels it.
    let graceTime: Duration
    var grace: Timeout?
    /// Whether this program has replaced the offer.
    ///
    /// The offer's owner may still be sending, but GDK reports nothing more about that owner.
    var isOwnershipLost = false
    var hasAsked = false
    var hasBegun = false
    /// Whether no further request for the text is expected: it has begun to arrive, or its last format is requested.
    var isCommitted = false
    /// Receives a value at the change of the selection owner for which `confirm` waits.
    var change: FirstValue<Void>?

    init(of offer: Int, permit: ReadPermit, graceTime: Duration) {
      self.offer = offer
      self.permit = permit
      grant = permit.current
      self.graceTime = graceTime
    }

    /// Whether the permit was granted when the read began, and has not been revoked since.
    var isAllowed: Bool { grant != nil && grant == permit.current }

    /// The error to throw if the text can no longer be read because the offer was replaced.
    var replaced: TransferError { isOwnershipLost ? .ownershipLost : .cancelled }
  }

  init(_ device: any ClipboardDevice) {
    self.device = device
    device.onChange(weakly(self) { $0.changed() })
  }

  private func changed() {
    let isOwn = device.isOffering
    if !isOwn, !device.mimeTypes.isEmpty {
      needsPress = true
      otherCopies += 1
    }
    noteChange(isOwn: isOwn)
    if isOwn {
      isMissed = isMissed || hasNewOffer
    } else {
      (hasNewOffer, isMissed) = (!device.mimeTypes.isEmpty, false)
      offered = nil
      changes.notify(hasNewOffer)
    }
    resumeCopies()
    readOffers()
  }

  /// Updates the reads in progress after a change of the selection owner.
  ///
  /// If another program has replaced the offer, a read is cancelled after its grace time. If the user has copied a row,
  /// the read continues within its limits, because its text was copied before the row.
  private func noteChange(isOwn: Bool) {
    for read in reads {
      if isOwn && read.offer == offer && read.isAllowed {
        read.isOwnershipLost = true
      } else if !isOwn, read.grace == nil {
        read.grace = Timeout(after: read.graceTime) { [weak read] in read?.task?.cancel() }
      }
      read.change?.send(())
    }
    offer += 1
  }

  // MARK: - Offering

  var ownOffer: OwnOffer? {
    get { device.isOffering ? offered : nil }
    set { offered = newValue }
  }

  /// Makes no offer that the compositor would refuse: GDK would not notice the refusal, and would ignore all later
  /// copies in other programs.
  func setText(_ offer: OwnOffer, _ press: CopyPress) async throws(TransferError) {
    await pendingRead()
    await focusArrival()
    guard press.moment == otherCopies else { throw .ownershipLost }
    // In another program's window, copies go unnoticed.
    guard !device.isLeft else { throw .unavailable }
    device.offer(offer.text.bytes, as: TextFormat.mimeTypes)
    offered = offer
  }

  /// Waits briefly if no window has the focus: the state of a window that a click has just activated may arrive after
  /// the click.
  private func focusArrival() async {
    device.synchronise()
    do {
      // Count the turns of the main loop, because the focus arrives in one of them, however long they take.
      for _ in 0..<40 where device.isLeft {
        try await Timeout.wait(.milliseconds(5))
        device.synchronise()
      }
    } catch {
      // The task is cancelled.
    }
  }

  /// Whether there is an offer of another program whose text a followed read has still to request.
  private var isReadPending: Bool {
    permit.current != nil && (hasNewOffer || followed?.isCommitted == false)
  }

  /// Waits briefly for a pending read.
  private func pendingRead() async {
    guard isReadPending else { return }
    let timeout = Timeout(after: limits.copyDelay, weakly(self) { $0.resumeCopies(always: true) })
    await withCheckedContinuation { copies.append($0) }
    timeout.cancel()
  }

  private func resumeCopies(always: Bool = false) {
    guard always || !isReadPending else { return }
    let resumed = copies
    copies = []
    resumed.forEach { $0.resume() }
  }

  func notePress(at time: UInt32) {
    needsPress = false
    pressed = otherCopies
  }

  func takePress() -> CopyPress { CopyPress(moment: pressed) }

  // MARK: - Following

  var isReading: Bool { followed != nil }

  func afterRead(_ body: @escaping @MainActor () -> Void) {
    if isReading { afterFollowed.append(body) } else { onMain(body) }
  }

  func follow(_ isFollowing: Bool) {
    if isFollowing != (permit.current != nil) {
      if isFollowing { permit.grant() } else { permit.revoke() }
      (hasNewOffer, isMissed) = (isFollowing, false)
    }
    if !isFollowing { endRevokedReads() }
    resumeCopies()
    readOffers()
  }

  func endUnansweredReads() {
    isEnding = true
    endRevokedReads()
  }

  func endRevokedReads() {
    for read in reads where !read.hasBegun && (isEnding || !read.isAllowed && !read.hasAsked) {
      read.task?.cancel()
    }
  }

  func close() {
    permit.revoke()
    resumeCopies()
    isClosed = true
    following?.cancel()
  }

  /// Reads and delivers offers while there are new ones, unless this loop is already running.
  private func readOffers() {
    guard following == nil, !isClosed, mayReadAnew else { return }
    following = Task.unpooled { [self] in
      while mayReadAnew, !isClosed { await readOffer() }
      following = nil
    }
  }

  private var mayReadAnew: Bool { permit.current != nil && hasNewOffer }

  // MARK: - Reading

  private func readOffer() async {
    hasNewOffer = false
    let read = Read(of: offer, permit: permit, graceTime: limits.grace)
    followed = read
    do throws(TransferError) {
      deliver(.success(try await content(of: read, limits)), read.offer)
    } catch {
      deliver(.failure(error), read.offer)
    }
    followed = nil
    resumeCopies()
    let waiting = afterFollowed
    afterFollowed = []
    waiting.forEach { $0() }
  }

  // Leave `hasNewOffer` set, because the followed read must still deliver the offer.
  func read(pasted offer: Int, under permit: ReadPermit) async throws(TransferError) -> ClipboardContent {
    try await content(of: Read(of: offer, permit: permit, graceTime: limits.grace), limits.ofPaste)
  }

  private func content(
    of read: Read, _ limits: TransferLimits
  ) async throws(TransferError) -> ClipboardContent {
    let task = Task.unpooled { try await self.content(of: read, within: limits) }
    read.task = task
    reads.append(read)
    defer { reads.removeAll { $0 === read } }
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      let error = error is CancellationError ? .cancelled : error as? TransferError ?? .refused
      throw error == .cancelled ? read.replaced : error
    }
  }

  private func content(of read: Read, within limits: TransferLimits) async throws -> ClipboardContent {
    guard read.offer == offer else { throw read.replaced }
    if device.isOffering {
      guard read === followed, isMissed else { return .own }
      isMissed = false
      throw TransferError.ownershipLost
    }
    let text = OfferedText(names: device.mimeTypes) { [self] format in
      try await device.read(format.name) {
        guard read.isAllowed, read.offer == offer else { throw read.replaced }
        if format.isText { read.hasAsked = true }
      }
    } confirm: { [self] in
      try await confirm(read, $0)
    } asked: { [self] in
      read.isCommitted = true
      resumeCopies()
    } begun: {
      read.hasBegun = true
    }
    return try await text.content(within: limits)
  }

  func read(
    _ drop: any DroppedText, under permit: ReadPermit
  ) async throws(TransferError) -> ClipboardContent {
    let text = OfferedText(names: drop.formats) { format in
      try await drop.read(format.name) { if permit.current == nil { throw TransferError.cancelled } }
    }
    return try await text.content(within: limits.ofPaste)
  }

  /// How long to wait, after the end of the pipe, for the owner's connection to the compositor to close as well.
  ///
  /// When a process exits, the kernel closes its pipe and its connection at times that depend on the scheduler. This
  /// wait delays the recording of every text.
  private static let dying = Duration.milliseconds(50)
  /// The same for an owner that has sent nothing; longer, because this delays no text.
  private static let longDying = Duration.milliseconds(500)

  /// Throws unless the bytes that were read are known to be the owner's whole text.
  ///
  /// The end of the stream does not prove that the text is whole: an owner that exits closes its end of the pipe, and
  /// an owner that was replaced may do the same. Therefore this asks the compositor whether the owner is still the
  /// same, first immediately and then again after a while or when the next offer arrives. A compositor reports changes
  /// only to the window with the focus. If the focus was lost in between, the answer is unknown, and the text is read
  /// again at the next activation.
  ///
  /// If this program has replaced the owner, the compositor reports nothing more about that owner. The text then counts
  /// as whole if it was requested before the replacement and is not empty: an owner that loses the clipboard does not
  /// stop in the middle of a transfer.
  private func confirm(_ read: Read, _ answer: OfferedText.Answer) async throws {
    device.synchronise()
    guard offer == read.offer || read.isOwnershipLost else {
      throw device.mimeTypes.isEmpty ? TransferError.ownerGone : .cancelled
    }
    if offer == read.offer {
      try await waitForChange(
        during: read, atMost: answer == .empty(isLast: true) ? Self.longDying : Self.dying)
    }
    device.synchronise()
    if read.isOwnershipLost {
      guard read.hasAsked, answer == .bytes else { throw TransferError.ownershipLost }
      return
    }
    if offer != read.offer, device.mimeTypes.isEmpty { throw TransferError.ownerGone }
    // Let the main loop run once, so that GTK processes a loss of the focus.
    try await Timeout.wait(.zero)
    guard read.isAllowed else { throw TransferError.cancelled }
  }

  /// Waits until the selection owner changes, but at most for `time`.
  private func waitForChange(during read: Read, atMost time: Duration) async throws {
    let change = FirstValue<Void>()
    read.change = change
    try await change.value(within: time, else: ())
  }
}

/// The part of GDK's clipboard that `GdkClipboard` uses, as a protocol so that tests can replace it.
@MainActor
protocol ClipboardDevice: AnyObject {
  var mimeTypes: [String] { get }
  /// Whether the clipboard holds the last content that `offer` has set.
  var isOffering: Bool { get }
  /// Whether windows of this program are shown, and none of them has the keyboard focus.
  var isLeft: Bool { get }
  func onChange(_ body: @escaping @MainActor () -> Void)
  func synchronise()
  func offer(_ bytes: [UInt8], as mimeTypes: [String])
  func read(_ type: String, prepare: @MainActor () throws -> Void) async throws -> InputStream
}

extension Clipboard: ClipboardDevice {
  var isLeft: Bool {
    let windows = Window.shown
    return !windows.isEmpty && !windows.contains(where: \.isFocusedByCompositor)
  }
}
