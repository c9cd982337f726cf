import ClipHistory
import ClipboardCore
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
    /// Another program has the shortcut with this name.
    case taken(String)
    /// The keyboard has no key for the shortcut with this name.
    case missing(String)
    /// The desktop, or the user in its dialog, refused the shortcut.
    case refused
    /// The user has removed the keys in the desktop's settings.
    case removed
    /// The desktop has granted the shortcut, but bound no keys to it.
    case unbound
    /// Other programs need these keys, as the message explains.
    case unsuitable(String)
    /// The desktop grants shortcuts only to installed programs, and does not find this program.
    case notInstalled
    /// The desktop does not grant shortcuts to any program.
    case unsupported
    /// The setting is not a valid key combination.
    case malformed
  }

  /// The user has set no shortcut.
  case off
  case starting
  /// The shortcut works; the name is nil if the desktop does not provide it.
  case held(by: Backend, name: String?)
  case notHeld(Reason)
}

extension ShortcutState {
  /// The keys as the user reads them, or a text in their place.
  var keys: String {
    switch self {
    case .held(_, let name?): name
    // The desktop does not provide the name of the keys.
    case .held(_, name: nil): tr("Set by Your Desktop")
    case .off: tr("None")
    case .starting, .notHeld: tr("Not Available")
    }
  }

  /// A description of the state in one or two sentences.
  var message: String {
    switch self {
    case .off: tr("No shortcut is set.")
    case .starting: tr("Setting up the shortcut. Your desktop may ask for permission.")
    case .held(by: .keyGrab, let name?), .held(by: .gnome, let name?):
      tr("Press %s in any app to show or hide the history.").filled(with: name)
    case .held(by: .portal, let name?):
      tr("Press %s in any app to show or hide the history.").filled(with: name) + " " + Self.settingsHint
    case .held(_, name: nil): tr("The shortcut is active.") + " " + Self.settingsHint
    case .notHeld(let reason): reason.message
    }
  }

  /// The name of the shortcut if `message` contains it.
  var shortcut: String? {
    switch self {
    case .held(_, let name): name
    case .notHeld(.taken(let name)), .notHeld(.missing(let name)): name
    case .off, .starting, .notHeld: nil
    }
  }

  /// The command or configuration for binding keys manually; nil if that is not necessary.
  ///
  /// If it is not nil, `message` ends with a colon.
  @MainActor var command: String? {
    switch self {
    case .notHeld(.refused), .notHeld(.removed), .notHeld(.unbound), .notHeld(.notInstalled),
      .notHeld(.unsupported):
      Compositor.current?.lines(for: Self.program) ?? Self.toggleCommand
    default: nil
    }
  }

  /// Whether the user has to choose other keys, or was refused these.
  var isFailure: Bool {
    switch self {
    case .notHeld(.unsupported), .notHeld(.unbound), .notHeld(.notInstalled), .off, .starting, .held: false
    case .notHeld: true
    }
  }

  /// Whether a backend in this state has the shortcut, or may still get it.
  var isPromising: Bool {
    switch self {
    case .starting, .held, .notHeld(.taken), .notHeld(.missing): true
    case .off, .notHeld: false
    }
  }

  /// Explains where the user can change the keys that the portal has granted.
  private static var settingsHint: String {
    let names = Desktop.names
    return if names.contains("GNOME") {
      tr("Change the keys in GNOME Settings, under Apps, CopyPasta, Global Shortcuts.")
    } else if names.contains("KDE") {
      tr("Change the keys in System Settings, under Keyboard, Shortcuts.")
    } else {
      tr("Change the keys in your desktop’s settings.")
    }
  }

  /// The command for a label, with word joiners that prevent a line break after the hyphens of an option.
  ///
  /// Do not copy this form to the clipboard.
  static func unbroken(_ command: String) -> String {
    command.map { $0 == "-" ? "-\u{2060}" : String($0) }.joined()
  }

  /// The command that shows or hides the history, for a shell outside of the sandbox.
  @MainActor static var toggleCommand: String {
    (program + ["--toggle"]).map(ProgramFiles.quoted).joined(separator: " ")
  }

  /// The arguments that run the program outside the sandbox.
  @MainActor static var program: [String] {
    Desktop.isFlatpak ? ["flatpak", "run", CopyPasta.id] : [ProgramFiles.command(named: "copypasta")]
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

extension ShortcutState.Reason {
  /// The sentence above the command, or above the lines to add.
  private static var instruction: String {
    if let file = Compositor.current?.file { return tr("Add this to %s:").filled(with: file) }
    return tr("In your desktop’s keyboard settings, bind keys to this command:")
  }

  fileprivate var message: String {
    switch self {
    case .taken(let name): tr("%s is already in use. Choose other keys.").filled(with: name)
    case .missing(let name):
      tr("Your keyboard has no keys for %s. Choose other keys.").filled(with: name)
    case .refused:
      tr("Your desktop declined the shortcut.") + " "
        + tr("Choose the keys again to retry, or bind keys to this command:")
    case .removed:
      tr("The shortcut was removed in your desktop’s settings.") + " "
        + tr("Choose the keys again to retry, or bind keys to this command:")
    case .unbound:
      tr("Your desktop leaves it to you to bind keys.") + " " + Self.instruction
    case .unsuitable(let why): why
    case .notInstalled:
      tr("Your desktop lets only installed apps set shortcuts.") + " " + Self.instruction
    case .unsupported:
      tr("Your desktop does not let apps set shortcuts.") + " " + Self.instruction
    case .malformed: tr("The saved shortcut is not valid. Choose other keys.")
    }
  }
}
