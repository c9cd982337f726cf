/// How far the transfer of a text may go.
public struct TransferLimits: Equatable, Sendable {
  /// The largest text, in bytes.
  public var bytes: Int
  /// The longest wait for the next answer, or the next piece of a long one.
  public var idleTimeout: Duration
  /// The longest time for all of it.
  public var total: Duration
  /// How much longer the transfer of an offer may go on once another one has replaced it.
  public var grace: Duration

  /// What holds unless the user has set something else.
  public init(
    bytes: Int = 64 << 20, idleTimeout: Duration = .seconds(3), total: Duration = .seconds(30),
    grace: Duration = .milliseconds(250)
  ) {
    self.bytes = bytes
    self.idleTimeout = idleTimeout
    self.total = total
    self.grace = grace
  }
}
