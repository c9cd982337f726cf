import ClipHistory
import ClipboardCore
import GtkKit
import Synchronization

/// The desktop's clipboard: `X11Clipboard` on X11, `GdkClipboard` on Wayland.
@MainActor
protocol SystemClipboard: AnyObject {
  /// Makes the source that reads what other programs copy.
  ///
  /// - Parameter deliver: Called with the outcome of each read, on the source's thread: the main thread on Wayland, a
  ///   thread of its own on X11. The source reads the next offer after `deliver` has returned.
  func makeSource(deliver: @escaping ClipboardDeliver) -> any ClipboardSource

  /// Sets the X11 id of the window that must have the focus for the clipboard to be read.
  func setReadingWindow(_ number: UInt32?)

  /// Puts a text on the clipboard, as plain text in every format that other programs request.
  ///
  /// First waits briefly for a pending read, because taking the clipboard discards its current text.
  ///
  /// - Throws: `ownershipLost` if another program copied at the same moment; `unavailable` if the X server cannot be
  ///   reached.
  func offer(_ text: ClipText) async throws(TransferError)

  /// The text that this program offers on the clipboard; nil once another program owns the clipboard.
  var offeredText: ClipText? { get }

  /// Whether an offer would be refused unless the user first presses a key, a button or a finger in a window.
  var needsPress: Bool { get }

  /// Call this for each press in the window.
  func notePress()

  /// Notifies when the clipboard no longer holds the text that this program offered.
  var offerLosses: Observers<Void> { get }

  /// The text formats that the window accepts in a drop.
  var dropFormats: [String] { get }

  /// Hands this program's text over to a clipboard manager, if one runs; takes at most about a second.
  func handOver() async
}

extension SystemClipboard {
  /// Does nothing: on Wayland the compositor reports in time which window has the focus.
  func setReadingWindow(_ number: UInt32?) {}

  /// False, because on X11 every program may take the clipboard.
  var needsPress: Bool { false }

  func notePress() {}

  var dropFormats: [String] { TextFormat.mimeTypes }

  /// Whether this process offers the clipboard's text, which is lost when the process ends unless it is handed over.
  var isOffering: Bool { offeredText != nil }

  /// Does nothing, because on Wayland a text cannot be handed over: either the compositor keeps it, or it is lost.
  func handOver() async {}
}

/// The outcome of a read: the offer's content, or why it could not be read.
typealias ClipboardDelivery = Result<ClipboardContent, TransferError>

/// Handles a delivery, and returns when the next offer may be read.
typealias ClipboardDeliver = nonisolated(nonsending) @Sendable (ClipboardDelivery) async -> Void

/// Reads what other programs copy while that is allowed, and delivers one offer after the other.
protocol ClipboardSource: AnyObject, Sendable {
  /// Starts or stops following the clipboard. After `follow(false)` has returned, no text is requested.
  ///
  /// After each start, the current content of the clipboard counts as an offer to read. A transfer that has begun
  /// continues after a stop, within its limits, because some owners (xclip 0.13) serve no other program until it has
  /// ended.
  ///
  /// Each offer is delivered as its content or as an error, such as:
  /// - `cancelled`: a newer offer has to be read instead, or reading is not allowed any more.
  /// - `ownershipLost`: this program has taken the clipboard, so the previous text cannot be read any more.
  /// - `unavailable`: the desktop cannot be reached, so the source stops following.
  @MainActor func follow(_ isFollowing: Bool)

  /// Reads the current offer at the user's request, whether the source follows the clipboard or not.
  func readNow() async throws(TransferError) -> ClipboardContent

  /// Returns the bytes of a text that another program has dropped on the window.
  @MainActor func text(of drop: any DroppedText) async throws(TransferError) -> [UInt8]

  /// Runs `body` when the read in progress has been delivered; immediately if no read is in progress.
  @MainActor func afterRead(_ body: @escaping @Sendable () -> Void)

  /// Stops following the clipboard permanently, and cancels a transfer in progress.
  @MainActor func close()

  /// The limits of size and time for transfers that begin from now on.
  @MainActor var limits: TransferLimits { get set }
}

extension ClipboardSource {
  @MainActor func text(of drop: any DroppedText) async throws(TransferError) -> [UInt8] {
    try await drop.read(within: limits)
  }

  /// Reads the clipboard; if another program copies during the read, reads the new content instead.
  @MainActor func readNewest() async throws(TransferError) -> ClipboardContent {
    var attempts = 5
    while true {
      do throws(TransferError) {
        return try await readNow()
      } catch {
        attempts -= 1
        guard attempts > 0, error == .cancelled || error == .ownershipLost else { throw error }
      }
    }
  }
}

@MainActor
protocol DroppedText {
  func read(within limits: TransferLimits) async throws(TransferError) -> [UInt8]

  /// Reports to the other program that the drop has ended, and whether it was accepted. Call it exactly once.
  func finish(accepted: Bool)
}

/// A read of the clipboard whose request has not been sent yet; a copy from the history waits briefly for it.
///
/// A click on a row of an inactive window copies the row and activates the window, which then reads what was copied
/// before. If the row's text took the clipboard first, the earlier text would be lost, because only the selection owner
/// can deliver it.
final class PendingRead: Sendable {
  /// How long a copy from the history waits for a pending read to request its text.
  ///
  /// The read can request it once the other program has listed its formats, which usually takes a few milliseconds. A
  /// read in progress may delay this for longer.
  private let limit: Duration

  private struct State {
    var isPending = false
    /// Whether a copy stopped waiting and took the clipboard before the request was sent.
    var isMissed = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  init(limit: Duration = .milliseconds(200)) { self.limit = limit }

  var isPending: Bool { state.withLock(\.isPending) }

  func begin() { state.withLock { $0.isPending = true } }

  /// Marks the request as sent, or as no longer needed, and resumes the copies that wait for it.
  ///
  /// - Returns: Whether a copy took the clipboard before the request was sent.
  @discardableResult
  func end() -> Bool {
    let ended = state.withLock { state in
      defer { state = State() }
      return state
    }
    ended.waiters.forEach { $0.resume() }
    return ended.isMissed
  }

  /// Resumes the copies that wait, unless the request has just been sent.
  private func miss() {
    let waiters = state.withLock { state in
      guard state.isPending else { return [CheckedContinuation<Void, Never>]() }
      defer { state = State(isMissed: true) }
      return state.waiters
    }
    waiters.forEach { $0.resume() }
  }

  /// Grants or revokes a permit, and so starts or ends a pending read.
  ///
  /// - Returns: Whether the permit has changed.
  func follow(_ isFollowing: Bool, _ permit: ReadPermit) -> Bool {
    let before = permit.current
    if isFollowing { permit.grant() } else { permit.revoke() }
    guard permit.current != before else { return false }
    if isFollowing { begin() } else { end() }
    return true
  }

  /// Reads an offer, and returns what to deliver.
  nonisolated(nonsending) func delivery(
    under permit: ReadPermit,
    of read: nonisolated(nonsending) () async throws(TransferError) -> ClipboardContent
  ) async -> ClipboardDelivery {
    begin()
    do throws(TransferError) {
      let content = try await read()
      // The request for this text has ended its pending read, so a read that is pending now is that of a newer offer.
      if case .text = content, permit.current != nil { return .success(content) }
      if end(), content == .own { throw .ownershipLost }
      return .success(content)
    } catch {
      // If only this read was cancelled, stay pending until the next read sends its request.
      if error != .cancelled || permit.current == nil { end() }
      return .failure(error)
    }
  }

  /// Waits until the request has been sent, but at most for `limit`, because the user is waiting.
  @MainActor func wait() async {
    // After the timeout, the read is no longer pending, so the next copy does not wait for it again.
    let timeout = Timeout(after: limit, weakly(self) { $0.miss() })
    await withCheckedContinuation { waiter in
      let isPending = state.withLock {
        if $0.isPending { $0.waiters.append(waiter) }
        return $0.isPending
      }
      if !isPending { waiter.resume() }
    }
    timeout.cancel()
  }
}
