import ClipHistory
import GtkKit

/// The state of the global shortcut, as Preferences and the empty page show it.
///
/// Names of shortcuts are as the user reads them: “Ctrl+Super+V”.
enum ShortcutState: Equatable {
  /// The mechanism that delivers the shortcut.
  enum Backend: Equatable {
    case keyGrab
    /// The desktop's portal; the user changes the keys in the desktop's settings.
    case portal
    /// GNOME's custom shortcut, which runs `copypasta --toggle`.
    case gnome
  }

  enum Reason: Equatable {
    /// Another program has the shortcut with this name, or every program needs it.
    case taken(String)
    /// The keyboard has no key for the shortcut with this name.
    case missing(String)
    /// The user has declined the shortcut, or removed it in the desktop's settings.
    case refused
    /// The desktop does not set a shortcut for this program.
    case unsupported
  }

  /// The user has set no shortcut.
  case off
  case starting
  case held(by: Backend, name: String)
  case notHeld(Reason)
}

extension ShortcutState {
  /// The keys as the user reads them, or a text in their place.
  var keys: String {
    switch self {
    case .held(_, let name): name
    case .off: tr("None")
    case .starting, .notHeld: tr("Not Available")
    }
  }

  /// A description of the state in one or two sentences; it ends with a colon if there is a `command`.
  @MainActor var message: String {
    switch self {
    case .off: tr("No shortcut is set.")
    case .starting: tr("Setting up the shortcut. Your desktop may ask for permission.")
    case .held(by: .keyGrab, let name):
      tr("Open it from any app with %s.").filled(with: name)
    case .held(_, let name):
      tr("Open it from any app with %s.").filled(with: name) + " "
        + tr("Change the keys in your desktop’s settings.")
    case .notHeld(.taken(let name)): tr("%s is already in use. Choose other keys.").filled(with: name)
    case .notHeld(.missing(let name)):
      tr("Your keyboard has no keys for %s. Choose other keys.").filled(with: name)
    case .notHeld(.refused):
      tr("The shortcut was declined or removed.") + " "
        + tr("Choose the keys again to retry, or bind keys to this command:")
    case .notHeld(.unsupported):
      tr("Your desktop does not let CopyPasta set a shortcut.") + " "
        + (Compositor.current.map { tr("Add this to %s:").filled(with: $0.file) }
          ?? tr("In your desktop’s keyboard settings, bind keys to this command:"))
    }
  }

  /// The state in one sentence for the main window, without a command.
  @MainActor var advice: String {
    command == nil ? message : tr("To show the history from any app, set up a shortcut in Preferences.")
  }

  /// The name of the shortcut if `message` contains it.
  var shortcut: String? {
    switch self {
    case .held(_, let name), .notHeld(.taken(let name)), .notHeld(.missing(let name)): name
    case .off, .starting, .notHeld: nil
    }
  }

  /// The command or configuration for binding keys manually; nil if that is not necessary.
  @MainActor var command: String? {
    switch self {
    case .notHeld(.refused), .notHeld(.unsupported):
      Compositor.current.map {
        ($0.startFile == nil ? $0.start + "\n" : "").filled(with: CopyPasta.command)
          + $0.lines.filled(with: CopyPasta.command)
      } ?? CopyPasta.command + " --toggle"
    default: nil
    }
  }

  /// Whether the user has to choose other keys, or was refused these.
  var isFailure: Bool {
    switch self {
    case .notHeld(.unsupported), .off, .starting, .held: false
    case .notHeld: true
    }
  }

  /// The command for a label, with word joiners that prevent a line break after the hyphens of an option.
  ///
  /// Do not copy this form to the clipboard.
  static func unbroken(_ command: String) -> String {
    command.map { $0 == "-" ? "-\u{2060}" : String($0) }.joined()
  }
}

extension CopyPasta {
  /// The command that runs the program outside the sandbox, for a shell.
  static var command: String {
    Desktop.isFlatpak
      ? "flatpak run " + id : ProgramFiles.quoted(ProgramFiles.command(named: "copypasta"))
  }
}

extension Accelerator {
  /// Why these keys are unsuitable for a global shortcut; nil if they are suitable.
  var objection: String? {
    if modifiers.isDisjoint(with: [.control, .alt, .logo, .hyper, .meta]) {
      return tr("Include Ctrl, Alt or Super.")
    }
    guard modifiers == .control, Self.clipboardKeys.contains(keyName) else { return nil }
    return tr("%s is reserved for copy and paste.").filled(with: label)
  }

  /// The keys that copy, cut and paste with Control, which every program needs.
  private static let clipboardKeys: Set<String> = ["c", "x", "v", "Insert"]
}
