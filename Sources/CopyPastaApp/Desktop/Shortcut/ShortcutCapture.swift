import GtkKit

/// Judges the keys that the user presses to choose a shortcut, one press after the other.
enum ShortcutCapture: Equatable {
  /// Only modifiers so far.
  case incomplete
  /// These will do.
  case chosen(Accelerator)
  /// These will not; the text says why.
  case unsuitable(String)

  /// What a press comes to.
  init(_ keys: Accelerator) {
    if keys.isModifierAlone {
      self = .incomplete
    } else if keys.modifiers.isDisjoint(with: [.control, .alt, .logo, .hyper, .meta]) {
      self = .unsuitable(tr("Hold Control, Alt or Super with the key: alone it is needed for typing."))
    } else if keys.modifiers == .control, Self.clipboardKeys.contains(keys.keyName) {
      self = .unsuitable(tr("%s is needed in every program. Choose other keys.").filled(with: keys.label))
    } else {
      self = .chosen(keys)
    }
  }

  /// What copies, cuts and pastes, with Control: taken from every program, there would be nothing to record.
  private static let clipboardKeys: Set<String> = ["c", "x", "v", "Insert"]
}
