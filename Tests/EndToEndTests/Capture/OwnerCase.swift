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

  /// Every way to fail that an owner on X11 has.
  static let x11 = [
    OwnerCase(kind: .x11, behaviour: "Mute", outcome: .refused),
    OwnerCase(kind: .x11, behaviour: "NoAnswer", outcome: .refused),
    OwnerCase(kind: .x11, behaviour: "DieOnTargets", outcome: .refused),
    OwnerCase(kind: .x11, behaviour: "Die", outcome: .refused),
    OwnerCase(kind: .x11, behaviour: "IncrStall", outcome: .refused),
    OwnerCase(kind: .x11, behaviour: "IncrDie", outcome: .refused),
    OwnerCase(kind: .x11, behaviour: "IncrZero", outcome: .recorded(pieces)),
    OwnerCase(kind: .x11, behaviour: "IncrLie", outcome: .recorded(pieces)),
    OwnerCase(kind: .x11, behaviour: "IncrEmpty", outcome: .ignored),
    OwnerCase(kind: .x11, behaviour: "Refuse", outcome: .refused),
    OwnerCase(kind: .x11, behaviour: "EmptyPromise", outcome: .refused),
    OwnerCase(kind: .x11, behaviour: "Invalid", outcome: .refused),
    OwnerCase(kind: .x11, behaviour: "Nul", outcome: .refused),
    OwnerCase(kind: .x11, behaviour: "NulsAtEnd", outcome: .recorded("the owner's text")),
    OwnerCase(kind: .x11, behaviour: "HintUnanswered", outcome: .refused),
    OwnerCase(kind: .x11, behaviour: "HintRefused", outcome: .ignored),
    OwnerCase(kind: .x11, behaviour: "HintEmpty", outcome: .ignored),
    OwnerCase(kind: .x11, behaviour: "SecretBeforeText", outcome: .ignored),
    OwnerCase(kind: .x11, behaviour: "SecretAfterTargets", outcome: .ignored),
  ]

  /// Every way to fail that an owner on Wayland has.
  static let wayland = [
    OwnerCase(kind: .wayland, behaviour: "NoAnswer", outcome: .refused),
    OwnerCase(kind: .wayland, behaviour: "Die", outcome: .refused),
    OwnerCase(kind: .wayland, behaviour: "DieMidway", outcome: .refused),
    OwnerCase(kind: .wayland, behaviour: "DieMidwayOfMuch", outcome: .refused),
    OwnerCase(kind: .wayland, behaviour: "CloseAndDie", outcome: .refused),
    OwnerCase(kind: .wayland, behaviour: "Stall", outcome: .refused),
    OwnerCase(kind: .wayland, behaviour: "Nothing", outcome: .ignored),
    OwnerCase(kind: .wayland, behaviour: "Invalid", outcome: .refused),
    OwnerCase(kind: .wayland, behaviour: "Nul", outcome: .refused),
    OwnerCase(kind: .wayland, behaviour: "NulsAtEnd", outcome: .recorded("the owner's text")),
    OwnerCase(kind: .wayland, behaviour: "HintUnanswered", outcome: .refused),
    OwnerCase(kind: .wayland, behaviour: "HintRefused", outcome: .ignored),
    OwnerCase(kind: .wayland, behaviour: "HintEmpty", outcome: .ignored),
    OwnerCase(kind: .wayland, behaviour: "SecretAfterHint", outcome: .ignored),
  ]

  /// Those that would take some time, and are to be replaced before.
  static let slow = [
    OwnerCase(kind: .x11, behaviour: "Mute", outcome: .ignored),
    OwnerCase(kind: .x11, behaviour: "NoAnswer", outcome: .ignored),
    OwnerCase(kind: .x11, behaviour: "IncrStall", outcome: .ignored),
    OwnerCase(kind: .x11, behaviour: "IncrDrip", outcome: .ignored),
    OwnerCase(kind: .wayland, behaviour: "NoAnswer", outcome: .ignored),
    OwnerCase(kind: .wayland, behaviour: "Stall", outcome: .ignored),
    OwnerCase(kind: .wayland, behaviour: "Drip", outcome: .ignored),
  ]
}
