import ClipHistory

/// The desktop's clipboard, whatever the desktop is.
///
/// The transfer of its text has limits in size and in time.
@MainActor
protocol SystemClipboard: AnyObject {
  /// Calls once for each new offer, by whomever.
  func onNewOffer(_ body: @escaping @MainActor () -> Void)

  /// What is offered now: its text where it has one, after a look at the formats alone.
  ///
  /// Cancelling the task ends the transfer.
  func read(within limits: TransferLimits) async throws(TransferError) -> ClipboardContent

  /// Puts a text on the clipboard, as plain text in every form that other programs ask for.
  func offer(_ text: ClipText) async throws(TransferError)

  /// The text that this program has on the clipboard; nil once another one has taken it over.
  var offeredText: ClipText? { get }

  /// Whether what is on the clipboard would go with this process.
  var isOffering: Bool { get }

  /// Calls when another program has taken the clipboard over.
  func onOfferLost(_ body: @escaping @MainActor () -> Void)

  /// Lets a text of this program's outlast it, where the desktop has somebody who keeps it; takes about a second at
  /// most.
  func handOver() async
}

extension SystemClipboard {
  /// On Wayland nobody can be asked: the compositor keeps the text by itself, or it is lost.
  func handOver() async {}
}

/// What an offer turned out to be.
enum ClipboardContent: Equatable, Sendable {
  /// Its text, as the owner sent it: not judged yet.
  case text([UInt8])
  /// Nobody offers anything, or only pictures, files and the like.
  case noText
  /// A password manager asks that it is not recorded. Its text was not asked for.
  case secret
  /// This program's own.
  case own
}

/// How far a transfer may go.
struct TransferLimits: Equatable, Sendable {
  /// The largest text, in bytes.
  var bytes = 64 << 20
  /// The longest wait for the next piece.
  var silence = Duration.seconds(3)
  /// The longest time for all of it.
  var total = Duration.seconds(30)
}

/// Why there is no text though one was offered.
enum TransferError: Error, Equatable, Sendable {
  /// The owner did not answer, or stopped in between.
  case timedOut
  /// The owner ended in between.
  case ownerGone
  /// The owner offered text and would not give it.
  case refused
  /// The text is larger than the limit, in bytes.
  case tooLarge(limit: Int)
  /// The task was cancelled: not an error to speak of.
  case cancelled
  /// The desktop is out of reach, or does not allow it.
  case unavailable
}
