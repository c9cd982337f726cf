import ClipHistory
import ClipboardCore
import GtkKit

/// Whether a key calls the history up from every program, as Preferences and the empty state say it.
///
/// The name of a shortcut is for the user: “Ctrl+Super+V”.
enum ShortcutState: Equatable {
  /// A way by which the key reaches this program.
  enum Backend: Equatable {
    /// Keys that are grabbed from the X server.
    case keyGrab
    /// The desktop's portal, whose own settings say which key it is.
    case portal
    /// GNOME's custom shortcut, which runs `copypasta --toggle`.
    case gnome
  }

  /// Why no key reaches this program.
  enum Reason: Equatable {
    /// Another program has the shortcut of this name.
    case taken(String)
    /// The keyboard has no such key.
    case missing(String)
    /// The desktop, or the user when it asked, refused.
    case refused
    /// The user has taken the keys away in the desktop's settings.
    case removed
    /// Every program would miss these keys; the text says so.
    case unsuitable(String)
    /// The desktop lets installed programs have a shortcut, and does not know this one.
    case notInstalled
    /// The desktop lets no program have a shortcut.
    case unsupported
    /// The setting names no key.
    case malformed
  }

  /// The user wants none.
  case off
  /// The desktop is being asked for the shortcut.
  case starting
  /// The shortcut works; the name is nil if the desktop keeps it to itself.
  case held(by: Backend, name: String?)
  /// The shortcut does not work.
  case notHeld(Reason)
}

extension ShortcutState {
  /// The keys for the user, or that there are none.
  var keys: String {
    switch self {
    case .held(_, let name?): name
    // The desktop has given keys and keeps their name to itself.
    case .held(_, name: nil): tr("Set by the Desktop")
    case .off: tr("None")
    case .starting, .notHeld: tr("Not Available")
    }
  }

  /// The state in words, a sentence or two.
  var message: String {
    switch self {
    case .off: tr("No shortcut is set.")
    case .starting: tr("The shortcut is being set up. The desktop may ask you about it.")
    case .held(by: .keyGrab, let name?), .held(by: .gnome, let name?):
      tr("%s shows and hides the history from any program.").filled(with: name)
    case .held(by: .portal, let name?):
      tr("%s shows and hides the history from any program.").filled(with: name) + " " + Self.settingsHint
    case .held(_, name: nil): tr("The shortcut is active.") + " " + Self.settingsHint
    case .notHeld(let reason): reason.message
    }
  }

  /// The name of the shortcut that is in `message`; nil if there is none in it.
  var shortcut: String? {
    switch self {
    case .held(_, let name): name
    case .notHeld(.taken(let name)), .notHeld(.missing(let name)): name
    case .off, .starting, .notHeld: nil
    }
  }

  /// What the user has to bind, for want of another way; nil if there is no need.
  ///
  /// `message` ends with a colon then.
  @MainActor var command: String? {
    switch self {
    case .notHeld(.refused), .notHeld(.removed), .notHeld(.notInstalled), .notHeld(.unsupported):
      Compositor.current?.lines(running: Self.toggleCommand) ?? Self.toggleCommand
    default: nil
    }
  }

  /// Whether the backend that tells so has the shortcut, or may have it yet.
  var isPromising: Bool {
    switch self {
    case .starting, .held, .notHeld(.taken), .notHeld(.missing): true
    case .off, .notHeld: false
    }
  }

  /// Where the user sees and changes the keys that the desktop's portal has given.
  private static var settingsHint: String {
    let names = Desktop.names
    return if names.contains("GNOME") {
      tr("The keys are set in GNOME’s settings, under Apps, CopyPasta, Global Shortcuts.")
    } else if names.contains("KDE") {
      tr("The keys are set in KDE’s System Settings, under Keyboard, Shortcuts.")
    } else {
      tr("The keys are set in the desktop’s settings.")
    }
  }

  /// A command to be shown, not copied: word joiners keep a label from breaking an option after its hyphens.
  static func unbroken(_ command: String) -> String {
    command.map { $0 == "-" ? "-\u{2060}" : String($0) }.joined()
  }

  /// Shows or hides the history, from wherever it is run: outside of a sandbox, too.
  @MainActor static var toggleCommand: String {
    let program =
      Desktop.isFlatpak
      ? "flatpak run \(CopyPasta.id)" : ProgramFiles.shellCommand(named: "copypasta")
    return program + " --toggle"
  }
}

extension Accelerator {
  /// Why no program should take these keys from all others; nil if it may.
  var objection: String? {
    if modifiers.isDisjoint(with: [.control, .alt, .logo, .hyper, .meta]) {
      return tr("Hold Control, Alt or Super with the key: other programs need this key on its own.")
    }
    guard modifiers == .control, Self.clipboardKeys.contains(keyName) else { return nil }
    return tr("Every program needs %s for the clipboard. Choose other keys.").filled(with: label)
  }

  /// The keys that copy, cut and paste, with Control: if every program missed them, there would be nothing to record.
  private static let clipboardKeys: Set<String> = ["c", "x", "v", "Insert"]
}

extension SystemClipboard {
  /// Puts a command to bind on the clipboard.
  ///
  /// - Returns: the message to show if that failed; nil if the command is there.
  func offer(command: String) async -> String? {
    do {
      try await offer(ClipText(validating: Array(command.utf8)))
      return nil
    } catch TransferError.ownershipLost {
      return HistoryFailure.clipboardTaken.message
    } catch {
      return HistoryFailure.clipboardUnavailable.message
    }
  }
}

extension ShortcutState.Reason {
  /// Where to bind the command, or to put the lines, that follow.
  private static var instruction: String {
    if let file = Compositor.current?.file { return tr("Add this to %s:").filled(with: file) }
    return tr("In the keyboard settings, bind keys to this command:")
  }

  fileprivate var message: String {
    switch self {
    case .taken(let name): tr("Another program uses %s. Choose other keys.").filled(with: name)
    case .missing(let name):
      tr("This keyboard has no keys for %s. Choose other keys.").filled(with: name)
    case .refused:
      tr("The desktop did not grant the shortcut.") + " "
        + tr("Choose the keys again to be asked once more, or bind keys to this command:")
    case .removed:
      tr("The shortcut was removed in the desktop’s settings.") + " "
        + tr("Choose the keys again to be asked once more, or bind keys to this command:")
    case .unsuitable(let why): why
    case .notInstalled:
      tr("This desktop offers shortcuts to installed programs only.") + " " + Self.instruction
    case .unsupported:
      tr("This desktop does not offer shortcuts to programs.") + " " + Self.instruction
    case .malformed: tr("The shortcut in the settings is not a valid key combination. Choose other keys.")
    }
  }
}
