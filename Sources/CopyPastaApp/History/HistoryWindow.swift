import ClipHistory
import GtkKit
import X11Kit

/// The window: the history, and what goes on with it.
@MainActor
final class HistoryWindow {
  let window: Window
  let environment: Environment
  private let windowState: KeyFile
  let mark = ReadingMark()
  let notice = NoticeBar()
  /// What is shown: the content, or where there is none the page that says why.
  let pages = Stack()
  var content: HistoryContent?
  var failurePage: StatusPage?
  /// What was last said of a history that cannot be opened, and whether to try again.
  var failure: StoreError?
  var triesAgain = false
  private var closed: (@MainActor () -> Void)?
  private(set) var copied: [@MainActor () -> Void] = []
  private var activityChange: (@MainActor () -> Void)?

  init(_ environment: Environment) {
    window = Window(title: CopyPasta.name)
    self.environment = environment
    windowState = environment.windowState
    window.setTitlebar(HeaderBar(title: CopyPasta.name, start: [mark.root], end: [MainMenu.button()]))
    window.addStyle("copypasta")
    recallSize()
    window.setChild(Box(.vertical, [pages, notice.root]))
    window.onActivityChange { [weak self] in self?.activityChanged() }
    window.onCloseRequest { [weak self] in
      self?.close()
      return true
    }
    window.onKeys(HistoryKey.close.triggers) { [weak self] in
      self?.close()
      return true
    }
    addActions()
    openHistory()
  }

  var isShown: Bool { window.isVisible }

  /// Whether the user works in it.
  var isActive: Bool { window.isShownAndActive }

  /// Whether it has the keyboard, or would have it but for a key of the desktop's that is held down.
  ///
  /// On X11 such a key is grabbed, and the window that the user works in loses the keyboard until it is up again.
  func isInFront() async -> Bool {
    if isActive { return true }
    guard isShown, case .x11(let display) = Display.backend, let number = window.x11Number
    else { return false }
    return await ActiveWindow(display: display).id() == number
  }

  /// What other windows are shown above; nil while it is not on the screen itself.
  var parentOfDialogs: Window? { isShown ? window : nil }

  /// Whether the window has been on the screen.
  private(set) var isDrawn = false

  /// Makes the window one of the application's, which lives as long as it has windows.
  func join(_ application: Application) { window.join(application) }

  /// Shows the window in front, with the keyboard.
  func present(_ activation: Activation) {
    window.present(activation)
    content?.isShown = true
    content?.focusNewest()
    failurePage?.focus()
    guard !isDrawn else { return }
    window.onNextFrame { [weak self] in self?.drawn() }
  }

  private func drawn() {
    isDrawn = true
    notice.isHeard = isActive
    // GTK draws it here and now, in several sizes, for X11's panels: 6 ms that the first frame need not wait for.
    window.setIcon(CopyPasta.id)
    completeContent()
  }

  /// Does with the content what the first frame need not wait for.
  func completeContent() {
    content?.follow(environment.preferences, environment.shortcut)
    content?.loadRest()
    // Last, for the settings say how large a text may be.
    followActivity()
  }

  /// Says something to the user, in one line.
  func report(_ message: String) { notice.show(message) }

  func hide() {
    rememberSize()
    window.isVisible = false
    content?.isShown = false
  }

  /// Returns when what was captured and what the user asked for so far is on disk.
  func settle() async { await content?.settle() }

  func destroy() {
    content?.detach()
    window.destroy()
  }

  /// Calls when the user closes the window; it is still shown then.
  func onClose(_ body: @escaping @MainActor () -> Void) { closed = body }

  /// Calls each time that a clip was copied, once it is on the clipboard; there may be several such calls.
  func onCopied(_ body: @escaping @MainActor () -> Void) { copied.append(body) }

  /// Calls when `isShown` or `isActive` may have changed.
  func onActivityChange(_ body: @escaping @MainActor () -> Void) { activityChange = body }

  private func close() { closed?() }

  /// The actions of the window: `win.clear-history`.
  private func addActions() {
    let actions = ActionGroup()
    actions.add("clear-history") { [weak self] in self?.askToClear() }
    window.insert(actions, as: "win")
  }

  private func askToClear() {
    guard let content, content.count > 0 else { return }
    let count = content.count
    ConfirmationDialog.ask(
      over: window, title: tr("Clear History?"),
      text: trn(
        "The one text in the history will be deleted. This cannot be undone.",
        "All %s texts in the history will be deleted. This cannot be undone.", count
      ).filled(with: Format.number(count)), action: tr("C_lear History")
    ) { content.clear() }
  }

  private func activityChanged() {
    activityChange?()
    notice.isHeard = isDrawn && isActive
    if content == nil { openHistoryAgain() }
    if isActive, content?.isReplaced == true { reopenHistory(.replaced) }
    followActivity()
  }

  /// The clipboard is read while the window is active and there is a history to record it in.
  func followActivity() {
    guard let content else { return }
    content.isReading = isDrawn && window.isShownAndActive
    mark.isReading = content.isReading
  }

  // MARK: Size

  /// Keeps the window's size for the next start.
  func rememberSize() {
    guard window.isVisible else { return }
    let size = window.defaultSize
    do throws(GLibError) {
      try windowState.write([
        ("width", size.width), ("height", size.height), ("maximized", window.isMaximized ? 1 : 0),
      ])
    } catch {
      complain(tr("The window’s size could not be kept: %s").filled(with: error.message))
    }
  }

  private func recallSize() {
    let state = windowState.integers(["width", "height", "maximized"])
    // Not smaller than what a row needs, not larger than any screen, whatever the file says.
    window.defaultSize = (
      (state["width"] ?? 480).clamped(to: 300...8192), (state["height"] ?? 640).clamped(to: 200...8192)
    )
    if state["maximized"] == 1 { window.isMaximized = true }
  }
}
