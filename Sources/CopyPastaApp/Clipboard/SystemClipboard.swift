import ClipHistory
import ClipboardCore
import GtkKit
import Synchronization

/// The desktop's clipboard, whatever the desktop is.
@MainActor
protocol SystemClipboard: AnyObject {
  /// Makes the source of what other programs copy, which delivers each read of an offer on its own thread.
  ///
  /// - Parameter deliver: returns when the next offer may be read.
  func makeSource(deliver: @escaping ClipboardDeliver) -> any ClipboardSource

  /// Sets the window that has to be active for the clipboard to be read, by its number on X11.
  func setReadingWindow(_ number: UInt32?)

  /// Puts a text on the clipboard, as plain text in every form that other programs ask for.
  ///
  /// A text of another program is read before, if that takes but a moment: afterwards that text is lost.
  /// - Throws: `ownershipLost` if another program has copied at the same moment; `unavailable`.
  func offer(_ text: ClipText) async throws(TransferError)

  /// The text that this program has on the clipboard; nil once another program has the clipboard, or the text.
  var offeredText: ClipText? { get }

  /// Told when this program's text is not on the clipboard any more.
  var offerLosses: Observers<Void> { get }

  /// The formats of texts that can be dropped on the window.
  var dropFormats: [String] { get }

  /// Hands a text of this program's over to a clipboard manager, if there is one; takes about a second at most.
  func handOver() async
}

extension SystemClipboard {
  /// Does nothing: on Wayland the compositor says in time which window is active.
  func setReadingWindow(_ number: UInt32?) {}

  var dropFormats: [String] { TextFormat.mimeTypes }

  /// Whether what is on the clipboard would go with this process.
  var isOffering: Bool { offeredText != nil }

  /// Does nothing: on Wayland the compositor keeps the text by itself, or the text is lost.
  func handOver() async {}
}

/// The end of a read of an offer: its content, or why there is none.
typealias ClipboardDelivery = Result<ClipboardContent, TransferError>

/// Takes a delivery, and returns when the next offer may be read.
typealias ClipboardDeliver = nonisolated(nonsending) @Sendable (ClipboardDelivery) async -> Void

/// Reads what other programs copy while that is allowed, and delivers it, one offer after the other.
protocol ClipboardSource: AnyObject, Sendable {
  /// Follows the clipboard from now on, or does not: once this has returned, no text is asked for.
  ///
  /// Each time that following begins, what is on the clipboard is an offer to read. A transfer that has begun goes on
  /// to its end, within its limits: some owners (xclip 0.13) serve no other program until it is over.
  ///
  /// What is delivered is the content of each offer, after a look at its formats alone, or why there is none:
  /// `cancelled` if there is a newer offer to read, or reading is not allowed any more; `ownershipLost` if a text of this
  /// program's is on the clipboard now, and what was there before cannot be had; `unavailable` if the desktop is out of
  /// reach, which ends the following.
  @MainActor func follow(_ isFollowing: Bool)

  /// Reads the present offer because the user asks for it now, which needs no permission.
  func readNow() async throws(TransferError) -> ClipboardContent

  /// The bytes of a text that another program has dropped on the window.
  @MainActor func text(of drop: any DroppedText) async throws(TransferError) -> [UInt8]

  /// Runs a body when the read of an offer that is under way has been delivered; immediately if none is.
  @MainActor func afterRead(_ body: @escaping @Sendable () -> Void)

  /// Ends following for good, in the middle of a transfer if need be.
  @MainActor func close()

  /// How far the transfers that begin from now on may go.
  @MainActor var limits: TransferLimits { get set }
}

extension ClipboardSource {
  @MainActor func text(of drop: any DroppedText) async throws(TransferError) -> [UInt8] {
    try await drop.read(within: limits)
  }
}

/// A text that another program has dropped on the window.
@MainActor
protocol DroppedText {
  /// The bytes of the text, which the other program sends.
  func read(within limits: TransferLimits) async throws(TransferError) -> [UInt8]

  /// Tells the other program that the drop is over, and whether it was taken; to be called once.
  func finish(accepted: Bool)
}

/// A question for the clipboard's text that is about to be asked.
///
/// A text can only be had from the clipboard's owner. So this program gives the question a moment before it takes the
/// clipboard: a click on a row also activates the window, which then reads what was copied before.
final class PendingRead: Sendable {
  /// How long a copy waits for the question: most programs say what they have in a few milliseconds.
  private static let patience = Duration.milliseconds(200)

  private struct State {
    var isPending = false
    /// Whether this program has taken the clipboard before the question was asked.
    var isMissed = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Notes that there is something to ask.
  func begin() { state.withLock { $0.isPending = true } }

  /// Notes that the question has been asked, or will not be.
  ///
  /// - Returns: whether this program has taken the clipboard before.
  @discardableResult
  func end() -> Bool {
    let ended = state.withLock { state in
      defer { state = State() }
      return state
    }
    ended.waiters.forEach { $0.resume() }
    return ended.isMissed
  }

  private func miss() {
    end()
    state.withLock { $0.isMissed = true }
  }

  /// Returns once the question has been asked, or after a moment: the user is waiting.
  @MainActor func wait() async {
    // A question that takes too long is not waited for twice.
    let timeout = Timeout(after: Self.patience, weakly(self) { $0.miss() })
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
