import ClipHistory
import GtkKit

/// The windows other than the main window, at most one of each kind.
///
/// A dialog is created when it is shown, and released when it closes.
@MainActor
final class Dialogs {
  /// The content of a dialog, with its window.
  @MainActor
  protocol Dialog: AnyObject {
    var window: Window { get }
    var messages: MessageBar { get }
  }

  private let windowSystem: any WindowSystem
  private let added: @MainActor (Window) -> Void
  private let closed: @MainActor () -> Void
  private(set) var open: [Kind: any Dialog] = [:]
  /// Notified when a dialog has gained or lost the focus, or was closed.
  let activity = Observers<Void>()

  enum Kind: CaseIterable { case preferences, shortcuts, about, text }

  /// - Parameters:
  ///   - added: Called with each new window, before it is shown.
  ///   - closed: Called when a dialog has closed.
  init(
    on windowSystem: any WindowSystem, added: @escaping @MainActor (Window) -> Void,
    closed: @escaping @MainActor () -> Void
  ) {
    (self.windowSystem, self.added, self.closed) = (windowSystem, added, closed)
  }

  var areOpen: Bool { !open.isEmpty }

  /// The messages of the dialog in front; nil if no dialog is in front.
  var messagesInFront: MessageBar? { open.values.first { $0.window.isShownAndActive }?.messages }

  /// Shows a text window in place of the text window that is open.
  func show(_ text: TextWindow, above parent: Window?) {
    close(.text)
    show(.text, above: parent) { text }
  }

  private func close(_ kind: Kind) { open[kind]?.window.destroy() }

  func close() { Kind.allCases.forEach(close) }

  /// Shows a dialog in front, and keeps it above `parent`; calls `make` to create it unless it is open.
  func show(
    _ kind: Kind, above parent: Window?, _ activation: Activation = .ambient, _ make: () -> any Dialog
  ) {
    let window = open[kind]?.window ?? add(make(), as: kind)
    if let parent { window.setTransient(for: parent) }
    let shown = [parent, window].compactMap(\.self).filter(\.isVisible)
    guard !shown.isEmpty, !Window.shown.contains(where: \.isShownAndActive) else {
      return window.present(activation)
    }
    // Bring the parent, too, because some window managers put a dialog on its parent's workspace.
    Task.unpooled { [weak self, windowSystem] in
      await windowSystem.bringHere(shown, activation)
      if self?.open[kind]?.window === window { window.present(activation) }
    }
  }

  private func add(_ dialog: any Dialog, as kind: Kind) -> Window {
    open[kind] = dialog
    added(dialog.window)
    dialog.window.onKeys(HistoryAction.close.keys) { [weak window = dialog.window] in
      window?.destroy()
      return true
    }
    dialog.window.onHide { [weak self, weak window = dialog.window] in
      // A window that moves to another workspace is unmapped, but stays visible.
      guard window?.isVisible != true else { return }
      self?.open[kind] = nil
      self?.activity.notify()
      self?.closed()
    }
    dialog.window.onActivityChange(weakly(self) { $0.activity.notify() })
    return dialog.window
  }
}

extension Window {
  /// Shows a scrolling page below a header bar, as high as the page if possible; returns the messages over the page.
  @discardableResult
  func show(page: Box, width: Int = 480) -> MessageBar {
    addStyle("preferences")
    page.addStyle("page")
    let bar = HeaderBar()
    setTitlebar(bar)
    let overlay = Overlay(ScrollingBox(ScrolledWindow(child: page)), under: [])
    setChild(overlay)
    fitContent(width: width)
    let messages = MessageBar(over: overlay) { [weak page] in
      page?.grabFocus()
    } covers: { [weak page] in
      page?.bottomMargin = $0
    }
    messages.follow(self)
    return messages
  }

  /// Makes the window as high as its content, if possible.
  func fitContent(width: Int = 480) { defaultSize = (width, min(naturalHeight(inWidth: width), 720)) }
}
