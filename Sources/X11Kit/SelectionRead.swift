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
  /// The number of the offer that must be on the clipboard at each request; nil for any.
  public var offer: Int?
  /// The limits of size and time.
  public var limits: TransferLimits

  /// Creates a read; set the other properties afterwards.
  public init(
    _ reason: Reason, under permit: ReadPermit, activeWindow: UInt32? = nil, within limits: TransferLimits
  ) {
    self.reason = reason
    self.permit = permit
    self.activeWindow = activeWindow
    self.limits = limits
  }
}
