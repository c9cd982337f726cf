import Glibc
import GtkKit
import SerialQueue

/// The life of the process: what it starts with, when it shows its window, and when it ends.
///
/// The closures that hear of the desktop hold the application, which lives as long as the process.
@MainActor
final class CopyPastaApplication {
  /// How the program is started.
  enum Start {
    /// With its window.
    case shown
    /// Without it, to stay.
    case hidden
    /// Without it, for a call over D-Bus that is about to come.
    case onDemand
  }

  /// How long a program that was started for a call waits for one that needs it.
  private static let callTime = Duration.seconds(10)

  private let startup: StartupServices
  private let application = Application(id: CopyPasta.id)
  private let services = AppServices.live()
  private var toggler: WindowToggler?
  private var window: HistoryWindow?
  private var preparation: Task<Void, Never>?
  private lazy var dialogs = Dialogs(of: application, closed: endIfUnneeded)
  private lazy var reasons = KeepAliveReasons { [self] in endIfUnneeded() }
  private var callWait: Timeout?
  private var isEnding = false
  private var style: ProgramStyle?
  /// Follows what the desktop prefers; the first frame does not wait for it, and has what the desktop said last.
  private lazy var appearance = Appearance.Follower(
    keptIn: KeyFile(path: Desktop.Folders.state + "/copypasta/appearance.ini", group: "appearance")
  ) { [self] in style?.show($0) }
  private var trayIcon: TrayIcon?
  private var startAtLogin: StartAtLogin?
  private lazy var haptics = Haptics(preferences: services.preferences)
  private var tokens: [ListenerToken] = []

  /// - Parameter startup: what GTK waits for as it starts.
  init(_ startup: StartupServices) {
    self.startup = startup
  }

  /// Runs until the program ends.
  ///
  /// - Returns: the exit status.
  func run(_ start: Start) -> Int32 {
    application.onStartup { [self] in
      joinDesktop()
      if start == .hidden { prepareWindow() }
    }
    application.onActivate { [self] in show(.ambient) }
    application.onTerminationSignal(quit)
    Display.onLoss(displayLost)
    tokens.append(services.clipboard.offerLosses.add(endIfUnneeded))
    // Waits before the window is there: keys that are pressed until the application runs would meet no action.
    startup.awaitBeforeApplication()
    switch start {
    case .shown: showAhead()
    case .hidden: reasons.hold(.background)
    case .onDemand: callWait = Timeout(after: Self.callTime, endIfUnneeded)
    }
    let status = isEnding ? 0 : application.run()
    end()
    return status
  }

  /// Draws the window before the program is registered on the bus, which took 18 ms of 119 to the first frame.
  private func showAhead() {
    show(.ambient)
    MainLoop.run(until: { window?.isDrawn == true }, atMost: .seconds(1))
  }

  private func joinDesktop() {
    startup.gtkHasStarted()
    addStyle()
    // `endIfUnneeded` decides whether the program lives on, and not GTK's count of windows.
    application.hold()
    application.addAction("show") { [self] in show(.ambient) }
    application.addAction("toggle") { [self] in ensureToggler().toggle(.ambient) }
    application.addAction(services.pause.action)
    addDialogActions()
    application.addAction("quit", keys: ["<Control>q"], quit)
    window?.join(application)
    if !SessionBus.isThere {
      printError(
        tr("No session bus: a second launch, --toggle and the tray icon cannot reach this window."))
    }
    SessionBus.onEnd { [self] in
      printError(tr("The connection to the session bus was lost."))
      quit()
    }
    if isEnding { application.quit() } else { startParts() }
  }

  // MARK: - The window

  /// Shows the window in front, with the focus on the newest row.
  private func show(_ activation: Activation) { ensureToggler().show(activation) }

  /// Takes the window off the screen, and ends the program if nothing needs it any more.
  private func hide() { toggler?.hide() }

  /// Hides the window for the user, and tells them once that the program keeps running.
  private func closeWindow() {
    hide()
    guard window?.isShown == false, !reasons.isEmpty else { return }
    services.hints.showOnce(.keepsRunning) {
      let wayBack =
        if case .held(_, let name?) = services.shortcut.state {
          tr("%s shows it.").filled(with: name)
        } else if reasons.holds(.trayIcon) {
          tr("Its icon in the tray shows it.")
        } else {
          tr("Open it again to show it.")
        }
      Notification(title: tr("CopyPasta keeps running"), body: wayBack).send()
    }
  }

  private func ensureToggler() -> WindowToggler {
    if let toggler { return toggler }
    addStyle()
    let window = HistoryWindow(services, showText: showText, closed: closeWindow)
    let toggler = WindowToggler(
      window, preferences: { [services] in services.preferences }, hidden: windowHidden)
    tokens.append(window.copies.add { [self] in haptics.copied() })
    if application.isRegistered { window.join(application) }
    self.window = window
    self.toggler = toggler
    return toggler
  }

  /// Makes the window of a program that was started hidden, and all in it, before it is asked for.
  private func prepareWindow() {
    preparation = Task.unpooled { [self] in
      // The shortcut works without the window, and comes first.
      await services.shortcut.awaitOutcome()
      await MainLoop.idle()
      guard window == nil, !Task.isCancelled else { return }
      // A history that cannot be opened is tried again when somebody is there to read why.
      guard case .success = services.history else { return services.forgetHistory() }
      await MainLoop.idle()
      guard window == nil, !Task.isCancelled else { return }
      _ = ensureToggler()
      await window?.prepare()
    }
  }

  private func windowHidden() {
    // A text that is shown belongs to a row, which is out of sight now.
    dialogs.close(.text)
    reasons.forgetLost()
    Task.unpooled { [self] in
      // A copy that was asked for just before is on the clipboard after this.
      await window?.controller?.drain()
      endIfUnneeded()
    }
  }

  /// Gives all windows their style, once.
  private func addStyle() {
    guard style == nil else { return }
    let style = ProgramStyle()
    style.show(appearance.appearance)
    self.style = style
  }

  // MARK: - The windows beside the main one

  /// Adds the actions that show them.
  private func addDialogActions() {
    application.addAction("preferences", keys: ["<Control>comma"]) { [self] in showPreferences(.ambient) }
    application.addAction("shortcuts", keys: ["<Control>question"]) { [self] in
      dialogs.show(.shortcuts, above: window?.parentOfDialogs) { [services] in
        ShortcutsWindow(services.shortcut.state)
      }
    }
    application.addAction("about") { [self] in
      dialogs.show(.about, above: window?.parentOfDialogs) { AboutDialog() }
    }
  }

  /// Shows the preferences, above the window if that is shown.
  private func showPreferences(_ activation: Activation) {
    startAtLogin?.reconcile()
    dialogs.show(.preferences, above: window?.parentOfDialogs, activation) { PreferencesWindow(services) }
  }

  /// Shows a text of the history above the window.
  private func showText(_ text: TextWindow) { dialogs.show(text, above: window?.parentOfDialogs) }

  // MARK: - With the window hidden, too: the tray icon, the global shortcut, the start at login

  /// Starts these parts, after the first frame.
  private func startParts() {
    Task.unpooled { [appearance] in
      // Without a bus there is no news; the start has complained of that.
      do throws(BusError) { appearance.follow(on: try await Bus.session()) } catch {}
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
    let entry: any StartAtLogin.Entry =
      Desktop.isFlatpak ? StartAtLogin.BackgroundPortal() : StartAtLogin.AutostartFile()
    let agreement = KeyFile(
      path: Desktop.Folders.state + "/copypasta/start-at-login.ini", group: "start-at-login")
    startAtLogin = StartAtLogin(
      preferences, entry, agreement: preferences.areKept ? agreement : nil, failed: startAtLoginFailed)
    startShortcut()
  }

  private func startShortcut() {
    let shortcut = services.shortcut
    tokens += [
      shortcut.presses.add { [self] in ensureToggler().toggle($0) },
      shortcut.changes.add { [self] in shortcutChanged(to: shortcut.state) },
    ]
    shortcut.start()
  }

  private func shortcutChanged(to state: ShortcutState) {
    switch state {
    case .held(by: .keyGrab, _), .held(by: .portal, _): reasons.hold(.shortcut)
    // The shortcut is given back while the user chooses another one, and asked for again if it was lost.
    case .starting: break
    // GNOME starts the program if it does not run.
    case .off, .held(by: .gnome, _), .notHeld(.malformed), .notHeld(.unsuitable), .notHeld(.refused),
      .notHeld(.removed):
      reasons.end(.shortcut)
    case .notHeld(.taken), .notHeld(.missing), .notHeld(.notInstalled), .notHeld(.unsupported):
      reasons.lose(.shortcut)
    }
  }

  /// Says why the setting went back: in Preferences if they are open, else in the window.
  private func startAtLoginFailed(_ message: String) {
    printError(message)
    if let preferences = dialogs.open[.preferences] as? PreferencesWindow {
      preferences.showStartAtLoginError(message)
    } else {
      window?.showNotice(message)
    }
  }

  private func requested(_ request: TrayIcon.Request, _ activation: Activation) {
    switch request {
    case .toggle: ensureToggler().toggleByClick(activation)
    case .show: show(activation)
    case .pause: services.pause.isPaused.toggle()
    case .preferences: showPreferences(activation)
    case .quit: quit()
    }
  }

  // MARK: - The end

  /// Makes the program quit at the next turn of the main loop.
  private func quit() {
    isEnding = true
    // GTK takes the windows along before the loop has done all that waits in it.
    preparation?.cancel()
    // An application that has not started yet will not start; quitting it now would log a warning.
    if application.isRegistered { application.quit() }
  }

  /// Ends the program if no window is shown, no reason to stay is left, and no text would go with it.
  private func endIfUnneeded() {
    let isShown = window?.isShown == true || dialogs.areOpen
    if !isShown && reasons.isEmpty && !services.clipboard.isOffering { quit() }
  }

  /// Takes everything down, once the main loop has ended.
  private func end() {
    window?.hide()
    MainLoop.wait(atMost: .seconds(3)) { [window, services] in
      // Something may be on its way to the disk: a row that was deleted just now has to be gone.
      await window?.controller?.drain()
      await services.clipboard.handOver()
    }
    // From here on the main loop does not turn: GTK would do what it has queued for a window that is gone.
    dialogs.close()
    toggler = nil
    // Taken out first: a window that finds the display gone calls `displayLost`, which asks for the window.
    window.take()?.destroy()
    trayIcon = nil
    services.close()
  }

  /// The X server or the compositor has ended: so must this program, with all that is on its way to the disk.
  private func displayLost() {
    printError(tr("The connection to the display was lost."))
    window?.rememberSize()
    // On Wayland a read would wait for the main loop, which does not run any more.
    window?.controller?.endReading()
    MainLoop.finish(atMost: .seconds(2)) { [window, services] in
      await window?.controller?.drain()
      await services.closeHistory()
    }
    exit(1)
  }
}
