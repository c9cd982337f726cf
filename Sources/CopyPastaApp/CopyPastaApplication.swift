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

    var arguments: [String] { self == .hidden ? ["--background"] : [] }
  }

  /// How long a program that was started by D-Bus activation waits for a call that keeps it running.
  private static let callTime = Duration.seconds(10)
  /// The time limit for ending.
  private static let endTime = Duration.milliseconds(2800)

  private let application = Application(id: CopyPasta.id)
  private let services = AppServices.live()
  private lazy var session = HistorySession(
    services, clipboard: services.windowSystem.makeClipboard())
  private var toggler: WindowToggler?
  private var window: HistoryWindow? { toggler?.window }
  private var preparation: Task<Void, Never>?
  private lazy var dialogs = Dialogs(
    on: services.windowSystem, added: { [application] in $0.join(application) }, closed: endIfUnneeded)
  private lazy var reasons = KeepAliveReasons { [self] in endIfUnneeded() }
  private var isEnding = false
  /// How the program starts again after its end, because it was launched meanwhile.
  private var successor: (start: Start, activation: Activation)?
  private let style = ProgramStyle()
  /// Follows the desktop's appearance; the first frame does not wait for it and uses the stored values.
  private lazy var appearance = Appearance.Follower(
    keptIn: KeyFile(path: Desktop.Folders.state + "/copypasta/appearance.ini", group: "appearance")
  ) { [style] in style.show($0) }
  private var trayIcon: TrayIcon?
  private lazy var haptics = Haptics(preferences: services.preferences)
  private var historyInterface: Bus.Registration?
  private var tokens: [ListenerToken] = []

  /// Creates the application with its actions; call this once the display is open.
  init() {
    // `endIfUnneeded` decides when the program ends.
    application.hold()
    application.onActivate { [self] in answer { show($0) } }
    application.addAction("show") { [self] in answer { show($0) } }
    application.addAction("toggle") { [self] in answer { ensureToggler().toggle($0) } }
    application.addAction("background") { [self] in answer(with: .hidden) { _ in } }
    application.addAction(services.pause.action)
    addDialogActions()
    application.addAction("quit", keys: HistoryAction.keys(of: "app.quit"), quit)
    application.onTerminationSignal(quit)
    tokens = [
      session.clipboard.changes.add { [self] _ in endIfUnneeded() },
      services.pause.changes.add { [self] in
        if services.pause.isPaused { reasons.hold(.pause) } else { reasons.end(.pause) }
      },
    ]
  }

  /// Claims the program's id; returns false if another process has it.
  func register() -> Bool { application.register() }

  /// Runs the main loop until the program quits; call this after `register`.
  ///
  /// - Returns: The exit status.
  func run(_ start: Start) -> Int32 {
    // A program that ends while it receives a text must not end this one. GLib ignores this signal, too, but only once it
    // uses sockets.
    signal(SIGPIPE, SIG_IGN)
    style.show(appearance.appearance)
    switch start {
    case .shown: show(.ambient)
    case .hidden:
      reasons.hold(.background)
      prepareWindow()
    case .onDemand:
      Task.unpooled { [self] in
        try await Timeout.wait(Self.callTime)
        endIfUnneeded()
      }
    }
    // The first frame does not wait for what follows.
    MainLoop.run(until: { window?.isDrawn != false || isEnding }, atMost: .seconds(1))
    MainLoop.limitMallocArenas()
    if !isEnding { joinDesktop() }
    let status = application.run()
    // The main loop must not run from here on, because GTK would run work that it has queued for a destroyed window.
    dialogs.close()
    window?.destroy()
    toggler = nil
    Settings.flush()
    if let successor {
      // The timer would outlive this program, and end the next one.
      endProcess(after: nil)
      ProgramFiles.startAgain(successor.start.arguments, successor.activation)
    }
    return status
  }

  /// Does what another launch requests or, if this process is ending, starts the program again afterwards.
  private func answer(with start: Start = .shown, _ request: (Activation) -> Void) {
    let activation = application.activation
    guard isEnding else { return request(activation) }
    // The main thread does not hang, so wait longer for it.
    endProcess(after: .seconds(10))
    if start == .shown || successor == nil { successor = (start, activation) }
  }

  // MARK: - The window

  /// Shows the window in front, with the focus on the newest row.
  private func show(_ activation: Activation, asPopup isPopup: Bool = false) {
    ensureToggler().show(activation, asPopup: isPopup)
  }

  /// Hides the window at the user's request; the first time, a notification explains that the program keeps running.
  private func closeWindow() {
    toggler?.hide()
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
    let window = HistoryWindow(
      services, session, dialogMessages: { [dialogs] in dialogs.messagesInFront }, showText: showText,
      closed: closeWindow)
    let toggler = WindowToggler(
      window, preferences: { [services] in services.preferences }, hidden: windowHidden)
    tokens += [
      session.events.add { [self] in if case .done(let event, _, _) = $0, event.isCopy { haptics.copied() } },
      dialogs.activity.add(weakly(toggler) { $0.dialogActivityChanged() }),
    ]
    window.join(application)
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

  // MARK: - Dialogs

  private func addDialogActions() {
    application.addAction("preferences", keys: HistoryAction.keys(of: "app.preferences")) { [self] in
      answer { showPreferences($0) }
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
  private func joinDesktop() {
    if !SessionBus.isThere {
      printError(
        tr("No session bus: a second launch, --toggle and the tray icon cannot reach this window."))
    }
    SessionBus.onEnd { [self] in
      printError(tr("The connection to the session bus was lost."))
      quit()
    }
    Task.unpooled { [self] in
      // Without a bus the stored appearance stays, and there is no tray icon.
      do throws(BusError) {
        let bus = try await Bus.session()
        guard !isEnding else { return }
        appearance.follow(on: bus)
        showTrayIcon(on: bus)
        tokens.append(services.preferences.observe(.showsTrayIcon) { [self] in showTrayIcon(on: bus) })
        historyInterface = try HistoryBusInterface.export(on: bus, clear: clearHistory)
      } catch {}
    }
    services.startAtLogin.adoptReplacedSetting(SettingsSchema(CopyPasta.id + ".Replaced"))
    startShortcut()
  }

  /// Shows or removes the tray icon, as the user prefers.
  private func showTrayIcon(on bus: Bus) {
    trayIcon = nil
    guard services.preferences[flag: .showsTrayIcon], !isEnding else { return reasons.end(.trayIcon) }
    do throws(BusError) {
      trayIcon = try TrayIcon(on: bus, pause: services.pause, requested: requested) { [self] isShown in
        if isShown { reasons.hold(.trayIcon) } else { reasons.lose(.trayIcon) }
      }
    } catch {
      // The connection was closed, so the program is ending.
    }
  }

  private func startShortcut() {
    let shortcut = services.shortcut
    tokens += [
      shortcut.presses.add { [self] in if !isEnding { ensureToggler().toggle($0) } },
      shortcut.changes.add { [self] in holdOrEndShortcut() },
    ]
    // An open menu of this program has grabbed the keyboard, so it receives the press in place of the key grab.
    application.onMenuKey = { [self] pressed in
      guard case .held(by: .keyGrab, _) = shortcut.state,
        pressed == Accelerator(services.preferences.shortcut)
      else { return false }
      ensureToggler().toggle(.ambient)
      return true
    }
    shortcut.start()
  }

  private func holdOrEndShortcut() {
    switch services.shortcut.state {
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
  ///
  /// Hides everything, releases the shortcut and the tray, finishes the work that is left, and ends the main loop.
  private func quit() {
    guard !isEnding else { return }
    isEnding = true
    endProcess(after: .milliseconds(2900))
    preparation?.cancel()
    window?.hide()
    // Do not destroy the dialogs while the main loop runs, because GTK 4.8 would use them afterwards.
    for dialog in Window.shown { dialog.isVisible = false }
    (trayIcon, historyInterface) = (nil, nil)
    Task.unpooled { [self] in
      await MainLoop.wait(atMost: Self.endTime) { [self] in
        await services.shortcut.release()
        await session.end()
      }
      application.quit()
    }
  }

  /// Ends the process after a delay even if the main thread hangs; nil for never.
  ///
  /// GDK waits for the X server to hide and destroy windows, and the server does not answer while another program has
  /// grabbed it.
  private func endProcess(after delay: Duration?) {
    signal(SIGALRM) { _ in _exit(0) }
    let delay = delay?.milliseconds ?? 0
    var timer = itimerval()
    (timer.it_value.tv_sec, timer.it_value.tv_usec) = (
      time_t(delay / 1000), suseconds_t(delay % 1000 * 1000)
    )
    setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
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
      if !isNeeded { quit() }
    }
  }
}
