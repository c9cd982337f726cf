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
  static let version = "1.3.1"
  static let website = "https://copypasta.org"
  static let issues = "https://copypasta.org/issues"

  public static func run(arguments: [String]) -> Int32 {
    // Do this first, because everything after it may hold texts in memory.
    CrashReport.forbid()
    occupyStandardStreams()
    ProgramFiles.registerDataFolder()
    let invocation = Invocation(arguments)
    switch invocation {
    case .help: return printLine(Invocation.helpText) ? 0 : 1
    case .version: return printLine("copypasta \(version)") ? 0 : 1
    case .misused(let problem):
      printError(problem + " " + tr("See copypasta --help."))
      return 2
    case _ where !Desktop.Folders.unnameable.isEmpty:
      let variables = Desktop.Folders.unnameable.joined(separator: ", ")
      printError(tr("A folder’s path is not valid UTF-8: set %s to another folder.").filled(with: variables))
      return invocation == .check ? Check.notChecked : 1
    case .show: return start(.shown, or: "show")
    case .background: return start(.hidden)
    case .service: return start(.onDemand)
    // Do not start without a bus, because each press of the key would open another window.
    case .toggle where !SessionBus.isThere: return withoutBus("--toggle")
    // In an installed CopyPasta, `copypasta-launcher` has already tried this, without loading GTK's libraries.
    case .toggle: return start(.shown, or: "toggle")
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

  /// Passes a request on to the running instance or, if there is none, starts the program.
  ///
  /// - Parameter action: The action that the running instance performs; nil for a start without a window.
  private static func start(_ start: CopyPastaApplication.Start, or action: String? = nil) -> Int32 {
    let running = RunningApplication(id: id)
    let activation = Activation.ofThisLaunch()
    if let action {
      let answer = running.activate(action: action, with: activation)
      guard answer == .notRunning else { return status(of: answer, to: action) }
    }
    Display.preferFastStart()
    let services = StartupServices(isHurried: start != .hidden) { printError($0.silence) }
    services.awaitBeforeDisplay()
    guard Display.open() else {
      printError(tr("No display: set WAYLAND_DISPLAY or DISPLAY to a running desktop."))
      return 1
    }
    services.displayIsOpen()
    if start == .hidden { activation.endWithoutWindow() }
    MainLoop.attachMainActor()
    services.awaitBeforeWidgets()
    let application = CopyPastaApplication()
    var attempts = 5
    while !application.register() {
      // Another launch was faster. Do not toggle, because that would hide its window again.
      let action = start == .shown ? "show" : "background"
      let answer = running.activate(action: action, with: activation)
      attempts -= 1
      // That instance may have just exited and released the name: try again a few times.
      guard answer == .notRunning, attempts > 0 else { return status(of: answer, to: action) }
    }
    return application.run(start)
  }

  private static func quit() -> Int32 {
    guard SessionBus.isThere else { return withoutBus("--quit") }
    let answer = RunningApplication(id: id).quit()
    return answer == .notRunning ? 0 : status(of: answer, to: "quit")
  }

  private static func withoutBus(_ option: String) -> Int32 {
    printError(tr("No session bus: %s cannot reach a running CopyPasta.").filled(with: option))
    return 1
  }

  /// Prints why a running instance has not performed an action for the user.
  private static func status(of answer: RunningApplication.Answer, to action: String) -> Int32 {
    switch answer {
    case .done:
      guard action == "show", let display = RunningApplication(id: id).otherDisplay else { return 0 }
      printError(
        tr("CopyPasta is running on another display and shows its window there: %s").filled(with: display))
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
