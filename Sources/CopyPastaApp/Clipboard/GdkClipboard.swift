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
  /// True until a press that is newer than the current offer: the compositor silently refuses an offer without one, and
  /// GDK would then treat the copies of other programs as this program's own.
  private(set) var needsPress = true
  private let pendingRead: PendingRead
  private weak var source: GdkClipboardSource?

  init(_ device: any ClipboardDevice, _ pendingRead: PendingRead = PendingRead()) {
    self.pendingRead = pendingRead
    self.device = device
    device.onChange(weakly(self) { $0.changed() })
  }

  func makeSource(deliver: @escaping ClipboardDeliver) -> any ClipboardSource {
    let source = GdkClipboardSource(device, pendingRead, deliver: deliver)
    self.source = source
    return source
  }

  // Check `offered` as well: GDK also reports an empty clipboard as local.
  var offeredText: ClipText? { device.isLocal ? offered : nil }

  func offer(_ text: ClipText) async throws(TransferError) {
    await pendingRead.wait()
    device.offer(text.bytes, as: TextFormat.mimeTypes)
    offered = text
  }

  func notePress() { needsPress = false }

  private func changed() {
    if !device.isLocal, !device.mimeTypes.isEmpty { needsPress = true }
    source?.changed()
    if offered != nil && !device.isLocal {
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
  func read(_ mimeTypes: [String], prepare: @MainActor () throws -> Void) async throws -> InputStream
}

extension Clipboard: ClipboardDevice {}

/// Reads the offers of other programs on Wayland and delivers them, all on the main thread.
@MainActor
private final class GdkClipboardSource: ClipboardSource {
  private let clipboard: any ClipboardDevice
  private let pendingRead: PendingRead
  private let deliver: ClipboardDeliver
  private let permit = ReadPermit()
  var limits = TransferLimits()
  /// Counts the changes of the selection owner.
  private var changes = 0
  private var hasNewOffer = false
  private var following: Task<Void, Never>?
  private var isClosed = false
  private var waiting: [@Sendable () -> Void] = []
  private var reads: [Read] = []

  private final class Read {
    /// The value of the source's `changes` when the read began, which identifies the offer.
    let changes: Int
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
    /// Receives a value when the selection owner changes; set only while `confirm` waits for a change.
    var change: FirstValue<Void>?

    init(changes: Int, grant: Int?, graceTime: Duration) {
      self.changes = changes
      self.grant = grant
      self.graceTime = graceTime
    }

    /// The error to throw if the text can no longer be read because the offer was replaced.
    var replaced: TransferError { isOwnershipLost ? .ownershipLost : .cancelled }
  }

  init(_ clipboard: any ClipboardDevice, _ pendingRead: PendingRead, deliver: @escaping ClipboardDeliver) {
    self.clipboard = clipboard
    self.pendingRead = pendingRead
    self.deliver = deliver
  }

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
      while mayReadAnew, !isClosed {
        await deliver(await readOffer())
        waiting.forEach { $0() }
        waiting = []
      }
      following = nil
    }
  }

  private var mayReadAnew: Bool { permit.current != nil && hasNewOffer }

  func afterRead(_ body: @escaping @Sendable () -> Void) {
    if following == nil { body() } else { waiting.append(body) }
  }

  func changed() {
    // Check the formats as well: GDK also reports an empty clipboard as local.
    noteChange(isOwn: clipboard.isLocal && !clipboard.mimeTypes.isEmpty)
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
      if isOwn && read.changes == changes && read.grant == permit.current {
        read.isOwnershipLost = true
      } else if !isOwn, read.grace == nil {
        read.grace = Timeout(after: read.graceTime) { [weak read] in read?.task?.cancel() }
      }
      read.change?.send(())
    }
    changes += 1
  }

  // MARK: - Reading

  private func readOffer() async -> ClipboardDelivery {
    hasNewOffer = false
    return await pendingRead.delivery(under: permit) { () throws(TransferError) in try await content() }
  }

  // Leaves `hasNewOffer` set, because the offer must still be delivered to the recorder.
  func readNow() async throws(TransferError) -> ClipboardContent { try await content() }

  private func content() async throws(TransferError) -> ClipboardContent {
    let read = Read(changes: changes, grant: permit.current, graceTime: limits.grace)
    let task = Task.unpooled { [limits] in try await self.content(of: read, within: limits) }
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

  private func content(of read: Read, within limits: TransferLimits) async throws -> ClipboardContent {
    guard read.changes == changes else { throw read.replaced }
    let offered = clipboard.mimeTypes
    if clipboard.isLocal { return offered.isEmpty ? .noText : .own }
    let wanted = TextFormat.names.filter(offered.contains)
    guard !wanted.isEmpty else { return .noText }
    if offered.contains(SecretHint.name), try await isSecret(read, within: limits) { return .secret }
    return .text(try await readBytes(wanted, of: read, within: limits) { read.hasAsked = true })
  }

  private func isSecret(_ read: Read, within limits: TransferLimits) async throws -> Bool {
    var limits = limits
    limits.bytes = SecretHint.longestValue
    do {
      return SecretHint.isSecretHint(try await readBytes([SecretHint.name], of: read, within: limits) {})
    } catch TransferError.tooLarge {
      return false
    } catch is GLibError {
      return SecretHint.isSecretHint(nil)
    }
  }

  /// Returns the bytes that the owner sends until it closes its end of the pipe.
  private func readBytes(
    _ types: [String], of read: Read, within limits: TransferLimits, asking: @escaping @MainActor () -> Void
  ) async throws -> [UInt8] {
    let bytes = try await TextTransfer(limits: limits).bytes { [self] in
      try await clipboard.read(types) {
        guard read.grant == permit.current, read.changes == changes else { throw read.replaced }
        asking()
        if read.hasAsked { pendingRead.end() }
      }
    }
    try await confirm(read, isEmpty: bytes.isEmpty)
    return bytes
  }

  /// How long to wait, after the end of the pipe, for the owner's connection to the compositor to close as well.
  ///
  /// When a process exits, the kernel closes its pipe and its connection at times that depend on the scheduler. This
  /// wait delays the recording of every text.
  private static let dying = Duration.milliseconds(50)
  /// How long to wait for an owner that has sent nothing; longer than `dying`, because no text waits for it.
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
  private func confirm(_ read: Read, isEmpty: Bool) async throws {
    clipboard.synchronise()
    guard changes == read.changes || read.isOwnershipLost else {
      throw clipboard.mimeTypes.isEmpty ? TransferError.ownerGone : .cancelled
    }
    if changes == read.changes {
      try await waitForChange(during: read, atMost: isEmpty ? Self.longDying : Self.dying)
    }
    clipboard.synchronise()
    if read.isOwnershipLost {
      guard read.hasAsked, !isEmpty else { throw TransferError.ownershipLost }
      return
    }
    if changes != read.changes, clipboard.mimeTypes.isEmpty { throw TransferError.ownerGone }
    // Let the main loop run once, so that GTK processes a loss of the focus.
    try await Timeout.wait(.zero)
    guard permit.current == read.grant else { throw TransferError.cancelled }
  }

  /// Waits until the selection owner changes, but at most for `time`.
  private func waitForChange(during read: Read, atMost time: Duration) async throws {
    let change = FirstValue<Void>()
    read.change = change
    try await change.value(within: time, else: ())
  }
}
