import ClipHistory
import ClipboardCore
import GtkKit

/// The clipboard on Wayland, through GDK: there its streams can be cancelled and carry any size.
@MainActor
final class GdkClipboard: SystemClipboard, ClipboardSource {
  private let clipboard = Clipboard.ofDisplay
  private let permit = ReadingPermit()
  private var offered: ClipText?
  private var offerLost: (@MainActor () -> Void)?
  /// How often the clipboard changed hands.
  private var changes = 0
  /// There is an offer that nobody has read.
  private var hasNewOffer = false
  private var waiter: CheckedContinuation<Void, Never>?
  private var transfers: [Int: Transfer] = [:]
  private var transferCount = 0
  private var grace: Timeout?

  /// A read under way, and the count of changes when it began.
  private struct Transfer {
    let changes: Int
    let grace: Duration
    let task: Task<ClipboardContent, any Error>
  }

  init() {
    clipboard?.onChange { [weak self] in self?.changed() }
  }

  var source: any ClipboardSource { self }

  // GDK calls an empty clipboard local, too.
  var offeredText: ClipText? { clipboard?.isLocal == true ? offered : nil }

  func offer(_ text: ClipText) async throws(TransferError) {
    guard let clipboard else { throw .unavailable }
    clipboard.offer(text.bytes, as: TextFormat.mimeTypes)
    offered = text
  }

  func onOfferLost(_ body: @escaping @MainActor () -> Void) { offerLost = body }

  // MARK: - Following

  func allowReading(_ isAllowed: Bool) {
    let before = permit.current
    if isAllowed { permit.grant() } else { permit.revoke() }
    if permit.current != before { hasNewOffer = isAllowed }
    wake()
  }

  @MainActor func nextOffer() async throws(TransferError) {
    while permit.current == nil || !hasNewOffer {
      if Task.isCancelled { throw .cancelled }
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiter = $0 }
      } onCancel: {
        Task { @MainActor in self.wake() }
      }
    }
  }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }

  private func changed() {
    guard let clipboard else { return }
    changes += 1
    if offered != nil && !clipboard.isLocal {
      offered = nil
      offerLost?()
    }
    hasNewOffer = !clipboard.mimeTypes.isEmpty
    endReplacedTransfers()
    wake()
  }

  /// Gives the transfers of offers that another one has replaced a moment to end, and gives them up then.
  private func endReplacedTransfers() {
    guard grace == nil, let time = transfers.values.map(\.grace).max() else { return }
    grace = Timeout(after: time) { [weak self] in
      guard let self else { return }
      grace = nil
      for transfer in transfers.values where transfer.changes != changes { transfer.task.cancel() }
    }
  }

  // MARK: - Reading

  @MainActor func read(within limits: TransferLimits, onPurpose: Bool)
    async throws(TransferError) -> ClipboardContent
  {
    // What is read on purpose is still new to whoever follows the clipboard.
    if !onPurpose {
      hasNewOffer = false
      guard permit.current != nil else { throw .cancelled }
    }
    let judgement = Judgement(changes: changes, grant: permit.current)
    let task = Task { try await content(of: judgement, within: limits) }
    transferCount += 1
    let number = transferCount
    transfers[number] = Transfer(changes: changes, grace: limits.grace, task: task)
    defer { transfers[number] = nil }
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch let error as TransferError {
      throw error
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .refused
    }
  }

  /// What a read is about: the offer whose formats are judged, and the grant under which it is asked for its text.
  private struct Judgement {
    let changes: Int
    let grant: Int?
  }

  private func content(of judgement: Judgement, within limits: TransferLimits) async throws
    -> ClipboardContent
  {
    guard let clipboard else { throw TransferError.unavailable }
    let offered = clipboard.mimeTypes
    if clipboard.isLocal { return offered.isEmpty ? .noText : .own }
    let wanted = TextFormat.names.filter(offered.contains)
    guard !wanted.isEmpty else { return .noText }
    if offered.contains(SecretHint.name), try await isSecret(judgement, within: limits) { return .secret }
    return .text(try await transfer(wanted, of: judgement, within: limits))
  }

  private func isSecret(_ judgement: Judgement, within limits: TransferLimits) async throws -> Bool {
    var limits = limits
    limits.bytes = SecretHint.longestValue
    do {
      return SecretHint.marksSecret(try await transfer([SecretHint.name], of: judgement, within: limits))
    } catch TransferError.tooLarge {
      return false
    } catch is GLibError {
      return SecretHint.marksSecret(nil)
    }
  }

  /// What the owner sends until it closes its end.
  private func transfer(_ types: [String], of judgement: Judgement, within limits: TransferLimits)
    async throws
    -> [UInt8]
  {
    guard let clipboard else { throw TransferError.unavailable }
    guard judgement.grant == permit.current, judgement.changes == changes else {
      throw TransferError.cancelled
    }
    let bytes = try await TextTransfer(limits: limits).bytes { try await clipboard.read(types) }
    try await confirm(judgement, clipboard, for: bytes.isEmpty ? Self.longDying : Self.dying)
    return bytes
  }

  /// How long after a dying owner's pipe the kernel may close its connection to the compositor.
  ///
  /// It goes on as the scheduler lets it. Every text is recorded that much later.
  private static let dying = Duration.milliseconds(50)
  /// The same, for an owner that has sent nothing: there is no text to be late.
  private static let longDying = Duration.milliseconds(500)

  /// Throws if the owner was replaced during the transfer, is dying, or may have been without our knowing.
  ///
  /// An owner that dies closes its end, and so may one that was replaced: that the bytes end does not say that the text
  /// is whole. So the compositor is asked whether the owner still is the owner, at once, and, unless another one comes
  /// first, after a while. A compositor tells only the window with the focus: if that was lost meanwhile, nobody knows,
  /// and the text is read anew at the next activation.
  private func confirm(_ judgement: Judgement, _ clipboard: Clipboard, for time: Duration) async throws {
    clipboard.synchronise()
    guard changes == judgement.changes else {
      throw clipboard.mimeTypes.isEmpty ? TransferError.ownerGone : .cancelled
    }
    let end = ContinuousClock.now + time
    while changes == judgement.changes, .now < end { try await Timeout.wait(.milliseconds(10)) }
    clipboard.synchronise()
    if changes != judgement.changes, clipboard.mimeTypes.isEmpty { throw TransferError.ownerGone }
    // GTK hears of the focus in its own turn.
    try await Timeout.wait(.zero)
    guard permit.current == judgement.grant else { throw TransferError.cancelled }
  }
}
