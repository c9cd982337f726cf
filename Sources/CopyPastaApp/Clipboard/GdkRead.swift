import ClipboardCore
import GtkKit
import SerialQueue

/// One read of the clipboard through GDK, from its formats to the confirmation that its text is whole.
@MainActor
final class GdkRead: @MainActor ClipboardOffer {
  /// The number of the offer.
  let offer: Int
  private unowned let clipboard: GdkClipboard
  /// The permit under which requests are sent.
  private let permit: ReadPermit
  /// The grant of the permit when the read began; the text is requested only while this grant is valid.
  private let grant: Int?
  var task: Task<ClipboardContent, any Error>?
  /// Cancels the read some time after another program has replaced the offer.
  private var grace: Timeout?
  /// Whether this program has replaced the offer.
  ///
  /// The offer's owner may still be sending, but GDK reports nothing more about that owner.
  private var isOwnershipLost = false
  private(set) var hasAsked = false
  private(set) var hasBegun = false
  /// Whether no further request for the text is expected: it has begun to arrive, or its last format is requested.
  private(set) var isCommitted = false
  /// Receives a value at the change of the selection owner for which `confirm` waits.
  private var change: FirstValue<Void>?

  init(of offer: Int, from clipboard: GdkClipboard, under permit: ReadPermit) {
    self.offer = offer
    self.clipboard = clipboard
    self.permit = permit
    grant = permit.current
  }

  /// Whether the permit was granted when the read began, and has not been revoked since.
  var isAllowed: Bool { grant != nil && grant == permit.current }

  /// The error to throw if the text can no longer be read because the offer was replaced.
  var replaced: TransferError { isOwnershipLost ? .ownershipLost : .cancelled }

  private var isReplaced: Bool { offer != clipboard.offer }

  /// Call this at each change of the selection owner, before the clipboard counts the new offer.
  ///
  /// If another program has replaced the offer, the read is cancelled after its grace time. If the user has copied a
  /// row, the read continues within its limits, because its text was copied before the row.
  func offerReplaced(isOwn: Bool) {
    if isOwn && !isReplaced && isAllowed {
      isOwnershipLost = true
    } else if !isOwn, grace == nil {
      grace = Timeout(after: clipboard.limits.grace, weakly(self) { $0.task?.cancel() })
    }
    change?.send(())
  }

  @MainActor func formats() async throws(TransferError) -> (texts: [TextFormat], hasHint: Bool) {
    textFormats(in: clipboard.device.mimeTypes)
  }

  @MainActor func bytes(
    of format: RequestedFormat, within limits: TransferLimits
  ) async throws(TransferError) -> [UInt8] {
    let isLast = if case .text(_, let isLast) = format { isLast } else { true }
    let transfer = TextTransfer(limits: limits) { [self] in
      if format.isText { (hasBegun, isCommitted) = (true, true) }
    }
    let bytes = try await transfer.bytes { [self] in
      let stream = try await clipboard.device.read(format.name) {
        guard isAllowed, !isReplaced else { throw replaced }
        if format.isText { hasAsked = true }
      }
      if format.isText, isLast { isCommitted = true }
      return stream
    }
    do {
      try await confirm(isText: !bytes.isEmpty, isLast: isLast)
      return bytes
    } catch {
      throw error as? TransferError ?? .cancelled
    }
  }

  // MARK: - Confirmation

  /// How long to wait, after the end of the pipe, for the owner's connection to the compositor to close as well.
  ///
  /// When a process exits, the kernel closes its pipe and its connection at times that depend on the scheduler. This
  /// wait delays the recording of every text.
  private static let dying = Duration.milliseconds(50)
  /// The same for an owner that has sent nothing; longer, because this delays no text.
  private static let longDying = Duration.milliseconds(500)

  /// Throws unless the bytes that were read are known to be the owner's whole answer.
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
  ///
  /// - Parameters:
  ///   - isText: Whether any byte has arrived.
  ///   - isLast: Whether no other format is requested if no byte has arrived.
  private func confirm(isText: Bool, isLast: Bool) async throws {
    let device = clipboard.device
    device.synchronise()
    guard !isReplaced || isOwnershipLost else {
      throw device.mimeTypes.isEmpty ? TransferError.ownerGone : .cancelled
    }
    if !isReplaced {
      let change = FirstValue<Void>()
      self.change = change
      try await change.value(within: isText || !isLast ? Self.dying : Self.longDying, else: ())
    }
    device.synchronise()
    if isOwnershipLost {
      guard hasAsked, isText else { throw TransferError.ownershipLost }
      return
    }
    if isReplaced, device.mimeTypes.isEmpty { throw TransferError.ownerGone }
    // Let the main loop run once, so that GTK processes a loss of the focus.
    try await Timeout.wait(.zero)
    guard isAllowed else { throw TransferError.cancelled }
  }
}

/// The offer of a drop.
///
/// Nothing confirms that its text is whole, because GDK does not report the end of its source.
@MainActor
struct DropOffer: @MainActor ClipboardOffer {
  let drop: any DroppedText
  let permit: ReadPermit

  @MainActor func formats() async throws(TransferError) -> (texts: [TextFormat], hasHint: Bool) {
    textFormats(in: drop.formats)
  }

  @MainActor func bytes(
    of format: RequestedFormat, within limits: TransferLimits
  ) async throws(TransferError) -> [UInt8] {
    try await TextTransfer(limits: limits).bytes {
      try await drop.read(format.name) { if permit.current == nil { throw TransferError.cancelled } }
    }
  }
}

/// The formats of an offer that lists these names.
@MainActor private func textFormats(in names: [String]) -> (texts: [TextFormat], hasHint: Bool) {
  (TextFormat.mimeTypesFirst.filter { names.contains($0.rawValue) }, names.contains(SecretHint.name))
}
