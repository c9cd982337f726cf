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
  /// The dialogs that are shown.
  private(set) var open: [Kind: any Dialog] = [:]

  /// The purpose of a dialog.
  enum Kind: CaseIterable { case preferences, shortcuts, about, text }

  /// - Parameter closed: called when a dialog has gone.
  init(of application: Application, closed: @escaping @MainActor () -> Void) {
    self.application = application
    self.closed = closed
  }

  /// Whether a dialog is shown.
  var areOpen: Bool { !open.isEmpty }

  /// Shows a text in the place of the text that is shown.
  func show(_ text: TextWindow, above parent: Window?) {
    close(.text)
    show(.text, above: parent) { text }
  }

  /// Closes a dialog, if it is shown.
  func close(_ kind: Kind) { open[kind]?.window.destroy() }

  /// Closes all dialogs.
  func close() { Kind.allCases.forEach(close) }

  /// Shows a dialog, which is made unless it is shown already, above a window if there is one on the screen.
  func show(
    _ kind: Kind, above parent: Window?, _ activation: Activation = .ambient, _ make: () -> any Dialog
  ) {
    let window = open[kind]?.window ?? added(make(), as: kind)
    if let parent { window.stay(above: parent) }
    window.present(activation)
  }

  private func added(_ dialog: any Dialog, as kind: Kind) -> Window {
    open[kind] = dialog
    if application.isRegistered { dialog.window.join(application) }
    dialog.window.onKeys(["Escape", "<Control>w"]) { [weak window = dialog.window] in
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

extension Window {
  /// Shows a page below a header bar, which scrolls if there is no room for all of it.
  func show(page: Box, height: Int = 700) {
    addStyle("preferences")
    page.addStyle("page")
    defaultSize = (480, height)
    setTitlebar(HeaderBar())
    setChild(ScrolledWindow(child: page))
  }
}
