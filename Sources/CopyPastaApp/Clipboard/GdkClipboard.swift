import ClipHistory
import ClipboardCore
import GtkKit
import SerialQueue

/// The clipboard on Wayland, through GDK: there its streams can be cancelled and carry any size.
@MainActor
final class GdkClipboard: SystemClipboard {
  private let device: any ClipboardDevice
  private var offered: ClipText?
  let offerLosses = Observers<Void>()
  /// The question that a copy of this program's own waits for.
  private let pendingRead = PendingRead()
  /// The source that follows the clipboard.
  private weak var source: GdkClipboardSource?

  init(_ device: any ClipboardDevice) {
    self.device = device
    device.onChange(weakly(self) { $0.changed() })
  }

  func makeSource(deliver: @escaping ClipboardDeliver) -> any ClipboardSource {
    let source = GdkClipboardSource(device, pendingRead, deliver: deliver)
    self.source = source
    return source
  }

  // GDK calls an empty clipboard local, too.
  var offeredText: ClipText? { device.isLocal ? offered : nil }

  func offer(_ text: ClipText) async throws(TransferError) {
    await pendingRead.wait()
    device.offer(text.bytes, as: TextFormat.mimeTypes)
    offered = text
  }

  private func changed() {
    source?.changed()
    if offered != nil && !device.isLocal {
      offered = nil
      offerLosses.notify()
    }
  }
}

/// What `GdkClipboard` needs of GDK.
@MainActor
protocol ClipboardDevice: AnyObject {
  var mimeTypes: [String] { get }
  var isLocal: Bool { get }
  func onChange(_ body: @escaping @MainActor () -> Void)
  func synchronise()
  func offer(_ bytes: [UInt8], as mimeTypes: [String])
  func read(_ mimeTypes: [String]) async throws -> InputStream
}

extension Clipboard: ClipboardDevice {}

/// The offers of other programs on Wayland, read and delivered on the main thread.
@MainActor
private final class GdkClipboardSource: ClipboardSource {
  private let clipboard: any ClipboardDevice
  private let pendingRead: PendingRead
  private let deliver: ClipboardDeliver
  private let permit = ReadPermit()
  var limits = TransferLimits()
  /// How often the clipboard changed hands.
  private var changes = 0
  /// Whether the present offer was not read yet.
  private var hasNewOffer = false
  private var following: Task<Void, Never>?
  private var isClosed = false
  private var waiting: [@Sendable () -> Void] = []
  private var reads: [Read] = []

  /// A read under way.
  private final class Read {
    /// The offer whose formats are judged: the count of changes when the read began.
    let changes: Int
    /// The grant under which the text is asked for.
    let grant: Int?
    var task: Task<ClipboardContent, any Error>?
    /// How long the read may go on once another program has replaced the offer, and what ends it then.
    let graceTime: Duration
    var grace: Timeout?
    /// Whether this program has replaced the offer: nothing is heard of the owner any more, which goes on sending.
    var isOwnershipLost = false
    /// Whether the text was asked for.
    var hasAsked = false
    /// Ends when the clipboard changes hands, while `confirm` waits for that.
    var change: AsyncStream<Never>.Continuation?

    init(changes: Int, grant: Int?, graceTime: Duration) {
      self.changes = changes
      self.grant = grant
      self.graceTime = graceTime
    }

    /// The error that the read ends with if the text is out of reach.
    var replaced: TransferError { isOwnershipLost ? .ownershipLost : .cancelled }
  }

  init(_ clipboard: any ClipboardDevice, _ pendingRead: PendingRead, deliver: @escaping ClipboardDeliver) {
    self.clipboard = clipboard
    self.pendingRead = pendingRead
    self.deliver = deliver
  }

  // MARK: - Following

  func follow(_ isFollowing: Bool) {
    let before = permit.current
    if isFollowing { permit.grant() } else { permit.revoke() }
    if permit.current != before {
      hasNewOffer = isFollowing
      if isFollowing { pendingRead.begin() } else { pendingRead.end() }
    }
    readOffers()
  }

  func close() {
    permit.revoke()
    pendingRead.end()
    isClosed = true
    following?.cancel()
  }

  /// Reads and delivers until there is no new offer, unless that is under way.
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
    // An empty clipboard is local, too.
    noteChange(isOwn: clipboard.isLocal && !clipboard.mimeTypes.isEmpty)
    hasNewOffer = !clipboard.mimeTypes.isEmpty
    if hasNewOffer, !clipboard.isLocal, permit.current != nil { pendingRead.begin() }
    readOffers()
  }

  /// Gives the reads of an offer that another program has replaced a moment to end, and gives them up then.
  ///
  /// A text that the user copies out of the history comes after the one that is being read, which goes on within its
  /// limits.
  private func noteChange(isOwn: Bool) {
    for read in reads {
      if isOwn && read.changes == changes && read.grant == permit.current {
        read.isOwnershipLost = true
      } else if !isOwn, read.grace == nil {
        read.grace = Timeout(after: read.graceTime) { [weak read] in read?.task?.cancel() }
      }
      read.change?.finish()
    }
    changes += 1
  }

  // MARK: - Reading

  private func readOffer() async -> ClipboardDelivery {
    hasNewOffer = false
    do throws(TransferError) {
      pendingRead.begin()
      let content = try await content()
      if pendingRead.end(), content == .own { throw .ownershipLost }
      return .success(content)
    } catch {
      // If only this read was given up, the next one asks the question.
      if error != .cancelled || permit.current == nil { pendingRead.end() }
      return .failure(error)
    }
  }

  // A text that is read on purpose is still new to whoever follows the clipboard.
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
    return .text(try await transfer(wanted, of: read, within: limits) { read.hasAsked = true })
  }

  private func isSecret(_ read: Read, within limits: TransferLimits) async throws -> Bool {
    var limits = limits
    limits.bytes = SecretHint.longestValue
    do {
      return SecretHint.isSecretHint(try await transfer([SecretHint.name], of: read, within: limits) {})
    } catch TransferError.tooLarge {
      return false
    } catch is GLibError {
      return SecretHint.isSecretHint(nil)
    }
  }

  /// The bytes that the owner sends until it closes its end.
  private func transfer(
    _ types: [String], of read: Read, within limits: TransferLimits, asking: @escaping @MainActor () -> Void
  ) async throws -> [UInt8] {
    let bytes = try await TextTransfer(limits: limits).bytes { [self] in
      guard read.grant == permit.current, read.changes == changes else { throw read.replaced }
      asking()
      if read.hasAsked { pendingRead.end() }
      return try await clipboard.read(types)
    }
    try await confirm(read, isEmpty: bytes.isEmpty)
    return bytes
  }

  /// How long after a dying owner's pipe the kernel may close the owner's connection to the compositor.
  ///
  /// The scheduler decides when. Every text is recorded that much later.
  private static let dying = Duration.milliseconds(50)
  /// The same, for an owner that has sent nothing: there is no text to be late.
  private static let longDying = Duration.milliseconds(500)

  /// Throws if the owner is dying, was replaced during the transfer, or may have been replaced without our knowing.
  ///
  /// An owner that dies closes its end of the stream, and so may an owner that was replaced: the end of the bytes does
  /// not prove that the text is whole. So the compositor is asked whether the owner still is the owner: at once, and
  /// again after a while, or when another offer comes. A compositor tells only the window with the focus: if the focus
  /// was lost meanwhile, nobody knows, and the text is read anew at the next activation.
  ///
  /// Of an owner that this program has replaced nothing more is heard. Such an owner was asked for the text before, and
  /// does not end in the middle because the user copies something else.
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
    // GTK hears of the focus in its own turn.
    try await Timeout.wait(.zero)
    guard permit.current == read.grant else { throw TransferError.cancelled }
  }

  /// Returns when the clipboard changes hands, or when the time is up.
  private func waitForChange(during read: Read, atMost time: Duration) async throws {
    let (end, change) = AsyncStream<Never>.makeStream()
    read.change = change
    let timeout = Timeout(after: time) { change.finish() }
    // The wait also ends if the task is cancelled.
    for await _ in end {}
    timeout.cancel()
    try Task.checkCancellation()
  }
}
