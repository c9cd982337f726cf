import GtkKit

/// What a command line asks for.
enum Invocation: Equatable {
  case show
  case help
  case version
  /// The line makes no sense; the text says why.
  case misused(String)

  init(_ arguments: [String]) {
    var wanted = Invocation.show
    for argument in arguments {
      switch argument {
      case "--help", "-h": wanted = .help
      case "--version": wanted = .version
      default:
        let problem =
          argument.hasPrefix("-") ? tr("Unknown option “%s”.") : tr("Unexpected argument “%s”.")
        self = .misused(problem.filled(with: argument))
        return
      }
    }
    self = wanted
  }

  static var usage: String {
    tr(
      """
      Usage: copypasta [OPTION]
      Shows the history of what was copied while its window was active.

        --version   say which version this is
        -h, --help  say this
      """)
  }
}
