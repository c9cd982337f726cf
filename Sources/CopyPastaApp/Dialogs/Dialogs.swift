import ClipHistory
import GtkKit

/// The windows beside the main one: each is made when it is asked for, shown once, and goes when it is closed.
@MainActor
final class Dialogs {
  /// A view that is a window of its own.
  @MainActor
  protocol Dialog: AnyObject {
    var window: Window { get }
  }

  private let application: Application
  private let closed: @MainActor () -> Void
  /// Those that are shown.
  private(set) var open: [Kind: any Dialog] = [:]

  /// The purpose of each of them.
  enum Kind: CaseIterable { case preferences, shortcuts, about, text }

  /// - Parameter closed: called when one of them has gone.
  init(of application: Application, closed: @escaping @MainActor () -> Void) {
    self.application = application
    self.closed = closed
  }

  /// Whether one of them is shown.
  var areOpen: Bool { !open.isEmpty }

  /// Shows the preferences, above a window if there is one on the screen.
  func showPreferences(
    of services: AppServices, above parent: Window?, _ activation: Activation = .ambient
  ) {
    show(.preferences, above: parent, activation) {
      PreferencesWindow(services)
    }
  }

  /// Shows the keys.
  func showShortcuts(above parent: Window?) { show(.shortcuts, above: parent) { ShortcutsWindow() } }

  /// Shows what CopyPasta is, and whether the history is sound.
  func showAbout(_ history: HistoryLocation? = nil, above parent: Window?) {
    show(.about, above: parent) { AboutDialog(checking: history) }
  }

  /// Shows a text, in the place of the one that is shown.
  func show(_ text: TextWindow, above parent: Window?) {
    close(.text)
    show(.text, above: parent) { text }
  }

  /// Says in the preferences why a setting went back.
  ///
  /// - Returns: false if they are not shown.
  func report(_ message: String, of key: Preferences.Key) -> Bool {
    guard let preferences = open[.preferences] as? PreferencesWindow else { return false }
    preferences.report(message, of: key)
    return true
  }

  /// Closes one of them, if it is shown.
  func close(_ kind: Kind) { open[kind]?.window.destroy() }

  /// Closes all of them.
  func close() { Kind.allCases.forEach(close) }

  private func show(
    _ kind: Kind, above parent: Window?, _ activation: Activation = .ambient, _ make: () -> any Dialog
  ) {
    let window = open[kind]?.window ?? added(make(), as: kind)
    if let parent { window.stay(above: parent) }
    window.present(activation)
  }

  private func added(_ dialog: any Dialog, as kind: Kind) -> Window {
    open[kind] = dialog
    if application.isRegistered { dialog.window.join(application) }
    dialog.window.onKeys("Escape", "<Control>w") { [weak window = dialog.window] in
      window?.destroy()
      return true
    }
    dialog.window.onHide { [weak self] in
      self?.open[kind] = nil
      self?.closed()
    }
    return dialog.window
  }
}
