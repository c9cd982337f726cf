import TestSupport
import Testing

/// An owner of the clipboard that does something in its own way, and what the user is to see of that.
struct OwnerCase: Sendable, CustomTestStringConvertible {
  enum Outcome: Sendable {
    /// Not recorded, and a line in the window says why.
    case refused
    /// Not recorded, and nothing is said.
    case ignored
    /// Recorded as this text.
    case recorded(String)
  }

  let kind: VirtualDesktop.Kind
  /// A class of the owners' script.
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

  /// Every way to fail that an owner on X11 has.
  static let x11 = all(
    .x11,
    refused: [
      "Mute", "NoAnswer", "DieOnTargets", "Die", "IncrStall", "IncrDie", "Refuse", "EmptyPromise", "Invalid",
      "Nul", "HintUnanswered",
    ],
    ignored: ["IncrEmpty", "HintRefused", "HintEmpty", "SecretBeforeText", "SecretAfterTargets"],
    recorded: [("IncrZero", pieces), ("IncrLie", pieces), ("NulsAtEnd", "the owner's text")])

  /// Every way to fail that an owner on Wayland has.
  static let wayland = all(
    .wayland,
    refused: [
      "NoAnswer", "Die", "DieMidway", "DieMidwayOfMuch", "CloseAndDie", "Stall", "Invalid", "Nul",
      "HintUnanswered",
    ],
    ignored: ["Nothing", "HintRefused", "HintEmpty", "SecretAfterHint"],
    recorded: [("NulsAtEnd", "the owner's text")])

  /// Those with which the focus can go in each step of a transfer: at the formats, the mark of a secret, the first
  /// piece of a text, the next one, and the last.
  static let interrupted = (x11 + wayland).filter {
    [
      "Mute", "NoAnswer", "IncrStall", "IncrDie", "IncrZero", "NulsAtEnd", "HintUnanswered", "HintRefused",
      "SecretAfterTargets", "DieMidwayOfMuch", "Stall", "SecretAfterHint",
    ].contains($0.behaviour)
  }

  /// Those that would take some time, and are to be replaced before.
  static let slow =
    all(.x11, refused: [], ignored: ["Mute", "NoAnswer", "IncrStall", "IncrDrip"], recorded: [])
    + all(.wayland, refused: [], ignored: ["NoAnswer", "Stall", "Drip"], recorded: [])
}
