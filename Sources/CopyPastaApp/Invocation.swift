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
      Show the history of the texts that were copied while the CopyPasta window was active.

        --toggle      show the window, or hide it if it is in front; bind this to a key
        --background  start without showing the window
        --quit        quit the running CopyPasta
        --export      write the history to standard output as JSON lines
        --import      add texts that --export wrote to the history, from standard input
        --check       check whether the history is sound
        --version     show the version
        -h, --help    show this help
      """)
  }
}
