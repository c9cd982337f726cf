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
  static let version = "1.1.0"
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
    case .help:
      print(Invocation.usage)
      return 0
    case .version:
      print("copypasta \(version)")
      return 0
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
    case .export: return Export.run(.ofThisUser, to: STDOUT_FILENO)
    case .importing:
      let period = Preferences(schema: SettingsSchema(id)).retentionPeriod
      return Import.run(.ofThisUser, from: STDIN_FILENO, keeping: period)
    case .check: return Check.run(.ofThisUser)
    }
  }

  /// Starts the program, or activates the running instance.
  private static func start(_ start: CopyPastaApplication.Start) -> Int32 {
    let activation = Activation.ofThisLaunch()
    MainLoop.limitMallocArenas()
    Display.preferFastStart()
    let services = StartupServices(isHurried: start != .hidden) { printError($0.silence) }
    services.awaitBeforeDisplay()
    guard Display.open() else {
      printError(tr("No display: set WAYLAND_DISPLAY or DISPLAY to a running desktop."))
      return 1
    }
    // With D-Bus activation, do not claim the name here: the bus delivers the pending call as soon as the name has an
    // owner. GApplication claims it later, when the application can answer.
    var attempts = 5
    while start != .onDemand, !SessionBus.claim(id) {
      if start == .hidden { return 0 }
      let answer = RunningApplication(id: id).activate(with: activation)
      attempts -= 1
      // The running instance may have just exited and released the name: try again a few times.
      guard answer == .notRunning, attempts > 0 else { return status(of: answer) }
    }
    MainLoop.attachMainActor()
    services.awaitBeforeWidgets()
    return CopyPastaApplication(services).run(start)
  }

  /// Toggles the window of the running instance without starting GTK, or starts the program.
  ///
  /// In an installed CopyPasta, `copypasta-launcher` has already tried this, without loading GTK's libraries.
  private static func toggle() -> Int32 {
    // Do not start without a bus, because each press of the key would open another window.
    guard SessionBus.isThere else {
      printError(tr("No session bus: --toggle cannot reach a running CopyPasta."))
      return 1
    }
    let running = RunningApplication(id: id)
    let activation = Activation.ofThisLaunch()
    switch running.activate(action: "toggle", with: activation) {
    case .notRunning: return start(.shown)
    // Activate an instance that is about to show its window, because toggling would hide it.
    case .starting: return status(of: running.activate(with: activation))
    case let answer: return status(of: answer)
    }
  }

  private static func quit() -> Int32 {
    let running = RunningApplication(id: id)
    let answer = running.untilStarted { running.activate(action: "quit") }
    return answer == .notRunning ? 0 : status(of: answer)
  }

  private static func status(of answer: RunningApplication.Answer) -> Int32 {
    switch answer {
    case .done: return 0
    case .notRunning, .starting: printError(tr("CopyPasta has just quit. Try again."))
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

/// Prevents crash reports, which would contain clips and the clipboard's text.
private enum CrashReport {
  /// Prevents core dumps and backtraces, even if the system pipes core dumps to a program.
  ///
  /// Limits a core dump to 1 byte, not 0. If dumps are piped to a program (systemd-coredump, apport), the kernel
  /// ignores the limit, except that a limit of 1 stops it from starting that program.
  ///
  /// `PR_SET_DUMPABLE` would also keep debuggers out, but with it only root could read `/proc/PID/root`.
  /// xdg-desktop-portal rejects a program whose root it cannot read, so the global shortcut and the start at login
  /// would fail in a sandbox. `PR_SET_DUMPABLE` would also gain little, because any program of this user can read the
  /// history's file.
  static func forbid() {
    var limit = rlimit(rlim_cur: 1, rlim_max: 1)
    // The call fails only if the hard limit is 0, which prevents dumps to files, but not dumps that are piped.
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    // Swift's backtrace prints the memory that the registers point to, which may be a clip. Keep Swift's signal
    // handlers only if the user has set the variable that configures backtraces.
    guard getenv("SWIFT_BACKTRACE") == nil else { return }
    for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
  }
}

/// Prints a one-line message to standard error, with the program's name in front.
///
/// The message must not contain a clip's text.
func printError(_ message: String) { writeError("copypasta: \(message)\n") }

/// Writes a text to standard error unchanged.
func writeError(_ text: String) {
  var text = text
  // Use the descriptor, because Swift rejects `stderr` as shared mutable state.
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// The command that a command line names.
enum Invocation: Equatable {
  case show
  case toggle
  case background
  /// Start for D-Bus activation, and wait for the call.
  case service
  case quit
  case export
  /// Add the items that another history exported.
  case importing
  case check
  case help
  case version
  /// The command line is invalid, for this reason.
  case misused(String)

  private static let options: [String: Invocation] = [
    "--toggle": .toggle, "--background": .background, "--quit": .quit, "--export": .export,
    "--import": .importing, "--check": .check,
    "--version": .version, "--help": .help,
    "-h": .help,
    // GApplication's option for D-Bus activation, which the D-Bus service file passes.
    "--gapplication-service": .service,
  ]

  init(_ arguments: [String]) {
    var wanted: Invocation?
    for argument in arguments {
      guard let option = Self.options[argument] else {
        let problem =
          argument.hasPrefix("-") ? tr("Unknown option “%s”.") : tr("Unexpected argument “%s”.")
        self = .misused(problem.filled(with: argument))
        return
      }
      guard wanted == nil || wanted == option else {
        self = .misused(tr("Only one option at a time."))
        return
      }
      wanted = option
    }
    self = wanted ?? .show
  }

  static var usage: String {
    tr(
      """
      Usage: copypasta [OPTION]
      Show a history of what was copied while the CopyPasta window was in front.

        --toggle      show the window, or hide it if it is in front; bind this to a key
        --background  start without showing the window
        --quit        quit the running CopyPasta
        --export      write the history to standard output as JSON lines
        --import      add items that --export wrote, from standard input
        --check       check the history for problems
        --version     show the version
        -h, --help    show this help
      """)
  }
}
