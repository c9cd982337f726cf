import GtkKit

/// What a command line asks for.
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
      Shows the history of what was copied while its window was active.

        --toggle      show the window, or hide it where it is in front: to be bound to a key
        --background  start without showing the window
        --quit        end the CopyPasta that runs
        --export      write the history to standard output, as JSON lines
        --import      add to the history what --export wrote, from standard input
        --check       check whether the history is sound
        --version     say which version this is
        -h, --help    say this
      """)
  }
}
