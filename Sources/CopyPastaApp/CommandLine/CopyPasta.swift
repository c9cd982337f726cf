import ClipHistory
import Glibc
import GtkKit

/// The program's entry point and its names.
@MainActor
public enum CopyPasta {
  /// The application id, D-Bus name and desktop file's name, on which other programs rely.
  static let id = "org.copypasta.CopyPasta"
  /// The name that users read, the same in every language.
  static let name = "CopyPasta"
  static let version = "1.2.0"
  static let website = "https://copypasta.org"
  static let issues = "https://copypasta.org/issues"

  /// Runs the command that the command line names.
  ///
  /// - Returns: The exit status.
  public static func run(arguments: [String]) -> Int32 {
    // Do this first, because everything after it may hold texts in memory.
    CrashReport.forbid()
    ProgramFiles.registerDataFolder()
    switch Invocation(arguments) {
    case .help: return printLine(Invocation.helpText) ? 0 : 1
    case .version: return printLine("copypasta \(version)") ? 0 : 1
    case .misused(let problem):
      printError(problem + " " + tr("See copypasta --help."))
      return 2
    case _ where !Desktop.Folders.unnameable.isEmpty:
      let variables = Desktop.Folders.unnameable.joined(separator: ", ")
      printError(tr("A folder’s path is not valid UTF-8: set %s to another folder.").filled(with: variables))
      return 1
    case .show: return start(.shown)
    case .background: return start(.hidden)
    case .service: return start(.onDemand)
    case .toggle: return toggle()
    case .quit: return quit()
    case .printing(let number): return Print.run(.ofThisUser, number, to: STDOUT_FILENO)
    case .export: return Export.run(.ofThisUser, to: STDOUT_FILENO)
    case .importing:
      let period = Preferences(schema: SettingsSchema(id)).retentionPeriod
      return Import.run(.ofThisUser, from: STDIN_FILENO, keeping: period)
    case .check: return Check.run(.ofThisUser)
    case .clear: return Clear.run(.ofThisUser, of: RunningApplication(id: id))
    }
  }

  /// Starts the program, or activates the running instance.
  private static func start(_ start: CopyPastaApplication.Start) -> Int32 {
    let activation = Activation.ofThisLaunch()
    Display.preferFastStart()
    let services = StartupServices(isHurried: start != .hidden) { printError($0.silence) }
    services.awaitBeforeDisplay()
    guard Display.open() else {
      printError(tr("No display: set WAYLAND_DISPLAY or DISPLAY to a running desktop."))
      return 1
    }
    if start == .hidden { activation.endWithoutWindow() }
    // With D-Bus activation, do not claim the name here: the bus delivers the pending call as soon as the name has an
    // owner. GApplication claims it later, when the application can answer.
    let calls = EarlyCalls(id: id)
    var attempts = 5
    while start != .onDemand, !SessionBus.claim(id) {
      if start == .hidden { return 0 }
      let answer = RunningApplication(id: id).activate(with: activation)
      attempts -= 1
      // The running instance may have just exited and released the name: try again a few times.
      guard answer == .notRunning, attempts > 0 else { return status(ofShowing: answer) }
    }
    MainLoop.attachMainActor()
    services.awaitBeforeWidgets()
    return CopyPastaApplication(services, calls).run(start)
  }

  /// Toggles the window of the running instance without starting GTK, or starts the program.
  ///
  /// In an installed CopyPasta, `copypasta-launcher` has already tried this, without loading GTK's libraries.
  private static func toggle() -> Int32 {
    // Do not start without a bus, because each press of the key would open another window.
    guard SessionBus.isThere else { return withoutBus("--toggle") }
    switch RunningApplication(id: id).activate(action: "toggle", with: .ofThisLaunch()) {
    case .notRunning: return start(.shown)
    case let answer: return status(of: answer)
    }
  }

  private static func quit() -> Int32 {
    guard SessionBus.isThere else { return withoutBus("--quit") }
    let answer = RunningApplication(id: id).quit()
    return answer == .notRunning ? 0 : status(of: answer)
  }

  private static func withoutBus(_ option: String) -> Int32 {
    printError(tr("No session bus: %s cannot reach a running CopyPasta.").filled(with: option))
    return 1
  }

  private static func status(ofShowing answer: RunningApplication.Answer) -> Int32 {
    guard answer == .done, let display = RunningApplication(id: id).otherDisplay else {
      return status(of: answer)
    }
    printError(
      tr("CopyPasta is running on another display and shows its window there: %s").filled(with: display))
    return 1
  }

  private static func status(of answer: RunningApplication.Answer) -> Int32 {
    switch answer {
    case .done: return 0
    case .notRunning: printError(tr("CopyPasta has just quit. Try again."))
    case .failed(let reason):
      printError(tr("CopyPasta is running but not responding: %s").filled(with: reason))
    }
    return 1
  }
}

extension StartupServices.Service {
  /// A warning that the service does not respond, with the consequences.
  fileprivate var silence: String {
    switch self {
    case .portal:
      tr(
        "The desktop’s portal is not responding: this window may not follow the desktop’s fonts and text size."
      )
    case .accessibility: tr("The accessibility bus is not responding: screen readers cannot see this window.")
    }
  }
}
