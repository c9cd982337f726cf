import ClipHistory
import GtkKit
import X11Kit

/// The clipboard on X11.
///
/// GDK says when there is a new offer; texts travel over connections of our own, because GDK's transfers
/// there have no time limit, mistake one answer for another, and fail for large texts.
@MainActor
final class X11Clipboard: SystemClipboard {
  private let display: String
  private let gdk = Clipboard.ofDisplay
  // Connected to when first needed: the first window does not wait for them.
  private var reader: SelectionReader?
  private var owner: SelectionOwner?
  /// Whether the present owner was told of before its formats were known.
  private var isAnnounced: Bool
  private var offerLost: (@MainActor () -> Void)?

  private(set) var offeredText: ClipText?

  var isOffering: Bool { offeredText != nil }

  init(display: String) {
    self.display = display
    // The owner at the start is read when the window becomes active; its formats, which follow, are nothing new.
    isAnnounced = gdk?.mimeTypes.isEmpty ?? false
  }

  func onNewOffer(_ body: @escaping @MainActor () -> Void) {
    gdk?.onChange { [weak self] in
      guard let self, let gdk else { return }
      // Twice for each owner: at once, without formats, and when it has told GDK its formats. An owner that never
      // tells must not count less, so the first one is followed.
      let isFirst = gdk.mimeTypes.isEmpty || !isAnnounced
      isAnnounced = gdk.mimeTypes.isEmpty
      if isFirst { body() }
    }
  }

  func read(within limits: TransferLimits) async throws(TransferError) -> ClipboardContent {
    do {
      let reader = try reader ?? SelectionReader(display: display)
      self.reader = reader
      let content = try await reader.readText(
        ownWindow: owner?.window, limit: limits.bytes, silence: limits.silence, total: limits.total)
      return ClipboardContent(content)
    } catch let error as SelectionReadError {
      if error == .connectionLost { reader = nil }
      throw TransferError(error)
    } catch {
      throw .unavailable
    }
  }

  func offer(_ text: ClipText) async throws(TransferError) {
    do {
      let owner = try await connectedOwner()
      try await owner.offer(text.bytes)
      // Another program may have copied at the same moment.
      offeredText = await owner.isOwner ? text : nil
    } catch {
      owner = nil
      throw .unavailable
    }
  }

  func handOver() async {
    if isOffering { _ = await owner?.handOver(within: .seconds(1)) }
  }

  func onOfferLost(_ body: @escaping @MainActor () -> Void) { offerLost = body }

  private func connectedOwner() async throws -> SelectionOwner {
    if let owner { return owner }
    let owner = try SelectionOwner(display: display)
    await owner.setLossHandler { [weak self] in
      Task { @MainActor in self?.lost() }
    }
    self.owner = owner
    return owner
  }

  private func lost() {
    offeredText = nil
    offerLost?()
  }
}

extension ClipboardContent {
  fileprivate init(_ content: SelectionContent) {
    switch content {
    case .text(let bytes): self = .text(bytes)
    case .noText: self = .noText
    case .secret: self = .secret
    case .own: self = .own
    }
  }
}

extension TransferError {
  fileprivate init(_ error: SelectionReadError) {
    switch error {
    case .timedOut: self = .timedOut
    case .ownerGone: self = .ownerGone
    case .refused: self = .refused
    case .tooLarge(let limit): self = .tooLarge(limit: limit)
    case .cancelled: self = .cancelled
    case .connectionLost: self = .unavailable
    }
  }
}
