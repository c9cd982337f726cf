import ClipHistory
import ClipboardCore
import GtkKit

/// The desktop's clipboard: `X11Clipboard` on X11, `GdkClipboard` on Wayland.
///
/// Every read takes the same steps: permission, formats, the hint for secrets, and then one form after the other until
/// one is served. The permission is checked again before each request.
@MainActor
protocol SystemClipboard: AnyObject {
  // MARK: - Reading

  /// Starts or stops following the clipboard. After `follow(false)` has returned, no text is requested.
  ///
  /// After each start, the current content of the clipboard counts as an offer to read. A transfer that has begun
  /// continues after a stop, within its limits, because some owners (xclip 0.13) serve no other program until it has
  /// ended.
  func follow(_ isFollowing: Bool)

  /// Called with the outcome of each followed read and the number of its offer, in order.
  ///
  /// Each offer is delivered as its content or as an error, such as:
  /// - `cancelled`: a newer offer has to be read instead, or reading is not allowed any more.
  /// - `ownershipLost`: this program has taken the clipboard, so the previous text cannot be read any more.
  /// - `unavailable`: the desktop cannot be reached.
  var deliver: @MainActor (ClipboardDelivery, _ offer: Int) -> Void { get set }

  /// Calls `body` once the followed read in progress is delivered; soon if there is none.
  func afterRead(_ body: @escaping @MainActor () -> Void)

  /// The number of the offer on the clipboard: the number of changes of its owner that were noticed.
  var offer: Int { get }

  /// Reads the offer with this number, which the user pasted, whether the clipboard is followed or not.
  ///
  /// - Throws: `cancelled` if another offer has replaced it, or if the permit was revoked or the window lost the focus
  ///   before a request.
  func read(pasted offer: Int, under permit: ReadPermit) async throws(TransferError) -> ClipboardContent

  /// Reads a text that the user dropped on the window; holds up no other read.
  ///
  /// - Throws: as for a paste, but the window need not have the focus.
  func read(_ drop: any DroppedText, under permit: ReadPermit) async throws(TransferError) -> ClipboardContent

  /// Ends the reads that wait for an answer, and whose permit was revoked.
  func endRevokedReads()

  /// Ends followed reads from now on unless their text has begun to arrive, because the program ends.
  func endUnansweredReads()

  /// Stops following the clipboard permanently, and cancels a transfer in progress.
  func close()

  /// The limits of size and time for transfers that begin from now on.
  var limits: TransferLimits { get set }

  /// Sets the X11 id of the window that must have the focus for the clipboard to be read.
  func setReadingWindow(_ number: UInt32?)

  /// The text formats that the window accepts in a drop.
  var dropFormats: [String] { get }

  // MARK: - Offering

  /// Notifies when another program takes the clipboard (true) or empties it (false), so far as this is noticed.
  var changes: Observers<Bool> { get }

  /// Notices the next change of the clipboard's owner even if the clipboard is not followed by then.
  ///
  /// - Returns: Whether the desktop permits this.
  func watchNextChange() -> Bool

  /// The text that this program offers on the clipboard; nil once another program owns the clipboard.
  var ownOffer: OwnOffer? { get set }

  /// Puts a text on the clipboard, as plain text in every format that other programs request.
  ///
  /// First waits briefly for a pending read, because taking the clipboard discards its current text.
  ///
  /// - Throws: `ownershipLost` if another program has copied since the press; `unavailable` if the desktop cannot be
  ///   reached, or would refuse the text.
  func setText(_ offer: OwnOffer, _ press: CopyPress) async throws(TransferError)

  /// Whether the desktop would refuse an offer until the user presses a key or a button, or touches a window.
  var needsPress: Bool { get }

  /// Call this for each press in a window, with the desktop's time of the press.
  func notePress(at time: UInt32)

  /// Returns the press that asks for a copy now; each press asks for one copy.
  func takePress() -> CopyPress

  /// Hands this program's text over to a clipboard manager, if one runs; takes at most 0.9 s.
  func handOver() async
}

/// A text that this program puts on the clipboard.
struct OwnOffer: Sendable {
  /// The number of the copy.
  let number: Int
  let text: ClipText
  /// The clip whose whole text it is, if there is one.
  var clip: Clip.ID?
}

/// What is known to be on the clipboard.
enum ClipboardState: Equatable {
  /// The text of this clip, which this program offers.
  case item(Clip.ID)
  /// A text that was skipped, because a password manager marked it as secret.
  case secret
  case unknown

  var clip: Clip.ID? { if case .item(let clip) = self { clip } else { nil } }
}

/// When the user asked for a copy: a copy does not replace what another program has copied since.
struct CopyPress: Sendable {
  /// On X11 the server's time, or 0 without a press, as from a screen reader; on Wayland the number of copies in other
  /// programs that came before.
  let moment: UInt32
}

extension SystemClipboard {
  /// Does nothing, because on Wayland the compositor itself reports which window has the focus.
  func setReadingWindow(_ number: UInt32?) {}

  /// Returns false, because on Wayland only the window with the focus is notified.
  func watchNextChange() -> Bool { false }

  /// False, because on X11 every program may take the clipboard.
  var needsPress: Bool { false }

  var dropFormats: [String] { TextFormat.mimeTypes }

  /// Whether this process offers the clipboard's text, which is lost when the process ends unless it is handed over.
  var isOffering: Bool { ownOffer != nil }

  /// Does nothing, because on Wayland a text cannot be handed over: either the compositor keeps it, or it is lost.
  func handOver() async {}
}

/// The outcome of a read: the offer's content, or why it could not be read.
typealias ClipboardDelivery = Result<ClipboardContent, TransferError>

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
