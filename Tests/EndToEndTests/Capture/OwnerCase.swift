import TestSupport
import Testing

/// A selection owner that does something in its own way, and what the user is to see of that.
struct OwnerCase: Sendable, CustomTestStringConvertible {
  enum Outcome: Sendable {
    /// Not recorded, with a notice in which this stands.
    case refused(String)
    /// Not recorded, without a notice.
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

  /// Two of each outcome on X11.
  static let x11 = on(
    .x11,
    [
      ("NoAnswer", late), ("Die", gone), ("Refuse", refused), ("Invalid", invalid), ("HintUnanswered", late),
      ("Nul", nul), ("EmptyPromise", refused), ("IncrDie", gone), ("HintRefused", .ignored),
      ("SecretBeforeText", .ignored), ("SecretAfterTargets", .ignored), ("IncrEmpty", .ignored),
      ("IncrLie", pieces), ("NulsAtEnd", text),
    ])

  /// Every way to fail that an owner on Wayland has.
  static let wayland = on(
    .wayland,
    [
      ("NoAnswer", late), ("Die", gone), ("Invalid", invalid), ("DieMidway", gone), ("Stall", late),
      ("DieMidwayOfMuch", gone), ("Nul", nul), ("CloseAndDie", gone), ("HintUnanswered", late),
      ("Nothing", .ignored), ("HintRefused", .ignored), ("HintEmpty", .ignored),
      ("SecretAfterHint", .ignored), ("NulsAtEnd", text),
    ])

  /// Those with which the focus can go in each step of a transfer: at the formats, the hint, the first chunk of a text, the
  /// next one, and the last.
  static let interruptedOnX11 = on(
    .x11,
    [
      ("Mute", late), ("NoAnswer", late), ("IncrStall", late), ("IncrDie", gone), ("IncrZero", pieces),
      ("NulsAtEnd", text), ("HintUnanswered", late), ("HintRefused", .ignored),
      ("SecretAfterTargets", .ignored),
    ])
  static let interruptedOnWayland = on(
    .wayland,
    [
      ("NoAnswer", late), ("DieMidwayOfMuch", gone), ("Stall", late), ("NulsAtEnd", text),
      ("HintUnanswered", late), ("HintRefused", .ignored), ("SecretAfterHint", .ignored),
    ])

  /// Those that would take some time, and are to be replaced before.
  static let slowOnX11 = on(
    .x11, ["Mute", "NoAnswer", "IncrStall", "IncrDrip"].map { ($0, .ignored) })
  static let slowOnWayland = on(.wayland, ["NoAnswer", "Stall", "Drip"].map { ($0, .ignored) })

  private static func on(_ kind: VirtualDesktop.Kind, _ cases: [(String, Outcome)]) -> [OwnerCase] {
    cases.map { OwnerCase(kind: kind, behaviour: $0, outcome: $1) }
  }
}
