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

  /// Creates limits; omitted limits have default values.
  public init(
    bytes: Int = 64 << 20, idleTimeout: Duration = .seconds(3), patience: Duration = .seconds(10),
    total: Duration = .seconds(30), grace: Duration = .milliseconds(250)
  ) {
    self.bytes = bytes
    self.idleTimeout = idleTimeout
    self.patience = patience
    self.total = total
    self.grace = grace
  }
  /// The limits of a text that the user has pasted or dropped.
  public var ofPaste: TransferLimits {
    var limits = self
    limits.idleTimeout = max(idleTimeout, patience)
    return limits
  }
}
