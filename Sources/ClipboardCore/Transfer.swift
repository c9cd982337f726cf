import Synchronization

/// The content of an offer on the clipboard.
public enum ClipboardContent: Equatable, Sendable {
  /// The offer's text, byte for byte as the owner sent it: valid UTF-8 or not, with NULs or without, possibly empty.
  case text([UInt8])
  /// Nobody offers anything, or only pictures, files and the like.
  case noText
  /// A text that a password manager asks not to record; the text was not asked for.
  case secret
  /// This program's own offer; nothing was asked for.
  case own
}

/// Why there is no text though one was offered, or why a text could not be offered.
///
/// No error carries a byte of what was read.
public enum TransferError: Error, Equatable, Sendable {
  /// The owner did not answer, or stopped in between.
  case timedOut
  /// The owner ended in between.
  case ownerGone
  /// The owner offered text and would not give it, or gave something that is no text.
  case refused
  /// The text is larger than the limit, in bytes.
  case tooLarge(limit: Int)
  /// The read was given up because another offer took its place, or because nobody wants it any more: no error for the
  /// user.
  case cancelled
  /// Another copy was made at the same moment: by the user, out of the history, before this text could be asked for; or
  /// by another program, before the text that was to be offered was on the clipboard.
  case ownershipLost
  /// The desktop is out of reach, or does not allow the transfer.
  case unavailable
}

/// How far the transfer of a text may go.
public struct TransferLimits: Equatable, Sendable {
  /// The largest text, in bytes.
  public var bytes: Int
  /// The longest wait for the next answer, or the next piece of a long one.
  public var idleTimeout: Duration
  /// The longest time for all of it.
  public var total: Duration
  /// How much longer the transfer of an offer may go on once another offer has replaced it.
  public var grace: Duration

  /// The limits unless the user has set others.
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

/// The names under which programs offer and ask for plain text, the preferred ones first.
///
/// `TEXT` comes last: its owner chooses the encoding, which may be one that we do not know (COMPOUND_TEXT), while
/// `STRING` is always ISO 8859-1.
public enum TextFormat: String, CaseIterable, Sendable {
  case utf8String = "UTF8_STRING"
  case plainUTF8 = "text/plain;charset=utf-8"
  case plainUpperUTF8 = "text/plain;charset=UTF-8"
  case plain = "text/plain"
  case string = "STRING"
  case text = "TEXT"

  /// All names, in order of preference.
  public static let names = allCases.map(\.rawValue)

  /// The names that are MIME types.
  ///
  /// On Wayland only these are offered: GDK would list another one, and leave whoever asks for it waiting for ever.
  public static let mimeTypes = names.filter { $0.contains("/") }
}

/// The format that a password manager lists beside a text that nobody should keep.
///
/// The format means that only with the value `secret`: xclip, told to offer it, gives its text for it.
public enum SecretHint {
  /// The format's name.
  public static let name = "x-kde-passwordManagerHint"

  /// The longest value that is read, in bytes; a longer one is no secret's.
  public static let longestValue = 4096

  /// Whether a value marks a secret.
  ///
  /// A program that lists the format and keeps the value to itself is taken at its word: nil, for a refusal, and an
  /// empty value mean a secret.
  public static func isSecretHint(_ value: [UInt8]?) -> Bool {
    guard let value, let end = value.lastIndex(where: { $0 != 0 && $0 != UInt8(ascii: "\n") }) else {
      return true
    }
    return value[...end].elementsEqual("secret".utf8)
  }
}

/// Whether the clipboard may be read, known on every thread at the moment it changes.
///
/// Once `revoke()` has returned, no question is on its way that was asked through `ask`.
public final class ReadPermit: Sendable {
  private struct State {
    var isGranted = false
    var grants = 0
  }

  private let state = Mutex(State())

  /// Nothing may be read until it is granted.
  public init() {}

  /// Allows reading; each time counts as a reason to look at what is on the clipboard.
  public func grant() {
    state.withLock {
      if !$0.isGranted { $0.grants += 1 }
      $0.isGranted = true
    }
  }

  /// Forbids reading from now on.
  public func revoke() { state.withLock { $0.isGranted = false } }

  /// The number of the grant that holds; nil if none does.
  ///
  /// While it stays the same, reading was allowed without a break.
  public var current: Int? { state.withLock { $0.isGranted ? $0.grants : nil } }

  /// Asks a question if reading is allowed; the permit cannot be revoked meanwhile.
  ///
  /// - Returns: false if the question was not asked.
  public func ask(_ question: () -> Void) -> Bool {
    state.withLock {
      if $0.isGranted { question() }
      return $0.isGranted
    }
  }
}
