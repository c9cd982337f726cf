import ClipHistory
import GtkKit

/// The clipboard on Wayland, through GDK: there its streams can be cancelled and carry any size.
@MainActor
final class GdkClipboard: SystemClipboard {
  /// The forms that a text is asked for in, the unmistakable ones first.
  private static let textTypes = ["text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "TEXT", "STRING"]
  /// The forms that a text is offered in.
  ///
  /// GDK would list a type without a slash, and leave whoever asks for it waiting for ever.
  private static let offeredTypes = textTypes.filter { $0.contains("/") }
  /// Offered by password managers; the value `secret` means that nobody should keep the text.
  private static let secretHint = "x-kde-passwordManagerHint"

  private let clipboard = Clipboard.ofDisplay
  private var offered: ClipText?
  /// How often the clipboard changed hands.
  private var changes = 0
  private var newOffer: (@MainActor () -> Void)?
  private var offerLost: (@MainActor () -> Void)?

  init() {
    clipboard?.onChange { [weak self] in self?.changed() }
  }

  // GDK calls an empty clipboard local, too.
  var isOffering: Bool { offeredText != nil }

  var offeredText: ClipText? { clipboard?.isLocal == true ? offered : nil }

  func onNewOffer(_ body: @escaping @MainActor () -> Void) { newOffer = body }

  func read(within limits: TransferLimits) async throws(TransferError) -> ClipboardContent {
    guard let clipboard else { throw .unavailable }
    let offered = clipboard.mimeTypes
    if clipboard.isLocal { return offered.isEmpty ? .noText : .own }
    let wanted = Self.textTypes.filter(offered.contains)
    guard !wanted.isEmpty else { return .noText }
    if offered.contains(Self.secretHint), try await isSecret(within: limits) { return .secret }
    return .text(try await transfer(wanted, within: limits))
  }

  func offer(_ text: ClipText) async throws(TransferError) {
    guard let clipboard else { throw .unavailable }
    clipboard.offer(text.bytes, as: Self.offeredTypes)
    offered = text
  }

  func onOfferLost(_ body: @escaping @MainActor () -> Void) { offerLost = body }

  private func changed() {
    guard let clipboard else { return }
    changes += 1
    if offered != nil && !clipboard.isLocal {
      offered = nil
      offerLost?()
    }
    if !clipboard.mimeTypes.isEmpty { newOffer?() }
  }

  /// Asks for the hint's value.
  ///
  /// An owner that lists the hint and keeps the value to itself is taken at its word.
  private func isSecret(within limits: TransferLimits) async throws(TransferError) -> Bool {
    var limits = limits
    limits.bytes = 4096
    do throws(TransferError) {
      let value = try await transfer([Self.secretHint], within: limits)
      let word = value.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }
      return word.isEmpty || word.elementsEqual("secret".utf8)
    } catch {
      switch error {
      case .refused: return true
      case .tooLarge: return false
      case .timedOut, .ownerGone, .cancelled, .unavailable: throw error
      }
    }
  }

  /// What the owner sends until it closes its end.
  private func transfer(_ types: [String], within limits: TransferLimits) async throws(TransferError)
    -> [UInt8]
  {
    do {
      guard let clipboard else { throw TransferError.unavailable }
      let before = changes
      let bytes = try await TextTransfer(limits: limits).bytes { try await clipboard.read(types) }
      try await makeSure(clipboard, isOwnedSince: before, for: bytes.isEmpty ? Self.longDying : Self.dying)
      return bytes
    } catch let error as TransferError {
      throw error
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .refused
    }
  }

  /// How long after a dying owner's pipe the kernel may close its connection to the compositor.
  ///
  /// It goes on as the scheduler lets it. Every text is recorded that much later.
  private static let dying = Duration.milliseconds(50)
  /// The same, for an owner that has sent nothing: there is no text to be late.
  private static let longDying = Duration.milliseconds(500)

  /// Throws where the owner was replaced during the transfer, or is dying.
  ///
  /// An owner that dies closes its end, and so may one that was replaced: that the bytes end does not say that the text
  /// is whole. So the compositor is asked whether the owner still is the owner, at once, and, unless another one comes
  /// first, after a while.
  private func makeSure(_ clipboard: Clipboard, isOwnedSince before: Int, for time: Duration) async throws {
    clipboard.synchronise()
    guard changes == before else {
      throw clipboard.mimeTypes.isEmpty ? TransferError.ownerGone : .cancelled
    }
    let end = ContinuousClock.now + time
    while changes == before, .now < end { try await Timeout.wait(.milliseconds(10)) }
    clipboard.synchronise()
    if changes != before, clipboard.mimeTypes.isEmpty { throw TransferError.ownerGone }
  }
}
