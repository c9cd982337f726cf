import ClipHistory
import ClipboardCore
import SerialQueue
import X11Kit

/// The clipboard on X11, through an X connection of its own.
///
/// GDK's transfers on X11 have no time limit, can confuse one answer with another, and fail for large texts.
@MainActor
final class X11Clipboard: SystemClipboard {
  private let display: String
  /// Reads on its own thread, so that it misses no copy while the main thread draws.
  private(set) lazy var selections = X11Selections(display: display, permit: permit) { [weak self] isTaken in
    onMain { [weak self] in self?.changed(isTaken: isTaken) }
  }
  private let permit = ReadPermit()
  private var following: Task<Void, Never>?
  var deliver: @MainActor (ClipboardDelivery, _ offer: Int) -> Void = { _, _ in }
  let changes = Observers<Bool>()
  /// The window that has to have the focus for the clipboard to be read.
  private var readingWindow: UInt32?
  var ownOffer: OwnOffer?
  private var press: UInt32?

  init(display: String) { self.display = display }

  /// Changes the actor's state, in the order of the calls.
  private func apply(_ change: @escaping @Sendable (isolated X11Selections) -> Void) {
    Task.unpooled(on: selections) { change($0) }
  }

  private func changed(isTaken: Bool) {
    ownOffer = nil
    changes.notify(isTaken)
  }

  // MARK: - Reading

  var limits = TransferLimits() {
    didSet { apply { [limits] in $0.followed.limits = limits } }
  }

  func setReadingWindow(_ number: UInt32?) {
    readingWindow = number
    apply { $0.followed.activeWindow = number }
  }

  var offer: Int { selections.offer }

  func afterRead(_ body: @escaping @MainActor () -> Void) {
    Task.unpooled(on: selections) { selections in
      await selections.afterRead()
      onMain(body)
    }
  }

  func follow(_ isFollowing: Bool) {
    // A later copy without a press, as from a screen reader, is not as old as a press before the window was left.
    if !isFollowing { press = nil }
    if isFollowing, permit.current == nil { selections.countOffer() }
    if isFollowing { permit.grant() } else { permit.revoke() }
    if isFollowing, following == nil { following = followOffers() }
    endRevokedReads()
  }

  /// Delivers offers until the server cannot be reached; after that, the next `follow(true)` starts again.
  private func followOffers() -> Task<Void, Never> {
    Task.unpooled(on: selections) { [weak self] selections in
      do throws(TransferError) {
        while true {
          try await selections.nextOffer()
          let (content, offer) = await selections.readOffer()
          onMain { [weak self] in self?.deliver(content, offer) }
        }
      } catch {
        onMain { [weak self] in
          guard let self else { return }
          following = nil
          deliver(.failure(error), offer)
        }
      }
    }
  }

  func watchNextChange() -> Bool {
    apply { $0.watchNextChange() }
    return true
  }

  func read(pasted offer: Int, under permit: ReadPermit) async throws(TransferError) -> ClipboardContent {
    var read = SelectionRead(.pasted, under: permit, activeWindow: readingWindow, within: limits.ofPaste)
    read.offer = offer
    return try await selections.read(read)
  }

  func read(_ drop: any DroppedText, under permit: ReadPermit) async throws(TransferError) -> ClipboardContent
  {
    try await selections.read(SelectionRead(.dropped(at: drop.time), under: permit, within: limits.ofPaste))
  }

  func endRevokedReads() { apply { $0.conditionsChanged() } }

  func endUnansweredReads() { apply { $0.endUnansweredReads() } }

  func close() {
    permit.revoke()
    following?.cancel()
    endRevokedReads()
  }

  // MARK: - Offering

  // Accept X11's own names as well, because some drag sources list only these names.
  var dropFormats: [String] { TextFormat.names }

  func notePress(at time: UInt32) { press = time }

  func takePress() -> CopyPress { CopyPress(moment: press.take() ?? 0) }

  func setText(_ offer: OwnOffer, _ press: CopyPress) async throws(TransferError) {
    try await selections.offer(offer.text.bytes, at: press.moment) { [weak self] in
      onMain { [weak self] in self?.ownOffer = offer }
    }
  }

  func handOver() async {
    if isOffering { _ = await selections.handOver(within: .milliseconds(700)) }
    await selections.close(within: .milliseconds(200))
  }
}
