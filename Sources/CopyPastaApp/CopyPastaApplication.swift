import Glibc
import GtkKit

/// The life of the process: what it starts with, when it shows its window, and when it ends.
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

  private let application = Application(id: CopyPasta.id)
  private let environment = Environment.live()
  private var popup: Popup?
  private var window: HistoryWindow?
  private var dialogs: Dialogs?
  private lazy var reasons = StayReasons { [weak self] in self?.endIfUnneeded() }
  private var callWait: Timeout?
  private var isEnding = false
  private var isStyled = false
  private var trayIcon: TrayIcon?
  private lazy var haptics = Haptics(preferences: environment.preferences)
  private var shortcutObservation: Observation?

  /// Runs until the program ends; the answer is the exit status.
  func run(_ start: Start) -> Int32 {
    application.onStartup { [weak self] in self?.joinDesktop() }
    application.onActivate { [weak self] in self?.show(.ambient) }
    application.onTerminationSignal { [weak self] in self?.quit() }
    Display.onLoss { [weak self] in self?.displayLost() }
    environment.clipboard.onOfferLost { [weak self] in self?.reasons.set(.offer, holds: false) }
    switch start {
    case .shown: showAhead()
    case .hidden: reasons.set(.background, holds: true)
    case .onDemand: callWait = Timeout(after: Self.callTime) { [weak self] in self?.endIfUnneeded() }
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
    // Whether it lives on is decided here, by what it would be missed for, and not by GTK's count of windows.
    application.hold()
    application.addAction("show") { [weak self] in self?.show(.ambient) }
    application.addAction("toggle") { [weak self] in self?.toggle(.ambient) }
    addDialogActions()
    application.addAction("quit", keys: ["<Control>q"]) { [weak self] in self?.quit() }
    window?.join(application)
    if !SessionBus.isThere {
      complain(
        tr("No session bus: a second launch, --toggle and the tray icon cannot reach this window."))
    }
    if isEnding { application.quit() } else { startParts() }
  }

  /// Starts what goes on with the window hidden, too; the first frame is drawn by then.
  private func startParts() {
    trayIcon = TrayIcon(preferences: environment.preferences) { [weak self] request, activation in
      self?.requested(request, activation)
    } shownChanged: { [weak self] in
      self?.reasons.set(.trayIcon, holds: $0)
    }
    let preferences = environment.preferences
    preferences.onChange(of: .startsAtLogin) { [weak self] in
      self?.startAtLogin(preferences.startsAtLogin)
    }
    startShortcut()
  }

  private func startShortcut() {
    let shortcut = environment.shortcut
    shortcut.onActivated { [weak self] in self?.toggle($0) }
    shortcutObservation = shortcut.observe { [weak self, weak shortcut] in
      self?.reasons.set(.shortcut, holds: shortcut?.state.needsProcess == true)
    }
    shortcut.start()
  }

  private func requested(_ request: TrayIcon.Request, _ activation: Activation) {
    switch request {
    case .toggle: toggle(activation)
    case .show: show(activation)
    case .preferences: showPreferences(activation)
    case .quit: quit()
    }
  }

  private func startAtLogin(_ starts: Bool) {
    guard !Sandbox.isFlatpak else { return askForStartAtLogin(starts) }
    let autostart = Autostart()
    guard starts != autostart.isSet else { return }
    do throws(AutostartError) {
      try autostart.set(starts)
    } catch {
      complain(error.message)
      environment.preferences.startsAtLogin = autostart.isSet
      if dialogs?.report(error.message, of: .startsAtLogin) != true { window?.report(error.message) }
    }
  }

  private func askForStartAtLogin(_ starts: Bool) {
    Task { [weak self] in
      do throws(AutostartError) {
        try await AutostartPortal.ofSession().set(starts)
      } catch {
        complain(error.message)
        self?.window?.report(error.message)
      }
    }
  }

  // MARK: The window

  /// Shows the window in front, with the keyboard on the newest row.
  func show(_ activation: Activation) { shownPopup().show(activation) }

  private func addDialogActions() {
    application.addAction("preferences", keys: ["<Control>comma"]) { [weak self] in
      self?.showPreferences(.ambient)
    }
    application.addAction("shortcuts", keys: ["<Control>question"]) { [weak self] in
      guard let self else { return }
      shownDialogs().showShortcuts(above: window?.parentOfDialogs)
    }
    application.addAction("about") { [weak self] in
      guard let self else { return }
      shownDialogs().showAbout(above: window?.parentOfDialogs)
    }
  }

  private func showPreferences(_ activation: Activation) {
    shownDialogs().showPreferences(of: environment, above: window?.parentOfDialogs, activation)
  }

  private func shownDialogs() -> Dialogs {
    if let dialogs { return dialogs }
    addStyle()
    let dialogs = Dialogs(of: application) { [weak self] in self?.endIfUnneeded() }
    self.dialogs = dialogs
    return dialogs
  }

  private func addStyle() {
    guard !isStyled else { return }
    isStyled = true
    Style.add(css: String(decoding: PackageResources.style_css, as: UTF8.self))
  }

  /// Hides the window where the user works in it, and shows it otherwise.
  func toggle(_ activation: Activation) { shownPopup().toggle(activation) }

  /// Takes the window off the screen, and ends the program where nothing needs it any more.
  func hide() { popup?.hide() }

  private func shownPopup() -> Popup {
    if let popup { return popup }
    addStyle()
    let window = HistoryWindow(environment)
    let popup = Popup(window, preferences: { [environment] in environment.preferences }) { [weak self] in
      self?.windowHidden()
    }
    window.onClose { [weak self] in self?.hide() }
    window.onCopied { [weak self] in self?.haptics.copied() }
    if application.isRegistered { window.join(application) }
    self.window = window
    self.popup = popup
    return popup
  }

  private func windowHidden() {
    Task { [weak self] in
      // A copy that was asked for just before is on the clipboard then.
      await self?.window?.settle()
      self?.endIfUnneeded()
    }
  }

  // MARK: The end

  private func quit() {
    isEnding = true
    // One that does not run yet will not start; told to quit before, it would complain.
    if application.isRegistered { application.quit() }
  }

  /// Ends the program where no window is shown and nothing would be missed.
  private func endIfUnneeded() {
    reasons.set(.offer, holds: environment.clipboard.isOffering)
    let isShown = window?.isShown == true || dialogs?.areOpen == true
    if !isShown && reasons.isEmpty { quit() }
  }

  private func end() {
    dialogs?.close()
    dialogs = nil
    window?.hide()
    MainLoop.wait(atMost: .seconds(3)) { [window, environment] in
      // What is on its way to the disk: a row that was deleted just now has to be gone.
      await window?.settle()
      await environment.clipboard.handOver()
    }
    window?.destroy()
    popup = nil
    window = nil
    trayIcon = nil
    environment.close()
  }

  /// The X server or the compositor has ended: so must this program, with all that is on its way to the disk.
  private func displayLost() {
    complain(tr("The display has gone."))
    window?.rememberSize()
    MainLoop.finish(atMost: .seconds(2)) { [window, environment] in
      await window?.settle()
      await environment.closeHistory()
    }
    exit(1)
  }
}
