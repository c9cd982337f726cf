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

  let application = Application(id: CopyPasta.id)
  let environment = Environment.live()
  var popup: Popup?
  var window: HistoryWindow?
  var dialogs: Dialogs?
  lazy var reasons = StayReasons { [weak self] in self?.endIfUnneeded() }
  private var callWait: Timeout?
  var isEnding = false
  private var style: ProgramStyle?
  /// What the desktop prefers: before the first frame what it said last, for that is not to wait.
  private lazy var appearance = AppearanceFollower(
    keptIn: KeyFile(path: UserFolders.state + "/copypasta/appearance.ini", group: "appearance")
  ) { [weak self] in self?.style?.show($0) }
  var trayIcon: TrayIcon?
  var startAtLogin: StartAtLogin?
  lazy var haptics = Haptics(preferences: environment.preferences)
  var shortcutObservation: Observation?

  /// Runs until the program ends; the answer is the exit status.
  func run(_ start: Start) -> Int32 {
    application.onStartup { [weak self] in self?.joinDesktop() }
    application.onActivate { [weak self] in self?.show(.ambient) }
    application.onTerminationSignal { [weak self] in self?.quit() }
    Display.onLoss { [weak self] in self?.displayLost() }
    environment.clipboard.onOfferLost { [weak self] in self?.reasons.end(.offer) }
    switch start {
    case .shown: showAhead()
    case .hidden: reasons.hold(.background)
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

  /// Goes on to look as the desktop prefers it.
  func followAppearance() {
    Task { [appearance] in
      do throws(BusError) {
        appearance.follow(on: try await Bus.session())
      } catch {
        // No bus, no news; that there is none was said.
      }
    }
  }

  // MARK: The window

  /// Shows the window in front, with the keyboard on the newest row.
  func show(_ activation: Activation) { shownPopup().show(activation) }

  /// Hides the window where the user works in it, and shows it otherwise.
  func toggle(_ activation: Activation) { shownPopup().toggle(activation) }

  /// Takes the window off the screen, and ends the program where nothing needs it any more.
  func hide() { popup?.hide() }

  func shownPopup() -> Popup {
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
    reasons.forgetLost()
    Task { [weak self] in
      // A copy that was asked for just before is on the clipboard then.
      await self?.window?.settle()
      self?.endIfUnneeded()
    }
  }

  /// Gives all windows their style, once.
  func addStyle() {
    guard style == nil else { return }
    let style = ProgramStyle()
    style.show(appearance.appearance)
    self.style = style
  }
}
