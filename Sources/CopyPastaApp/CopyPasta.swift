import ClipHistory
import Glibc
import GtkKit

/// The program.
@MainActor
public enum CopyPasta {
  /// Application id, D-Bus name and desktop file; other programs rely on it.
  static let id = "org.copypasta.CopyPasta"
  /// The name that users read; the same in every language.
  static let name = "CopyPasta"
  static let version = "1.0.0"
  static let website = "https://copypasta.org"
  static let issues = "https://copypasta.org/issues"

  /// Does what the command line asks for.
  ///
  /// - Returns: the exit status.
  public static func run(arguments: [String]) -> Int32 {
    // Before anything else: all that follows may have texts in memory.
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

  /// Becomes the program, or asks the one that runs already to show itself.
  private static func start(_ start: CopyPastaApplication.Start) -> Int32 {
    let activation = Activation.ofThisLaunch()
    MainLoop.limitMallocArenas()
    Display.preferFastStart()
    let services = StartupServices(isHurried: start != .hidden) { printError($0.silence) }
    services.awaitBeforeDisplay()
    guard Display.open() else {
      printError(tr("No display: neither WAYLAND_DISPLAY nor DISPLAY leads to a desktop."))
      return 1
    }
    // A service takes its name once it can answer: the call that it was started for waits for the name.
    var attempts = 5
    while start != .onDemand, !SessionBus.claim(id) {
      if start == .hidden { return 0 }
      let answer = RunningApplication(id: id).activate(with: activation)
      attempts -= 1
      // A program that has just ended has left the name, which is claimed again then, a few times.
      guard answer == .notRunning, attempts > 0 else { return status(of: answer) }
    }
    MainLoop.attachMainActor()
    services.awaitBeforeWidgets()
    return CopyPastaApplication(services).run(start)
  }

  /// Asks the program that runs, without starting GTK.
  ///
  /// In an installed CopyPasta `Sources/copypasta-launcher` has asked already, without loading GTK's libraries.
  private static func toggle() -> Int32 {
    // Without a bus, each press of the key would open another window.
    guard SessionBus.isThere else {
      printError(tr("No session bus: --toggle cannot reach a running CopyPasta."))
      return 1
    }
    let running = RunningApplication(id: id)
    let activation = Activation.ofThisLaunch()
    switch running.activate(action: "toggle", with: activation) {
    case .notRunning: return start(.shown)
    // The program is about to show its window: to toggle that would hide it.
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
    case .notRunning, .starting: printError(tr("CopyPasta has just ended. Try again."))
    case .failed(let reason):
      printError(tr("CopyPasta is running but not responding: %s").filled(with: reason))
    }
    return 1
  }
}

extension StartupServices.Service {
  /// Says what goes without the service.
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

/// Keeps a crash from leaving behind what was in memory: clips, and what was on the clipboard.
private enum CrashReport {
  /// Keeps this process from leaving anything, whatever the system is set to.
  ///
  /// The limit of a core dump is 1 byte and not 0: the kernel heeds no limit if dumps are piped to a program
  /// (systemd-coredump, apport), except for this value, by which it stops the dump of such a program itself.
  ///
  /// `PR_SET_DUMPABLE` would forbid debuggers as well. But then `/proc/PID/root` can be read by root only, and
  /// xdg-desktop-portal refuses whom it cannot look at there: the global shortcut and the start at login in a sandbox
  /// would be lost. And it would protect little: what runs as this user can read the history's file itself.
  static func forbid() {
    var limit = rlimit(rlim_cur: 1, rlim_max: 1)
    // The call can only fail if the hard limit is 0, which is as good.
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    // Swift's runtime says on standard error what lay where the registers point, which may be a clip; whoever sets the
    // variable for it wants that.
    guard getenv("SWIFT_BACKTRACE") == nil else { return }
    for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
  }
}

/// Says something on standard error, in one line.
///
/// Never a clip's text.
func printError(_ message: String) { writeError("copypasta: \(message)\n") }

/// Writes a text to standard error as it is.
func writeError(_ text: String) {
  var text = text
  // The descriptor and not `stderr`, which Swift takes for shared mutable state.
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// The wish of a command line.
enum Invocation: Equatable {
  case show
  case toggle
  /// Start without showing the window.
  case background
  /// Start because somebody calls over D-Bus, and do what the call says.
  case service
  case quit
  case export
  /// Add what another history exported.
  case importing
  case check
  case help
  case version
  /// The line makes no sense; the text says why.
  case misused(String)

  private static let options: [String: Invocation] = [
    "--toggle": .toggle, "--background": .background, "--quit": .quit, "--export": .export,
    "--import": .importing, "--check": .check,
    "--version": .version, "--help": .help,
    "-h": .help,
    // The word that GApplication's programs are started with by the bus; for service files, not for users.
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
      Show the texts that were on the clipboard while the CopyPasta window was active.

        --toggle      show the window, or hide it if it is in front; bind this to a key
        --background  start without showing the window
        --quit        quit the running CopyPasta
        --export      write the history to standard output as JSON lines
        --import      add texts that --export wrote, from standard input
        --check       check whether the history is sound
        --version     show the version
        -h, --help    show this help
      """)
  }
}
