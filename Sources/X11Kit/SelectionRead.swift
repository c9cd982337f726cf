import ClipboardCore

/// One read of a selection: why it is made, and the conditions under which it may send requests.
public struct SelectionRead: Sendable {
  /// Why the text is read.
  public enum Reason: Equatable, Sendable {
    /// The window follows the clipboard.
    case followed
    /// The user pasted.
    case pasted
    /// The user dropped the dragged content, at this server time.
    case dropped(at: UInt32)
  }

  /// Why the text is read.
  public var reason: Reason
  /// Must be granted at each request.
  public var permit: ReadPermit
  /// The window that must have the server's focus at each request; nil if none has to.
  ///
  /// The server is asked, because GTK considers a window active while one of its menus has grabbed the keyboard, even
  /// if another program has the focus.
  public var activeWindow: UInt32?
  /// The limits of size and time.
  public var limits: TransferLimits
  /// The window of the caller's own offer, which is not read; evaluated each time it is needed.
  public var ownWindow: @Sendable () -> UInt32? = { nil }
  /// Whether the offer on the clipboard is still the one that is meant; evaluated before each request, once all earlier
  /// changes of the owner were reported.
  public var isCurrentOffer: @Sendable () -> Bool = { true }
  /// Called when no further request for the text is expected, unless another program has taken the clipboard.
  ///
  /// The owner has then begun to send the text, or the last form is requested.
  public var asked: @Sendable () -> Void = {}

  /// How far a read has come.
  public enum Progress: Sendable {
    /// The owner's formats and the hint are being read.
    case examining
    case requested
    /// The owner has begun to send the text.
    case begun
  }

  /// Whether to continue to wait for the owner; evaluated before each wait, and at `SelectionReader.endUnwantedRead()`.
  public var isWanted: @Sendable (Progress) -> Bool = { _ in true }

  /// Creates a read; set the other properties afterwards.
  public init(
    _ reason: Reason, under permit: ReadPermit, activeWindow: UInt32? = nil, within limits: TransferLimits
  ) {
    self.reason = reason
    self.permit = permit
    self.activeWindow = activeWindow
    self.limits = limits
  }

  /// The server time at which a dragged content was dropped; nil for the clipboard.
  var dropTime: UInt32? { if case .dropped(let time) = reason { time } else { nil } }
}
