import ClipHistory
import ClipboardCore
import GtkKit

/// The desktop's clipboard: `X11Clipboard` on X11, `GdkClipboard` on Wayland.
@MainActor
protocol SystemClipboard: AnyObject {
  /// Makes the source that reads what other programs copy.
  ///
  /// - Parameters:
  ///   - deliver: Called with the outcome of each followed read, on the source's thread: the main thread on Wayland, a
  ///     thread of its own on X11. The source reads the next offer after `deliver` has returned.
  ///   - ownerChanged: Called on any thread when another program takes or empties the clipboard, while it is followed
  ///     or read.
  func makeSource(
    deliver: @escaping ClipboardDeliver, ownerChanged: @escaping @Sendable () -> Void
  ) -> any ClipboardSource

  /// Sets the X11 id of the window that must have the focus for the clipboard to be read.
  func setReadingWindow(_ number: UInt32?)

  /// Puts a text on the clipboard, as plain text in every format that other programs request; call `offer` instead.
  ///
  /// First waits briefly for a pending read, because taking the clipboard discards its current text.
  ///
  /// - Throws: `ownershipLost` if another program copied at the same moment; `unavailable` if the X server cannot be
  ///   reached.
  func setText(_ text: ClipText) async throws(TransferError)

  /// The followed read that a copy waits for.
  var pendingRead: PendingRead { get }

  /// The texts that this program has put on the clipboard.
  var ownCopies: OwnCopies { get }

  /// The text that this program offers on the clipboard; nil once another program owns the clipboard.
  var offeredText: ClipText? { get }

  /// Whether the desktop would refuse an offer until the user presses a key or a button, or touches a window.
  var needsPress: Bool { get }

  /// Call this for each press in the window.
  func notePress()

  /// Notifies when the clipboard no longer holds the text that this program offered.
  var offerLosses: Observers<Void> { get }

  /// The text formats that the window accepts in a drop.
  var dropFormats: [String] { get }

  /// Hands this program's text over to a clipboard manager, if one runs; takes at most 0.9 s.
  func handOver() async
}

extension SystemClipboard {
  /// Puts a text of this program on the clipboard, and remembers that it is not to be recorded; see `setText`.
  ///
  /// - Parameter id: The clip whose whole text it is; nil for any other text.
  func offer(_ text: ClipText, of id: Clip.ID? = nil) async throws(TransferError) {
    // Remember it first, because a clipboard manager may immediately take it over and offer it again.
    let copy = ownCopies.add(text, of: id)
    do throws(TransferError) {
      try await setText(text)
    } catch {
      ownCopies.forget(copy)
      throw error
    }
    ownCopies.additions.notify(copy)
  }

  /// Does nothing, because on Wayland the compositor itself reports which window has the focus.
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

/// Handles a delivery and the number of its offer, and returns when the next offer may be read.
typealias ClipboardDeliver = nonisolated(nonsending) @Sendable (ClipboardDelivery, _ offer: Int) async -> Void

/// Reads the offers of other programs: each copy in turn while this is allowed, and what the user pastes or drops.
///
/// Every read takes the same steps: permission, formats, the hint for secrets, and then one form after the other until
/// one is served. The permission is checked again before each request.
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

  /// The number of the offer on the clipboard: the number of changes of its owner that the source has seen.
  @MainActor var offer: Int { get }

  /// Reads the offer with this number, which the user pasted, whether the source follows the clipboard or not.
  ///
  /// - Throws: `cancelled` if another offer has replaced it, or if the permit was revoked or the window lost the focus
  ///   before a request.
  func read(pasted offer: Int, under permit: ReadPermit) async throws(TransferError) -> ClipboardContent

  /// Reads a text that the user dropped on the window; holds up no other read.
  ///
  /// - Throws: as for a paste, but the window need not have the focus.
  @MainActor func read(
    _ drop: any DroppedText, under permit: ReadPermit
  ) async throws(TransferError) -> ClipboardContent

  /// Stops following the clipboard permanently, and cancels a transfer in progress.
  @MainActor func close()

  /// The limits of size and time for transfers that begin from now on.
  @MainActor var limits: TransferLimits { get set }
}

/// A text that another program has dropped on the window.
@MainActor
protocol DroppedText: AnyObject {
  /// The formats that GDK lists; on X11 only MIME types.
  var formats: [String] { get }

  /// The X server's time of the drop.
  var time: UInt32 { get }

  /// Requests a format; `prepare` is called immediately before the request, and prevents it by an error.
  func read(_ format: String, prepare: @MainActor () throws -> Void) async throws -> InputStream

  /// Reports to the other program that the drop has ended, and whether it was accepted. Call it exactly once.
  func finish(accepted: Bool)
}

extension Drop: DroppedText {}
