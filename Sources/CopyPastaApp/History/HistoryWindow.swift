import ClipHistory
import GtkKit
import SerialQueue

/// The main window, which shows the history, or why it cannot be opened.
@MainActor
final class HistoryWindow {
  private let window: Window
  private let services: AppServices
  let session: HistorySession
  let readingIndicator = ReadingIndicator()
  private let actions = ActionGroup()
  private(set) lazy var body = HistoryContentView(session)
  /// The list of clips, created once the history is open.
  private(set) var list: HistoryList?
  /// Whether the window has been drawn at least once.
  private(set) var isDrawn = false
  private var observations: [ListenerToken] = []
  private var settings: [ListenerToken] = []
  let closed: @MainActor () -> Void
  let dialogMessages: @MainActor () -> MessageBar?
  let showText: @MainActor (TextWindow) -> Void
  /// Notified when `isShown` or `isActive` may have changed.
  let activity = Observers<Void>()

  /// - Parameters:
  ///   - dialogMessages: Returns the messages of the dialog in front, where the user sees why an action has failed.
  ///   - showText: Shows a window with the full text of a clip, above this window.
  ///   - closed: Called when the user closes the window, before the window is hidden.
  init(
    _ services: AppServices, _ session: HistorySession,
    dialogMessages: @escaping @MainActor () -> MessageBar? = { nil },
    showText: @escaping @MainActor (TextWindow) -> Void, closed: @escaping @MainActor () -> Void
  ) {
    window = Window(title: CopyPasta.name)
    self.services = services
    self.session = session
    self.closed = closed
    self.dialogMessages = dialogMessages
    self.showText = showText
    window.setTitlebar(
      HeaderBar(title: "", start: [readingIndicator.root], end: [MenuButton.main]))
    window.addStyle("copypasta")
    window.restoreSize(from: services.windowState)
    window.setChild(body.root)
    connect()
    session.open(firstPageSize: HistoryList.rowCount(inHeight: window.defaultSize.height))
    stateChanged()
  }

  // MARK: - On the screen

  var isShown: Bool { window.isVisible }

  /// Whether the window is shown and has the focus.
  var isActive: Bool { window.isShownAndActive }

  /// Whether the window has the focus, and on Wayland also the keyboard.
  ///
  /// False on another workspace, where the window may be active under GNOME.
  var hasKeyboard: Bool { isActive && !window.isWithoutKeyboard }

  /// Whether the window has the focus, ignoring keyboard grabs by desktop shortcuts on X11.
  ///
  /// - Parameter orDialog: Whether the focus may be in another window of the program instead.
  /// - Returns: False while this window is hidden, even if another window has the focus.
  func isInFront(orDialog: Bool = false) async -> Bool {
    if hasKeyboard { return true }
    guard isShown else { return false }
    return await services.windowSystem.isFocusIn(orDialog ? Window.shown : [window])
  }

  /// The window as the parent of dialogs; nil while it is hidden.
  var parentOfDialogs: Window? { isShown ? window : nil }

  func join(_ application: Application) { window.join(application) }

  /// Shows the window in front, with the focus on the newest row.
  func present(_ activation: Activation) {
    window.present(activation)
    body.focusNewest()
    guard !isDrawn else { return }
    window.onNextFrame(weakly(self) { $0.drawn() })
  }

  /// Brings this window and the program's dialogs to the user, and presents them.
  ///
  /// Does not present them if the window was hidden meanwhile.
  func bringHere(_ activation: Activation) async {
    await services.windowSystem.bringHere([window] + window.others, activation)
    guard window.isVisible else { return }
    present(activation)
    for dialog in window.others { dialog.present(activation) }
  }

  /// Does the work of the first `present` in advance, in steps while the main loop is idle.
  ///
  /// Shows nothing, and does not read the clipboard.
  func prepare() async {
    let pieces: [@MainActor () async -> Void] = [
      window.layOut, followSettings, { [session] in session.start() }, session.loadRest, window.layOut,
    ]
    for piece in pieces {
      await MainLoop.idle()
      guard !isShown, !Task.isCancelled else { return }
      await piece()
    }
  }

  func hide() {
    rememberSize()
    messages.set(.clear, nil)
    window.hide()
  }

  func destroy() {
    session.attention = .hidden
    window.destroy()
  }

  // MARK: - Content

  private var messages: MessageBar { body.messages }

  private func happened(_ event: HistorySession.Event) {
    switch event {
    case .stateChanged: stateChanged()
    case .contentChanged: contentChanged()
    case .clipboardChanged where session.clipboardState == .secret: readingIndicator.showSecret()
    case .clipboardChanged: readingIndicator.hideSecret()
    case .failed(let failure): show(failure)
    case .text(let clip, let text, let file): show(text, of: clip, in: file)
    case .done, .added: break
    }
  }

  /// Shows the session's state: the list or a page in place of it, the messages and the indicator.
  private func stateChanged() {
    switch session.state {
    case .recovering: body.show(.recovering, takesFocus: isDrawn)
    case .unavailable(let error):
      body.show(.failure(error.message, folder: services.location.folder), takesFocus: isDrawn)
    // While the history is opened again, its rows stay on the screen.
    case .opening where !session.model.isOpen: body.show(.opening, takesFocus: isDrawn)
    case .opening, .open: if body.show(list ?? makeList()), isDrawn { body.focusNewest() }
    }
    messages.set(.obstacle, session.obstacle.map { Message(words: $0.reasonForReadOnly, lifetime: .long) })
    showRecoveryOutcome()
    contentChanged()
    updateIndicator()
  }

  private func makeList() -> HistoryList {
    // Use the stored number of lines for the first frame, because the settings are read after that frame.
    let lineLimit = services.windowState.integers(["preview-lines"])["preview-lines"] ?? PreviewText.lineLimit
    let list = HistoryList(
      session, now: services.now, lineLimit: lineLimit.clamped(to: Preferences.previewLines))
    self.list = list
    if session.followsSettings { useSettings() }
    return list
  }

  private func contentChanged() {
    showUndo()
    showRetentionQuestion()
    actions.setEnabled("clear-history", session.canClear)
    if !session.canClear { messages.set(.clear, nil) } else if messages[.clear] != nil { showClearQuestion() }
    body.draw()
  }

  /// Shows a clip's whole text in a window of its own, unless this window is hidden.
  private func show(_ text: ClipText, of clip: Clip, in file: Int) {
    Task.unpooled { [self] in
      let shown = await Self.shown(text)
      guard isShown else { return }
      let textWindow = TextWindow(
        shown, capturedAt: clip.capturedAt, in: parentOfDialogs?.size
      ) { [session] in
        session.copy(clip.id, in: file, copied: $1)
      } copyPart: { [session] in
        session.copy(part: $0, copied: $1)
      }
      textWindow.window.onPress { [clipboard = session.clipboard] in clipboard.notePress(at: $0) }
      showText(textWindow)
    }
  }

  /// Converts a text off the main thread, because up to 1 MiB is converted.
  @concurrent private static func shown(_ text: ClipText) async -> ShownText { ShownText(text) }

  private func drawn() {
    isDrawn = true
    messages.isWindowActive = isActive
    window.emitActivityAgain()
    if services.windowSystem.showsWindowIcons {
      Task.unpooled { [window] in
        // Wait until idle, because `setIcon` makes GTK render the icon in several sizes for X11's panels. This takes
        // 6 ms, and 10 MiB of memory if the icon is an SVG.
        await MainLoop.idle()
        window.setIcon(CopyPasta.id)
      }
    }
    complete()
  }

  /// Does the work that can wait until after the first frame.
  private func complete() {
    followSettings()
    // Start reading after the settings are applied, because they limit the size of a text.
    followActivity()
    // First draw the frame with the reading indicator, because loading the rest makes GTK build some 200 rows.
    window.onNextFrame { [session] in session.start() }
  }

  private func followSettings() {
    guard settings.isEmpty else { return }
    session.followSettings()
    settings = [
      services.preferences.observe(.previewLines, weakly(self) { $0.useSettings() }),
      services.shortcut.changes.add(weakly(self) { $0.useSettings() }),
    ]
    useSettings()
  }

  private func useSettings() {
    list?.lineLimit = services.preferences.previewLineCount
    let advice = services.shortcut.state.advice
    body.emptyPage.advice = advice
    list?.note = advice
  }

  /// Tells the session how much the user sees: the clipboard is read only while the window is active.
  private func followActivity() {
    body.isPaused = services.pause.isPaused
    session.clipboard.setReadingWindow(window.x11Number)
    if session.followsSettings { session.attention = isActive ? .active : isShown ? .shown : .hidden }
    updateIndicator()
  }

  private func updateIndicator() {
    // Leave a hidden window as it was drawn, because it will probably be active when it is shown again.
    guard isShown || !isDrawn else { return }
    readingIndicator.state =
      switch session.state {
      case _ where services.pause.isPaused: .paused
      // An active window reads once its first frame is drawn.
      case .open(nil): session.isReading || window.expectsFocus || isActive && !isDrawn ? .reading : .idle
      case .open(let error?): .unable(error.reasonForReadOnly)
      case .opening where session.model.isOpen: .unable(tr("Opening the History…"))
      case .opening: .unable(StoreError.locked.message)
      case .recovering: .unable(tr("Repairing the History…"))
      case .unavailable(let error): .unable(error.message)
      }
  }

  // MARK: - Input

  private func connect() {
    window.onActivityChange(weakly(self) { $0.activityChanged() })
    window.onPress { [clipboard = session.clipboard] in clipboard.notePress(at: $0) }
    window.onCloseRequest { [weak self] in
      self?.closed()
      return true
    }
    for action in HistoryAction.all {
      if case .window(let run) = action.effect { actions.add(action.name, weakly(self, run)) }
      if action.fullName.hasPrefix("win.") { window.addKeys(action.triggers, running: action.fullName) }
    }
    window.onDigit { [weak self] digit in
      guard let self, let list, digit <= session.count else { return false }
      let id = session.model.id(at: digit - 1)
      list.focus(id)
      session.copy(id)
      return true
    }
    body.root.onDrop(
      of: session.clipboard.dropFormats, isAccepted: { [session] in session.isOpen }
    ) { [session] in session.record($0) }
    body.root.addStyle("drop-place")
    actions.add("clear-history") { [weak self] in
      guard let self, session.canClear else { return }
      showClearQuestion()
      messages.focus(.clear)
    }
    actions.add(services.pause.action)
    observations = [
      services.pause.changes.add(weakly(self) { $0.followActivity() }),
      session.events.add(weakly(self) { $0.happened($1) }),
      // A new item shows that copies can be written again.
      session.model.changes.add(weakly(self) { if $1.isNew { $0.messages.set(.capture, nil) } }),
    ]
    window.insert(actions, as: "win")
  }

  private func activityChanged() {
    activity.notify()
    if isDrawn { window.emitActivityAgain() }
    messages.isWindowActive = isDrawn && isActive
    followActivity()
  }

  /// Stores the window's size and the number of preview lines for the first frame of the next start.
  private func rememberSize() {
    guard window.isVisible else { return }
    do throws(GLibError) {
      try window.keepSize(in: services.windowState)
      let kept = services.windowState.integers(["preview-lines"])["preview-lines"]
      if let list, kept ?? PreviewText.lineLimit != list.lineLimit {
        try services.windowState.write([("preview-lines", list.lineLimit)], keepingOthers: true)
      }
    } catch {
      notSaved(error)
    }
  }

  private func notSaved(_ error: GLibError) {
    printError(tr("Couldn’t save the window size: %s").filled(with: error.message))
  }
}
