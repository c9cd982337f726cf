/// The limits of size and time for a transfer.
public struct TransferLimits: Equatable, Sendable {
  /// The largest text, in bytes.
  public var bytes: Int
  /// The longest wait for the next answer, or the next chunk of a long text.
  public var idleTimeout: Duration
  /// `idleTimeout` of a text that the user has pasted or dropped, and is waiting for.
  public var patience: Duration
  /// The longest duration of the whole transfer.
  public var total: Duration
  /// How long a transfer may continue after a new offer has replaced the offer that is being transferred.
  public var grace: Duration
  /// How long a copy of this program waits for a pending read to send its last request, because taking the clipboard
  /// discards the text that is read.
  ///
  /// The owner first lists its formats, and may then refuse some, which usually takes a few milliseconds. A read in
  /// progress may delay this for longer.
  public var copyDelay: Duration

  /// Creates limits; omitted limits have default values.
  public init(
    bytes: Int = 64 << 20, idleTimeout: Duration = .seconds(3), patience: Duration = .seconds(10),
    total: Duration = .seconds(30), grace: Duration = .milliseconds(250),
    copyDelay: Duration = .milliseconds(200)
  ) {
    self.bytes = bytes
    self.idleTimeout = idleTimeout
    self.patience = patience
    self.total = total
    self.grace = grace
    self.copyDelay = copyDelay
  }

  /// The limits of a text that the user has pasted or dropped.
  public var ofPaste: TransferLimits {
    var limits = self
    limits.idleTimeout = max(idleTimeout, patience)
    return limits
  }
}
