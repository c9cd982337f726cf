import TestSupport
import Testing

/// A selection owner with an unusual behaviour, and the expected outcome.
struct OwnerCase: Sendable, CustomTestStringConvertible {
  enum Outcome: Sendable {
    /// The text is not recorded, and a notice contains this message.
    case refused(String)
    /// The text is not recorded, and no notice is shown.
    case ignored
    /// This text is recorded.
    case recorded(String)
  }

  let kind: VirtualDesktop.Kind
  /// The name of a class in the owners' script.
  let behaviour: String
  let outcome: Outcome

  var testDescription: String { "\(behaviour) on \(kind)" }

  private static let late = Outcome.refused("took too long")
  private static let gone = Outcome.refused("closed too soon")
  private static let refused = Outcome.refused("did not hand it over")
  private static let invalid = Outcome.refused("damaged (not UTF-8)")
  private static let nul = Outcome.refused("contains a NUL")
  private static let pieces = Outcome.recorded(String(repeating: "abc", count: 5000))
  private static let text = Outcome.recorded("the owner's text")

  /// Some owners on X11; `ReaderTests` and `OwnerChangeTests` have them all.
  static let x11 = on(.x11, [("Refuse", refused), ("IncrDie", gone), ("IncrLie", pieces)])

  /// Every way in which an owner can fail on Wayland.
  static let wayland = on(
    .wayland,
    [
      ("NoAnswer", late), ("Die", gone), ("Invalid", invalid), ("DieMidway", gone), ("Stall", late),
      ("DieMidwayOfMuch", gone), ("Nul", nul), ("CloseAndDie", gone), ("HintUnanswered", late),
      ("Nothing", .ignored), ("HintRefused", .ignored), ("HintEmpty", .ignored),
      ("Forms:UTF8_STRING=empty,text/plain;charset=utf-8=served", text),
      ("Forms:text/plain;charset=utf-8=mute,text/plain=served", text),
      ("SecretAfterHint", .ignored), ("NulsAtEnd", text),
    ])

  /// Cases in which the window can lose the focus at each step of a transfer: formats, password hint, first chunk,
  /// later chunk and end.
  static let interrupted = on(
    .wayland,
    [
      ("NoAnswer", late), ("DieMidwayOfMuch", gone), ("Stall", late), ("NulsAtEnd", text),
      ("HintUnanswered", late), ("HintRefused", .ignored), ("SecretAfterHint", .ignored),
    ])

  /// Owners that are slow and will be replaced before they finish.
  static let slow = on(.wayland, ["NoAnswer", "Stall", "Drip"].map { ($0, .ignored) })

  private static func on(_ kind: VirtualDesktop.Kind, _ cases: [(String, Outcome)]) -> [OwnerCase] {
    cases.map { OwnerCase(kind: kind, behaviour: $0, outcome: $1) }
  }
}
