import ClipHistory
import ClipboardCore
import GtkKit
import SerialQueue

/// The clipboard on Wayland, through GDK, whose Wayland streams can be cancelled and carry texts of any size.
@MainActor
final class GdkClipboard: SystemClipboard {
  private let device: any ClipboardDevice
  private var offered: ClipText?
  let offerLosses = Observers<Void>()
  /// True until the user presses something after the last copy elsewhere: the compositor would silently refuse an
  /// offer, and GDK would then treat the copies of other programs as this program's own.
  private(set) var needsPress = true
  let pendingRead: PendingRead
  let ownCopies = OwnCopies()
  private weak var source: GdkClipboardSource?

  init(_ device: any ClipboardDevice, _ pendingRead: PendingRead = PendingRead()) {
    self.pendingRead = pendingRead
    self.device = device
    device.onChange(weakly(self) { $0.changed() })
  }

  func makeSource(
    deliver: @escaping ClipboardDeliver, ownerChanged: @escaping @Sendable () -> Void
  ) -> any ClipboardSource {
    let source = GdkClipboardSource(device, pendingRead, deliver: deliver, ownerChanged: ownerChanged)
    self.source = source
    return source
  }

  var offeredText: ClipText? { device.isOurs ? offered : nil }

  func setText(_ text: ClipText) async throws(TransferError) {
    await pendingRead.wait()
    device.offer(text.bytes, as: TextFormat.mimeTypes)
    offered = text
  }

  func notePress() { needsPress = false }

  private func changed() {
    if !device.isLocal, !device.mimeTypes.isEmpty { needsPress = true }
    source?.changed()
    if offered != nil && !device.isOurs {
      offered = nil
      offerLosses.notify()
    }
  }
}

/// The part of GDK's clipboard that `GdkClipboard` uses, as a protocol so that tests can replace it.
@MainActor
protocol ClipboardDevice: AnyObject {
  var mimeTypes: [String] { get }
  var isLocal: Bool { get }
  func onChange(_ body: @escaping @MainActor () -> Void)
  func synchronise()
  func offer(_ bytes: [UInt8], as mimeTypes: [String])
  func read(_ type: String, prepare: @MainActor () throws -> Void) async throws -> InputStream
}

extension Clipboard: ClipboardDevice {}

extension ClipboardDevice {
  /// Whether this program offers the clipboard's content; GDK's `isLocal` is also true of an empty clipboard.
  fileprivate var isOurs: Bool { isLocal && !mimeTypes.isEmpty }
}

/// Reads the offers of other programs on Wayland and delivers them, all on the main thread.
@MainActor
private final class GdkClipboardSource: ClipboardSource {
  private let clipboard: any ClipboardDevice
  private let pendingRead: PendingRead
  private let deliver: ClipboardDeliver
  private let ownerChanged: @Sendable () -> Void
  private let permit = ReadPermit()
  var limits = TransferLimits()
  /// Counts the changes of the selection owner.
  private var changes = 0
  private var hasNewOffer = false
  private var following: Task<Void, Never>?
  private var isClosed = false
  private var reads: [Read] = []

  private final class Read {
    /// The value of the source's `changes` that identifies the offer.
    let changes: Int
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
    /// Receives a value at the change of the selection owner for which `confirm` waits.
    var change: FirstValue<Void>?

    init(changes: Int, permit: ReadPermit, graceTime: Duration) {
      self.changes = changes
      self.permit = permit
      grant = permit.current
      self.graceTime = graceTime
    }

    /// Whether the permit was granted when the read began, and has not been revoked since.
    var isAllowed: Bool { grant != nil && grant == permit.current }

    /// The error to throw if the text can no longer be read because the offer was replaced.
    var replaced: TransferError { isOwnershipLost ? .ownershipLost : .cancelled }
  }

  init(
    _ clipboard: any ClipboardDevice, _ pendingRead: PendingRead, deliver: @escaping ClipboardDeliver,
    ownerChanged: @escaping @Sendable () -> Void
  ) {
    self.clipboard = clipboard
    self.pendingRead = pendingRead
    self.deliver = deliver
    self.ownerChanged = ownerChanged
  }

  var offer: Int { changes }

  // MARK: - Following

  func follow(_ isFollowing: Bool) {
    if pendingRead.follow(isFollowing, permit) { hasNewOffer = isFollowing }
    readOffers()
  }

  func close() {
    permit.revoke()
    pendingRead.end()
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

  func changed() {
    noteChange(isOwn: clipboard.isOurs)
    if !clipboard.isOurs { ownerChanged() }
    hasNewOffer = !clipboard.mimeTypes.isEmpty
    if hasNewOffer, !clipboard.isLocal, permit.current != nil { pendingRead.begin() }
    readOffers()
  }

  /// Updates the reads in progress after a change of the selection owner.
  ///
  /// If another program has replaced the offer, a read is cancelled after its grace time. If the user has copied a row,
  /// the read continues within its limits, because its text was copied before the row.
  private func noteChange(isOwn: Bool) {
    for read in reads {
      if isOwn && read.changes == changes && read.isAllowed {
        read.isOwnershipLost = true
      } else if !isOwn, read.grace == nil {
        read.grace = Timeout(after: read.graceTime) { [weak read] in read?.task?.cancel() }
      }
      read.change?.send(())
    }
    changes += 1
  }

  // MARK: - Reading

  private func readOffer() async {
    hasNewOffer = false
    let offer = changes
    await pendingRead.deliver(to: { await self.deliver($0, offer) }, under: permit) {
      () throws(TransferError) in
      try await content(of: offer, under: permit) { [pendingRead] in pendingRead.end() }
    }
  }

  // Leave `hasNewOffer` set, because the followed read must still deliver the offer.
  func read(pasted offer: Int, under permit: ReadPermit) async throws(TransferError) -> ClipboardContent {
    try await content(of: offer, under: permit) {}
  }

  /// - Parameter asked: Called when no further request for the text is expected, unless another program has copied.
  private func content(
    of offer: Int, under permit: ReadPermit, asked: @escaping @MainActor () -> Void
  ) async throws(TransferError) -> ClipboardContent {
    let read = Read(changes: offer, permit: permit, graceTime: limits.grace)
    let task = Task.unpooled { [limits] in try await self.content(of: read, within: limits, asked: asked) }
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
      throw error is CancellationError ? read.replaced : error as? TransferError ?? .refused
    }
  }

  private func content(
    of read: Read, within limits: TransferLimits, asked: @escaping @MainActor () -> Void
  ) async throws -> ClipboardContent {
    guard read.changes == changes else { throw read.replaced }
    let formats = clipboard.mimeTypes
    if clipboard.isLocal { return formats.isEmpty ? .noText : .own }
    let offer = OfferedText(formats: formats, limits: limits) { [self] format, isText in
      try await clipboard.read(format) {
        guard read.isAllowed, read.changes == changes else { throw read.replaced }
        if isText { read.hasAsked = true }
      }
    } confirm: { [self] in
      try await confirm(read, $0)
    } asked: {
      // A newer offer has a pending read of its own.
      if read.grace != nil { return }
      asked()
    }
    return try await offer.content()
  }

  func read(
    _ drop: any DroppedText, under permit: ReadPermit
  ) async throws(TransferError) -> ClipboardContent {
    let offer = OfferedText(formats: drop.formats, limits: limits) { format, _ in
      try await drop.read(format) { if permit.current == nil { throw TransferError.cancelled } }
    } confirm: { _ in
    }
    do {
      return try await offer.content()
    } catch {
      throw error as? TransferError ?? .refused
    }
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
    clipboard.synchronise()
    guard changes == read.changes || read.isOwnershipLost else {
      throw clipboard.mimeTypes.isEmpty ? TransferError.ownerGone : .cancelled
    }
    if changes == read.changes {
      try await waitForChange(
        during: read, atMost: answer == .empty(isLast: true) ? Self.longDying : Self.dying)
    }
    clipboard.synchronise()
    if read.isOwnershipLost {
      guard read.hasAsked, answer == .bytes else { throw TransferError.ownershipLost }
      return
    }
    if changes != read.changes, clipboard.mimeTypes.isEmpty { throw TransferError.ownerGone }
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
