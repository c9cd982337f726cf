import Synchronization

/// The content of an offer on the clipboard.
public enum ClipboardContent: Equatable, Sendable {
  /// The offered text, byte for byte as the source application sent it. It may be empty, contain NULs, or be invalid
  /// UTF-8.
  case text([UInt8])
  /// The clipboard is empty, or holds only pictures, files and the like.
  case noText
  /// A text that a password manager asks programs not to record; the text itself was not requested.
  case secret
  /// This program's own offer; its text was not requested.
  case own
}

/// Why an offered text could not be read, or a text could not be offered.
///
/// Errors contain no part of the text.
public enum TransferError: Error, Equatable, Sendable {
  /// The source application did not answer, or stalled.
  case timedOut
  /// The source application exited, or gave up the clipboard, during the transfer.
  case ownerGone
  /// The source application offered text but refused to send it, or sent data of a different type.
  case refused
  /// The text is larger than `limit` bytes.
  case tooLarge(limit: Int)
  /// The read was cancelled.
  ///
  /// A newer offer has replaced the offer, or the result has become unnecessary. Users need not see this error.
  case cancelled
  /// Another owner took the clipboard first.
  ///
  /// During a read, the user copied from the history, and the earlier text can no longer be read. During an offer,
  /// another program copied before our text was on the clipboard.
  case ownershipLost
  /// The desktop cannot be reached, or does not permit the transfer.
  case unavailable
}

/// The limits of size and time for a transfer.
public struct TransferLimits: Equatable, Sendable {
  /// The largest text, in bytes.
  public var bytes: Int
  /// The longest wait for the next answer, or the next chunk of a long text.
  public var idleTimeout: Duration
  /// The longest duration of the whole transfer.
  public var total: Duration
  /// How long a transfer may continue after a new offer has replaced the offer that is being transferred.
  public var grace: Duration

  /// Creates limits; omitted limits have default values.
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

/// The formats for plain text that programs offer and request, in order of preference.
///
/// `TEXT` comes last, because the owner chooses its encoding, which may be one that we do not support (COMPOUND_TEXT).
/// `STRING` is always ISO 8859-1.
public enum TextFormat: String, CaseIterable, Sendable {
  case utf8String = "UTF8_STRING"
  case plainUTF8 = "text/plain;charset=utf-8"
  case plainUpperUTF8 = "text/plain;charset=UTF-8"
  case plain = "text/plain"
  case string = "STRING"
  case text = "TEXT"

  /// All formats, in order of preference.
  public static let names = allCases.map(\.rawValue)

  /// The formats that are MIME types.
  ///
  /// On Wayland, offer only these: GDK would list other formats, but never answer a request for them.
  public static let mimeTypes = names.filter { $0.contains("/") }
}

/// The format that a password manager lists next to a text that should not be recorded.
///
/// Check the format's value: a user of xclip can also offer a format with this name, whose value is then the copied
/// text.
public enum SecretHint {
  /// The name of the format.
  public static let name = "x-kde-passwordManagerHint"

  /// How many bytes of the value to read; a longer value does not mark a secret.
  public static let longestValue = 4096

  /// Whether `value` marks a secret.
  ///
  /// If a program lists the format but refuses the value (nil) or sends an empty one, assume a secret.
  public static func isSecretHint(_ value: [UInt8]?) -> Bool {
    guard let value, let end = value.lastIndex(where: { $0 != 0 && $0 != UInt8(ascii: "\n") }) else {
      return true
    }
    return value[...end].elementsEqual("secret".utf8)
  }
}

/// Whether the clipboard may be read; safe to use from any thread.
///
/// After `revoke()` returns, no request is sent through `request` until the next grant.
public final class ReadPermit: Sendable {
  private struct State {
    var isGranted = false
    var grants = 0
  }

  private let state = Mutex(State())

  /// Creates a permit that is not granted.
  public init() {}

  /// Allows reading, including the content that is on the clipboard at the moment of the grant.
  public func grant() {
    state.withLock {
      if !$0.isGranted { $0.grants += 1 }
      $0.isGranted = true
    }
  }

  /// Forbids reading from now on.
  public func revoke() { state.withLock { $0.isGranted = false } }

  /// The number of the current grant; nil while reading is forbidden.
  ///
  /// If two numbers are equal, the permit was not revoked in between.
  public var current: Int? { state.withLock { $0.isGranted ? $0.grants : nil } }

  /// Calls `send` if reading is allowed; `revoke()` waits until `send` has returned.
  ///
  /// - Returns: whether `send` was called.
  public func request(_ send: () -> Void) -> Bool {
    state.withLock {
      if $0.isGranted { send() }
      return $0.isGranted
    }
  }
}
