import ClipHistory
import Glibc
import GtkKit
import SerialQueue

/// The application's life cycle: starts the parts, shows the window, and ends the process.
///
/// Closures may retain the application, because it lives as long as the process.
@MainActor
final class CopyPastaApplication {
  enum Start {
    case shown
    /// Start without the window, and keep running.
    case hidden
    /// Start without the window, through D-Bus activation, to handle a call.
    case onDemand
  }

  /// How long a program that was started by D-Bus activation waits for a call that keeps it running.
  private static let callTime = Duration.seconds(10)
  /// The time limit for ending.
  private static let endTime = Duration.milliseconds(2800)

  private let startup: StartupServices
  private let calls: EarlyCalls
  private let application = Application(id: CopyPasta.id)
  private let services = AppServices.live()
  private lazy var session = HistorySession(
    services, clipboard: services.windowSystem.makeClipboard())
  private var toggler: WindowToggler?
  private var window: HistoryWindow?
  private var preparation: Task<Void, Never>?
  private lazy var dialogs = Dialogs(
    of: application, on: services.windowSystem, closed: endIfUnneeded)
  private lazy var reasons = KeepAliveReasons { [self] in endIfUnneeded() }
  private var callWait: Timeout?
  /// Whether the program is ending; another launch then starts it again afterwards.
  private var isEnding = false
  private var startsAgain = false
  private var style: ProgramStyle?
  /// Follows the desktop's appearance; the first frame does not wait for it and uses the stored values.
  private lazy var appearance = Appearance.Follower(
    keptIn: KeyFile(path: Desktop.Folders.state + "/copypasta/appearance.ini", group: "appearance")
  ) { [self] in style?.show($0) }
  private var trayIcon: TrayIcon?
  private lazy var haptics = Haptics(preferences: services.preferences)
  /// Whether the parts that work without the window were started.
  private var hasStarted = false
  private var historyInterface: Bus.Registration?
  private var tokens: [ListenerToken] = []

  /// - Parameters:
  ///   - startup: The services that GTK waits for as it starts.
  ///   - calls: The requests of other launches before `run`.
  init(_ startup: StartupServices, _ calls: EarlyCalls) {
    (self.startup, self.calls) = (startup, calls)
  }

  /// Runs the main loop until the program quits.
  ///
  /// - Returns: The exit status.
  func run(_ start: Start) -> Int32 {
    // A program that ends while it receives a text must not end this one. GLib ignores this signal, too, but only once it
    // uses sockets.
    signal(SIGPIPE, SIG_IGN)
    application.onStartup { [self] in
      joinDesktop()
      if start == .hidden { prepareWindow() }
    }
    application.onActivate { [self] in answer { show(.ambient) } }
    application.onTerminationSignal(quit)
    tokens.append(session.clipboard.changes.add { [self] _ in endIfUnneeded() })
    tokens.append(
      services.pause.changes.add { [self] in
        if services.pause.isPaused { reasons.hold(.pause) } else { reasons.end(.pause) }
      })
    // Wait before the window is shown, because keys pressed in the window have no effect until the application runs.
    startup.awaitBeforeApplication()
    switch start {
    case .shown: showAhead()
    case .hidden: reasons.hold(.background)
    case .onDemand: callWait = Timeout(after: Self.callTime, endIfUnneeded)
    }
    let actions = calls.end()
    application.onStartup { [application] in
      // The window that is being shown must not be hidden again.
      for action in actions {
        application.activate(action: action.map { $0 == "toggle" ? "show" : $0 } ?? "show")
      }
    }
    let status = application.run()
    // The main loop must not run from here on, because GTK would run work that it has queued for a destroyed window.
    dialogs.close()
    toggler = nil
    window?.destroy()
    window = nil
    Settings.flush()
    if startsAgain { ProgramFiles.startAgain() }
    return status
  }

  /// Does what another launch requests or, if this process is ending, starts the program again afterwards.
  private func answer(_ request: () -> Void) { if isEnding { startsAgain = true } else { request() } }

  /// Draws the window before registering on the bus, because registering took 18 of the 119 ms to the first frame.
  private func showAhead() {
    show(.ambient)
    MainLoop.run(until: { window?.isDrawn == true || isEnding }, atMost: .seconds(1))
  }

  private func joinDesktop() {
    startup.gtkHasStarted()
    MainLoop.limitMallocArenas()
    addStyle()
    // `endIfUnneeded` decides when the program ends, instead of GTK's count of windows.
    application.hold()
    application.addAction("show") { [self] in answer { show(.ambient) } }
    application.addAction("toggle") { [self] in answer { ensureToggler().toggle(.ambient) } }
    application.addAction(services.pause.action)
    addDialogActions()
    application.addAction("quit", keys: HistoryAction.keys(of: "app.quit"), quit)
    window?.join(application)
    if !SessionBus.isThere {
      printError(
        tr("No session bus: a second launch, --toggle and the tray icon cannot reach this window."))
    }
    SessionBus.onEnd { [self] in
      printError(tr("The connection to the session bus was lost."))
      quit()
    }
    if isEnding { end() } else { startParts() }
  }

  // MARK: - The window

  /// Shows the window in front, with the focus on the newest row.
  private func show(_ activation: Activation, asPopup isPopup: Bool = false) {
    ensureToggler().show(activation, asPopup: isPopup)
  }

  /// Hides the window, and ends the program if nothing else keeps it running.
  private func hide() { toggler?.hide() }

  /// Hides the window at the user's request; the first time, a notification explains that the program keeps running.
  private func closeWindow() {
    hide()
    guard window?.isShown == false, !reasons.isEmpty else { return }
    services.hints.showOnce(.keepsRunning) {
      let wayBack =
        if case .held(_, let name) = services.shortcut.state {
          tr("Press %s to show it.").filled(with: name)
        } else if reasons.holds(.trayIcon) {
          tr("Use its tray icon to show it.")
        } else {
          tr("Launch it again to show it.")
        }
      Notification(title: tr("CopyPasta keeps running"), body: wayBack).send()
    }
  }

  private func ensureToggler() -> WindowToggler {
    if let toggler { return toggler }
    addStyle()
    let window = HistoryWindow(
      services, session, dialogMessages: { [dialogs] in dialogs.messagesInFront }, showText: showText,
      closed: closeWindow)
    let toggler = WindowToggler(
      window, preferences: { [services] in services.preferences }, hidden: windowHidden)
    tokens += [
      session.events.add { [self] in if case .done(let event, _, _) = $0, event.isCopy { haptics.copied() } },
      dialogs.activity.add(weakly(toggler) { $0.dialogActivityChanged() }),
    ]
    if application.isRegistered { window.join(application) }
    self.window = window
    self.toggler = toggler
    return toggler
  }

  /// Builds the window of a program that was started hidden, so that it appears faster when it is shown.
  private func prepareWindow() {
    preparation = Task.unpooled { [self] in
      // Wait for the shortcut, which works without the window and has priority.
      await services.shortcut.awaitOutcome()
      await MainLoop.idle()
      guard window == nil, !Task.isCancelled else { return }
      // Recover a damaged history only when the window is shown and can show what was recovered.
      session.open(mayRecover: false)
      await MainLoop.idle()
      guard session.isOpen, window == nil, !Task.isCancelled else { return }
      _ = ensureToggler()
      await window?.prepare()
    }
  }

  /// Deletes all items for `copypasta --clear`, which does not ask.
  private func clearHistory() async throws(StoreError) -> Int {
    session.open()
    let count = try await withCheckedContinuation { cleared in
      session.clear { cleared.resume(returning: $0) }
    }.get()
    var attempts = 20
    while await session.store.mayHoldDeletedTexts() {
      // Another program reads the file. The store tries again later, but the caller must not rely on it.
      guard attempts > 0 else { throw .locked }
      attempts -= 1
      do { try await Timeout.wait(.milliseconds(100)) } catch { throw .locked }
    }
    return count
  }

  private func windowHidden() {
    // Close the window's dialogs, too. They are the only windows still shown, because the window is already hidden.
    Window.shown.forEach { $0.destroy() }
    reasons.forgetLost()
    endIfUnneeded()
  }

  private func addStyle() {
    guard style == nil else { return }
    let style = ProgramStyle()
    style.show(appearance.appearance)
    self.style = style
  }

  // MARK: - Dialogs

  private func addDialogActions() {
    application.addAction("preferences", keys: HistoryAction.keys(of: "app.preferences")) { [self] in
      answer { showPreferences(.ambient) }
    }
    application.addAction("shortcuts", keys: HistoryAction.keys(of: "app.shortcuts")) { [self] in
      dialogs.show(.shortcuts, above: window?.parentOfDialogs) { [services] in
        ShortcutsWindow(services.shortcut)
      }
    }
    application.addAction("about") { [self] in
      dialogs.show(.about, above: window?.parentOfDialogs) { AboutDialog() }
    }
  }

  private func showPreferences(_ activation: Activation) {
    dialogs.show(.preferences, above: window?.parentOfDialogs, activation) {
      PreferencesWindow(services, session)
    }
  }

  private func showText(_ text: TextWindow) { dialogs.show(text, above: window?.parentOfDialogs) }

  // MARK: - Tray icon, global shortcut and start at login

  /// Starts the parts that work without the window, after the first frame.
  private func startParts() {
    hasStarted = true
    Task.unpooled { [self] in
      // Without a bus the stored appearance stays; `joinDesktop` has printed that the bus is missing.
      do throws(BusError) {
        let bus = try await Bus.session()
        appearance.follow(on: bus)
        historyInterface = try HistoryBusInterface.export(on: bus, clear: clearHistory)
      } catch {}
    }
    trayIcon = TrayIcon(preferences: services.preferences, pause: services.pause, requested: requested) {
      [self] isShown in
      if isShown { reasons.hold(.trayIcon) } else { reasons.lose(.trayIcon) }
    }
    let preferences = services.preferences
    tokens.append(
      preferences.observe(.showsTrayIcon) { [self] in
        if !preferences[flag: .showsTrayIcon] { reasons.end(.trayIcon) }
      })
    services.startAtLogin.adoptReplacedSetting(SettingsSchema(CopyPasta.id + ".Replaced"))
    startShortcut()
  }

  private func startShortcut() {
    let shortcut = services.shortcut
    tokens += [
      shortcut.presses.add { [self] in if !isEnding { ensureToggler().toggle($0) } },
      shortcut.changes.add { [self] in shortcutChanged(to: shortcut.state) },
    ]
    shortcut.start()
  }

  private func shortcutChanged(to state: ShortcutState) {
    // An open menu of this program has grabbed the keyboard, so it receives the press in place of the key grab.
    application.onMenuKey = { [self] pressed in
      guard case .held(by: .keyGrab, _) = state, pressed == Accelerator(services.preferences.shortcut) else {
        return false
      }
      ensureToggler().toggle(.ambient)
      return true
    }
    switch state {
    case .held(by: .keyGrab, _), .held(by: .portal, _): reasons.hold(.shortcut)
    // Keep the reason: this state lasts only while the user chooses other keys, or while the shortcut is requested.
    case .starting: break
    // GNOME's shortcut starts the program if necessary, so the program need not keep running for it.
    case .off, .held(by: .gnome, _), .notHeld(.refused): reasons.end(.shortcut)
    case .notHeld(.taken), .notHeld(.missing), .notHeld(.unsupported): reasons.lose(.shortcut)
    }
  }

  private func requested(_ request: TrayIcon.Request, _ activation: Activation) {
    switch request {
    case .toggle: ensureToggler().toggleByClick(activation)
    case .show: show(activation, asPopup: true)
    case .pause: services.pause.isPaused.toggle()
    case .preferences: showPreferences(activation)
    case .quit: quit()
    }
  }

  // MARK: - The end

  /// Ends the program; does nothing if it is ending already.
  private func quit() {
    guard !isEnding else { return }
    isEnding = true
    // Otherwise, `joinDesktop` calls `end`.
    if application.isRegistered { end() }
  }

  /// Hides everything, releases the shortcut and the tray, finishes the work that is left, and then ends the main loop.
  private func end() {
    // Cancel the preparation, because GTK destroys the windows before the main loop has run all pending work.
    preparation?.cancel()
    window?.hide()
    // Do not destroy the dialogs while the main loop runs, because GTK 4.8 would use them afterwards.
    for dialog in Window.shown { dialog.isVisible = false }
    (trayIcon, historyInterface) = (nil, nil)
    Task.unpooled { [self] in
      await MainLoop.wait(atMost: Self.endTime) { [self] in
        if hasStarted { await services.shortcut.release() }
        await session.end()
      }
      application.quit()
    }
  }

  /// Whether a window is shown, something else keeps the program running, or the clipboard needs this process.
  private var isNeeded: Bool {
    window?.isShown == true || dialogs.areOpen || !reasons.isEmpty || session.clipboard.isOffering
  }

  /// Quits once everything is on disk, unless the program is needed.
  private func endIfUnneeded() {
    guard !isNeeded else { return }
    Task.unpooled { [self] in
      // First drain: texts may wait for another program's lock, and a copy in progress may make the program needed.
      await session.drain()
      if !isNeeded, !isEnding { quit() }
    }
  }
}
