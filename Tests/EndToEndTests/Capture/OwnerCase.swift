import TestSupport
import Testing

/// A selection owner on Wayland with an unusual behaviour, and the expected outcome.
struct OwnerCase: Sendable, CustomTestStringConvertible {
  enum Outcome: Sendable {
    /// The text is not recorded, and a notice contains this message.
    case refused(String)
    /// The text is not recorded, and no notice is shown.
    case ignored
    /// This text is recorded.
    case recorded(String)
  }

  /// The name of a class in the owners' script.
  let behaviour: String
  let outcome: Outcome

  var testDescription: String { behaviour }

  private static let unread = Outcome.refused("Couldn’t read the copied text")
  private static let invalid = Outcome.refused("not plain text")
  private static let text = Outcome.recorded("the owner's text")

  /// Every way in which an owner can fail, and slow owners that are replaced before they finish.
  static let all = cases([
    ("NoAnswer", unread), ("Die", unread), ("Invalid", invalid), ("DieMidway", unread), ("Stall", unread),
    ("DieMidwayOfMuch", unread), ("Nul", invalid), ("HintUnanswered", unread),
    ("Nothing", .ignored), ("HintRefused", .ignored),
    ("Forms:UTF8_STRING=empty,text/plain;charset=utf-8=served", text),
    ("Forms:text/plain;charset=utf-8=mute,text/plain=served", text),
    ("SecretAfterHint", .ignored), ("NulsAtEnd", text), ("NoAnswer", .ignored), ("Stall", .ignored),
    ("Drip", .ignored),
  ])

  /// Cases in which the window can lose the focus at each step of a transfer: formats, password hint, first chunk,
  /// later chunk and end.
  static let interrupted = cases([
    ("NoAnswer", unread), ("DieMidwayOfMuch", unread), ("Stall", unread), ("NulsAtEnd", text),
    ("HintUnanswered", unread), ("HintRefused", .ignored), ("SecretAfterHint", .ignored),
  ])

  private static func cases(_ cases: [(String, Outcome)]) -> [OwnerCase] {
    cases.map { OwnerCase(behaviour: $0, outcome: $1) }
  }
}
