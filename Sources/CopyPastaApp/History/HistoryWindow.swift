import ClipHistory
import ClipboardCore
import GtkKit
import SerialQueue
import X11Kit

/// The main window, which shows the history, or why it cannot be opened.
@MainActor
final class HistoryWindow {
  private let window: Window
  let services: AppServices
  let readingIndicator = ReadingIndicator()
  private let actions = ActionGroup()
  private lazy var notice = NoticeBar(giveBackFocus: weakly(self) { $0.body.focusAgain() })
  lazy var body = HistoryContentView(
    controller: { [weak self] in self?.controller }, copyCommand: weakly(self) { $0.copyCommand() })

  var state = State.opening
  /// Whether the window has been drawn at least once.
  private(set) var isDrawn = false
  /// Whether `prepare` has done the work of the first `present` in advance.
  private var isPrepared = false
  /// The error of the last failed attempt to open the history.
  private var openingError: StoreError?
  /// The notice that says why the open history cannot be changed, if it cannot.
  private var obstacle: String?
  private var observations: [ListenerToken] = []
  private var pauseObservation: ListenerToken?
  lazy var retentionBar = RetentionBar(
    giveBackFocus: weakly(self) { $0.body.focusAgain() }, answered: weakly(self) { $0.answered($1) })
  /// Runs `expire` again; nil while the window is hidden.
  private var retentionTimer: Timeout?
  private var wasActive = false
  /// Notified when a clip's whole text has been put on the clipboard.
  let copies = Observers<Void>()
  let closed: @MainActor () -> Void
  let showText: @MainActor (TextWindow) -> Void
  /// Notified when `isShown` or `isActive` may have changed.
  let activity = Observers<Void>()

  enum State {
    /// The history is not open yet, or is being closed and opened again while its rows stay on the screen.
    case opening
    case recovering
    /// The history cannot be opened. Opening is tried again when the user has left the window and returns.
    case unavailable(StoreError, wasLeft: Bool)
    case open(HistoryList)
  }

  /// - Parameters:
  ///   - showText: Shows a window with the full text of a clip, above this window.
  ///   - closed: Called when the user closes the window, before the window is hidden.
  init(
    _ services: AppServices, showText: @escaping @MainActor (TextWindow) -> Void,
    closed: @escaping @MainActor () -> Void
  ) {
    window = Window(title: CopyPasta.name)
    self.services = services
    self.closed = closed
    self.showText = showText
    window.setTitlebar(
      HeaderBar(title: CopyPasta.name, start: [readingIndicator.root], end: [MenuButton.main]))
    window.addStyle("copypasta")
    window.restoreSize(from: services.windowState)
    window.setChild(Box(.vertical, [body.root, retentionBar.root, notice.root]))
    connect()
    openHistory()
  }

  // MARK: - On the screen

  var isShown: Bool { window.isVisible }

  /// Whether the window is shown and has the focus.
  var isActive: Bool { window.isShownAndActive }

  /// Whether the window has the focus, ignoring keyboard grabs by desktop shortcuts on X11.
  ///
  /// While the keys of a desktop shortcut are held down, they are grabbed, and the window appears to lose the focus.
  ///
  /// - Parameter orDialog: Whether the focus may be in another window of the program instead.
  /// - Returns: False while this window is hidden, even if another window has the focus.
  func isInFront(orDialog: Bool = false) async -> Bool {
    if isActive { return true }
    guard isShown else { return false }
    let windows = orDialog ? Window.shown : [window]
    guard case .x11(let display) = Display.backend else {
      return windows.contains(where: \.isFocusedByCompositor)
    }
    let focus = InputFocus(display: display)
    for number in windows.compactMap(\.x11Number) where await focus.isIn(number) { return true }
    return false
  }

  /// The window as the parent of dialogs; nil while it is hidden.
  var parentOfDialogs: Window? { isShown ? window : nil }

  func join(_ application: Application) { window.join(application) }

  /// Shows the window in front, with the focus on the newest row.
  func present(_ activation: Activation) {
    if !isShown, controller != nil { readingIndicator.expectReading() }
    window.present(activation)
    body.focusNewest()
    guard !isDrawn else { return }
    window.onNextFrame(weakly(self) { $0.drawn() })
  }

  /// Does the work of the first `present` in advance, in steps while the main loop is idle.
  ///
  /// Shows nothing, and does not read the clipboard.
  func prepare() async {
    guard let controller else { return }
    let pieces: [@MainActor () async -> Void] = [
      window.layOut, followSettings, controller.loadRest, window.layOut,
    ]
    for piece in pieces {
      await MainLoop.idle()
      guard !isShown, !Task.isCancelled else { return }
      await piece()
    }
    isPrepared = true
  }

  func hide() {
    rememberSize()
    window.isVisible = false
  }

  func showNotice(_ message: String, offering action: NoticeBar.Action? = nil) {
    notice.show(message, lifetime: action == nil ? .short : .long, action: action)
  }

  func destroy() {
    controller?.endReading()
    window.destroy()
  }

  // MARK: - Content

  var controller: HistorySession? { list?.controller }

  var list: HistoryList? {
    if case .open(let list) = state { list } else { nil }
  }

  /// The number of clips; 0 if the history is not open.
  private var count: Int { controller?.model.count ?? 0 }

  private func enter(_ state: State) {
    self.state = state
    // Withdraw the question, because it concerns the history that was shown before.
    retentionBar.show(nil)
    switch state {
    case .opening: break
    case .recovering: body.show(.recovering, takesFocus: isDrawn)
    case .unavailable(let error, _): body.show(.failure(error.message), takesFocus: isDrawn)
    case .open(let list): body.show(list)
    }
    actions.setEnabled("clear-history", count > 0)
  }

  private func countChanged() {
    actions.setEnabled("clear-history", count > 0)
    body.draw()
  }

  /// Opens the history, or shows why it cannot be opened.
  func openHistory(recovering: Bool = true) {
    do throws(StoreError) {
      try show(services.history.get())
    } catch .damaged where recovering {
      enter(.recovering)
      Task.unpooled { await self.recoverHistory() }
    } catch {
      show(error)
    }
  }

  private func show(_ history: History) throws(StoreError) {
    let controller = try HistorySession(
      history.store, history.reader, services.clipboard, now: services.now,
      firstPageSize: HistoryList.rowCount(inHeight: window.defaultSize.height), delegate: self)
    // Use the stored number of lines for the first frame, because the settings are read after that frame.
    let lineLimit = services.windowState.integers(["preview-lines"])["preview-lines"] ?? PreviewText.lineLimit
    let list = HistoryList(
      controller, now: services.now, lineLimit: lineLimit.clamped(to: Preferences.previewLines))
    controller.model.listModel.onItemsChanged(weakly(self) { window, _, _, _ in window.countChanged() })
    openingError = nil
    enter(.open(list))
    if let obstacle { notice.withdraw(obstacle) }
    obstacle = history.store.obstacle?.reasonForReadOnly
    if let obstacle { notice.show(obstacle, lifetime: .long) }
    // At the start, `drawn` does this after the first frame.
    guard isDrawn else { return }
    body.focusNewest()
    complete()
  }

  private func show(_ error: StoreError) {
    if error != openingError { printError(error.message) }
    openingError = error
    enter(.unavailable(error, wasLeft: false))
  }

  /// Recovers the damaged history off the main thread, because this may take several seconds.
  private func recoverHistory() async {
    do throws(StoreError) {
      let outcome = try await services.recoverHistory()
      openHistory(recovering: false)
      if let outcome { notice.show(outcome.message, lifetime: .long) }
    } catch {
      show(error)
    }
  }

  private func drawn() {
    isDrawn = true
    (notice.canAnnounce, retentionBar.canAnnounce) = (isActive, isActive)
    window.emitActivityAgain()
    // Set no icon on Wayland: compositors use the desktop file's icon, and GTK 4.24 would draw the header again.
    if Display.backend != .wayland {
      Task.unpooled { [window] in
        // Wait until idle, because `setIcon` makes GTK render the icon in several sizes for X11's panels. This takes
        // 6 ms, and 10 MiB of memory if the icon is an SVG.
        await MainLoop.idle()
        window.setIcon(CopyPasta.id)
      }
    }
    complete()
  }

  /// If a history is open, does the work that can wait until after the first frame.
  private func complete() {
    guard let controller else { return }
    followSettings()
    // Start reading after the settings are applied, because they limit the size of a text.
    followActivity()
    // First draw the frame with the reading indicator, because loading the rest makes GTK build some 200 rows.
    window.onNextFrame { [weak self, weak controller] in
      Task.unpooled {
        await controller?.loadRest()
        self?.expire()
      }
    }
  }

  private func followSettings() {
    useSettings()
    observations = [
      services.preferences.observe(.sizeLimit, weakly(self) { $0.useSettings() }),
      services.preferences.observe(.previewLines, weakly(self) { $0.useSettings() }),
      services.shortcut.changes.add(weakly(self) { $0.useSettings() }),
      services.preferences.observe(.retentionPeriod, weakly(self) { $0.expire() }),
    ]
  }

  private func useSettings() {
    controller?.setSizeLimit(services.preferences.sizeLimitInMiB << 20)
    list?.lineLimit = services.preferences.previewLineCount
    let advice = services.shortcut.advice
    body.emptyPage.add(advice.words, command: advice.command)
    list?.showNote(
      advice.command == nil
        ? advice.words : tr("To show the history from any app, set up a shortcut in Preferences."))
  }

  /// Deletes expired items or asks about them, once all clips are in the list, and repeatedly while the window is
  /// shown.
  private func expire() {
    retentionTimer = isShown ? Timeout(after: services.retention.interval, weakly(self) { $0.expire() }) : nil
    guard isDrawn, let controller, !controller.model.mayHaveMore else { return }
    controller.expire(by: services.retention)
  }

  private func answered(_ answer: RetentionBar.Answer) {
    switch answer {
    case .delete(let expired):
      services.retention.confirm(expired)
      expire()
    case .keep:
      // Changing the setting calls `expire` again.
      services.retention.keepForever()
      showNotice(tr("Nothing was deleted. Keep History For is now Forever."))
    }
  }

  /// Reads the clipboard while the window is active, the history is open and reading is not paused.
  func followActivity() {
    let isPaused = services.pause.isPaused
    body.isPaused = isPaused
    if let controller {
      services.clipboard.setReadingWindow(window.x11Number)
      controller.isReading = (isDrawn || isPrepared) && isActive && !isPaused
    }
    readingIndicator.state = isPaused ? .paused : controller?.isReading == true ? .reading : .idle
  }

  // MARK: - Input

  private func connect() {
    window.onActivityChange(weakly(self) { $0.activityChanged() })
    window.onAnyInput { [clipboard = services.clipboard] _ in clipboard.notePress() }
    window.onCloseRequest { [weak self] in
      self?.closed()
      return true
    }
    for action in HistoryAction.all {
      guard case .window(let run) = action.effect else { continue }
      actions.add(action.name, weakly(self, run))
      window.addKeys(action.triggers, running: action.fullName)
    }
    window.onControlDigit { [weak self] digit in
      guard let list = self?.list, digit <= list.controller.model.count else { return false }
      let id = list.controller.model.id(at: digit - 1)
      list.focus(id)
      list.controller.copy(id)
      return true
    }
    body.root.onDrop(
      of: services.clipboard.dropFormats, isAccepted: { [weak self] in self?.controller != nil }
    ) { [weak self] drop in
      if let controller = self?.controller { controller.record(drop) } else { drop.finish(accepted: false) }
    }
    body.root.addStyle("drop-place")
    actions.add("clear-history", weakly(self) { $0.askToClear() })
    actions.add(services.pause.action)
    pauseObservation = services.pause.changes.add(weakly(self) { $0.followActivity() })
    window.insert(actions, as: "win")
  }

  private func activityChanged() {
    activity.notify()
    if isDrawn { window.emitActivityAgain() }
    (notice.canAnnounce, retentionBar.canAnnounce) = (isDrawn && isActive, isDrawn && isActive)
    if !isShown { retentionTimer = nil } else if isActive && !wasActive || retentionTimer == nil { expire() }
    wasActive = isActive
    switch state {
    case .unavailable(let error, _) where !isActive: state = .unavailable(error, wasLeft: true)
    case .unavailable(_, wasLeft: true):
      // Try again, because the cause may no longer exist.
      services.forgetHistory()
      openHistory()
    case .open(let list) where isActive && list.controller.model.isReplaced:
      reopen(showing: StoreError.replaced.message)
    case .open(let list) where isActive && list.controller.isReadOnly:
      Task.unpooled { [weak self] in
        if await list.controller.resumesWriting() { self?.reopen() }
      }
    default: break
    }
    followActivity()
  }

  private func askToClear() {
    guard let controller, count > 0 else { return }
    ConfirmationDialog.ask(
      over: window, title: tr("Clear History?"),
      text: trn(
        "The only item will be deleted permanently.",
        "All %s items will be deleted permanently.", count
      ).filled(with: Format.number(count)), action: tr("C_lear History")
    ) { controller.clear() }
  }

  private func copyCommand() {
    guard let command = services.shortcut.advice.command else { return }
    Task.unpooled { [self] in
      let failure = await services.clipboard.offer(command: command)
      if let failure { showNotice(failure) } else { body.emptyPage.showCopied() }
    }
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
