import TestSupport
import Testing

/// A clipboard owner with an unusual behaviour, and the expected outcome.
struct OwnerCase: Sendable, CustomTestStringConvertible {
  enum Outcome: Sendable {
    /// The text is not recorded, and a message says why.
    case refused
    /// The text is not recorded, and no message is shown.
    case ignored
    /// This text is recorded.
    case recorded(String)
  }

  let kind: VirtualDesktop.Kind
  /// The name of a class in the owners' script.
  let behaviour: String
  let outcome: Outcome

  var testDescription: String { "\(behaviour) on \(kind)" }

  private static let pieces = String(repeating: "abc", count: 5000)

  private static func all(
    _ kind: VirtualDesktop.Kind, refused: [String], ignored: [String], recorded: [(String, String)]
  ) -> [OwnerCase] {
    refused.map { OwnerCase(kind: kind, behaviour: $0, outcome: .refused) }
      + ignored.map { OwnerCase(kind: kind, behaviour: $0, outcome: .ignored) }
      + recorded.map { OwnerCase(kind: kind, behaviour: $0, outcome: .recorded($1)) }
  }

  /// Every way in which an owner can fail on X11.
  static let x11 = all(
    .x11,
    refused: [
      "Mute", "NoAnswer", "DieOnTargets", "Die", "IncrStall", "IncrDie", "Refuse", "EmptyPromise", "Invalid",
      "Nul", "HintUnanswered",
    ],
    ignored: ["IncrEmpty", "HintRefused", "HintEmpty", "SecretBeforeText", "SecretAfterTargets"],
    recorded: [("IncrZero", pieces), ("IncrLie", pieces), ("NulsAtEnd", "the owner's text")])

  /// Every way in which an owner can fail on Wayland.
  static let wayland = all(
    .wayland,
    refused: [
      "NoAnswer", "Die", "DieMidway", "DieMidwayOfMuch", "CloseAndDie", "Stall", "Invalid", "Nul",
      "HintUnanswered",
    ],
    ignored: ["Nothing", "HintRefused", "HintEmpty", "SecretAfterHint"],
    recorded: [("NulsAtEnd", "the owner's text")])

  /// Cases in which the window can lose the focus at each step of a transfer: formats, password hint, first chunk,
  /// later chunk and end.
  static let interrupted = (x11 + wayland).filter {
    [
      "Mute", "NoAnswer", "IncrStall", "IncrDie", "IncrZero", "NulsAtEnd", "HintUnanswered", "HintRefused",
      "SecretAfterTargets", "DieMidwayOfMuch", "Stall", "SecretAfterHint",
    ].contains($0.behaviour)
  }

  /// Owners that are slow and will be replaced before they finish.
  static let slow =
    all(.x11, refused: [], ignored: ["Mute", "NoAnswer", "IncrStall", "IncrDrip"], recorded: [])
    + all(.wayland, refused: [], ignored: ["NoAnswer", "Stall", "Drip"], recorded: [])
}
