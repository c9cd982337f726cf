import ClipHistory
import ClipboardCore
import GtkKit
import SerialQueue

/// The clipboard on Wayland, through GDK, whose Wayland streams can be cancelled and carry texts of any size.
@MainActor
final class GdkClipboard: SystemClipboard {
  let device: any ClipboardDevice
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
  private var isEnding = false
  private var reads: [GdkRead] = []
  /// The read of `following` that is in progress, or is being delivered.
  private var followed: GdkRead?
  private var afterFollowed: [@MainActor () -> Void] = []
  private var offered: OwnOffer?
  /// The number of copies in other programs.
  private var otherCopies: UInt32 = 0
  /// The number of copies in other programs at the last press; before the first press, a number that is never reached.
  private var pressed = UInt32.max

  init(_ device: any ClipboardDevice) {
    self.device = device
    device.onChange(weakly(self) { $0.changed() })
  }

  private func changed() {
    let isOwn = device.isOffering
    if !isOwn, !device.mimeTypes.isEmpty { otherCopies += 1 }
    for read in reads { read.offerReplaced(isOwn: isOwn) }
    offer += 1
    if isOwn {
      isMissed = isMissed || hasNewOffer
    } else {
      (hasNewOffer, isMissed) = (!device.mimeTypes.isEmpty, false)
      offered = nil
      changes.notify(hasNewOffer)
    }
    readOffers()
  }

  // MARK: - Offering

  var ownOffer: OwnOffer? {
    get { device.isOffering ? offered : nil }
    set { offered = newValue }
  }

  /// Makes no offer that the compositor would refuse: GDK would not notice the refusal, and would ignore all later
  /// copies in other programs.
  func setText(_ offer: OwnOffer, _ press: CopyPress) async throws(TransferError) {
    await awaitReadAndFocus()
    guard press.moment == otherCopies else { throw .ownershipLost }
    // In another program's window, copies go unnoticed.
    guard !device.isLeft else { throw .unavailable }
    device.offer(offer.text.bytes, as: TextFormat.mimeTypes)
    offered = offer
  }

  /// Waits briefly for a pending read, and for the focus: the state of a window that a click has just activated may
  /// arrive after the click.
  private func awaitReadAndFocus() async {
    let turn = Duration.milliseconds(5)
    // Count the turns of the main loop, because the focus arrives in one of them, however long they take.
    var turns = limits.copyDelay / turn
    device.synchronise()
    do {
      while turns > 0, isReadPending || device.isLeft {
        try await Timeout.wait(turn)
        turns -= 1
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

  var needsPress: Bool { pressed != otherCopies }

  func notePress(at time: UInt32) { pressed = otherCopies }

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
    following?.cancel()
  }

  /// Reads and delivers offers while there are new ones, unless this loop is already running.
  private func readOffers() {
    guard following == nil, mayReadAnew else { return }
    following = Task.unpooled { [self] in
      while mayReadAnew { await readOffer() }
      following = nil
    }
  }

  private var mayReadAnew: Bool { permit.current != nil && hasNewOffer }

  // MARK: - Reading

  private func readOffer() async {
    hasNewOffer = false
    let read = GdkRead(of: offer, from: self, under: permit)
    followed = read
    do throws(TransferError) {
      deliver(.success(try await content(of: read, limits)), read.offer)
    } catch {
      deliver(.failure(error), read.offer)
    }
    followed = nil
    let waiting = afterFollowed
    afterFollowed = []
    waiting.forEach { $0() }
  }

  // Leave `hasNewOffer` set, because the followed read must still deliver the offer.
  func read(pasted offer: Int, under permit: ReadPermit) async throws(TransferError) -> ClipboardContent {
    try await content(of: GdkRead(of: offer, from: self, under: permit), limits.ofPaste)
  }

  private func content(
    of read: GdkRead, _ limits: TransferLimits
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
      let error = error as? TransferError ?? .cancelled
      throw error == .cancelled ? read.replaced : error
    }
  }

  private func content(
    of read: GdkRead, within limits: TransferLimits
  ) async throws(TransferError) -> ClipboardContent {
    guard read.offer == offer else { throw read.replaced }
    if device.isOffering {
      guard read === followed, isMissed else { return .own }
      isMissed = false
      throw .ownershipLost
    }
    return try await read.content(within: limits)
  }

  func read(
    _ drop: any DroppedText, under permit: ReadPermit
  ) async throws(TransferError) -> ClipboardContent {
    try await DropOffer(drop: drop, permit: permit).content(within: limits.ofPaste)
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
