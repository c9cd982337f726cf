import GtkKit

/// The command that a command line names.
enum Invocation: Equatable {
  case show
  case toggle
  case background
  /// Start for D-Bus activation, and wait for the call.
  case service
  case quit
  /// Print the text with this number; 1 is the newest.
  case printing(Int)
  case export
  case importing
  case check
  case clear
  case help
  case version
  /// The command line is invalid, for this reason.
  case misused(String)
}

extension Invocation {
  private static var options: [(names: [String], help: String, command: Invocation)] {
    [
      (["--toggle"], tr("show the window, or hide it if it is in front; bind this to a key"), .toggle),
      (["--background"], tr("start without showing the window"), .background),
      (["--quit"], tr("quit the running CopyPasta"), .quit),
      (["--print"], tr("print the newest item’s text, or the N-th newest"), .printing(1)),
      (["--export"], tr("write the history to standard output as JSON lines"), .export),
      (["--import"], tr("add items that --export wrote, from standard input"), .importing),
      (["--check"], tr("check the history for problems"), .check),
      (["--clear"], tr("delete all items permanently, without asking"), .clear),
      (["--version"], tr("show the version"), .version),
      (["-h", "--help"], tr("show this help"), .help),
    ]
  }

  init(_ arguments: [String]) {
    var rest = arguments[...]
    var wanted: Invocation?
    while let argument = rest.popFirst() {
      // GApplication's option for D-Bus activation, which the D-Bus service file passes, is not in the help.
      let option = Self.options.first { $0.names.contains(argument) }?.command
      guard var command = argument == "--gapplication-service" ? .service : option else {
        let problem =
          argument.hasPrefix("-") ? tr("Unknown option “%s”.") : tr("Unexpected argument “%s”.")
        self = .misused(problem.filled(with: Self.beginning(of: argument)))
        return
      }
      if case .printing = command, let next = rest.first, !next.hasPrefix("-") {
        guard let number = Self.number(rest.removeFirst()) else {
          self = .misused(
            tr("“%s” is not the number of an item; 1 is the newest.").filled(with: Self.beginning(of: next)))
          return
        }
        command = .printing(number)
      }
      guard wanted == nil || wanted == command else {
        self = .misused(tr("Only one option at a time."))
        return
      }
      wanted = command
    }
    self = wanted ?? .show
  }

  /// As much of an argument as fits into a message of one line.
  private static func beginning(of argument: String) -> String {
    let beginning = argument.prefix(40)
    return beginning.endIndex == argument.endIndex ? argument : beginning + "…"
  }

  /// Reads a positive number without a sign.
  private static func number(_ text: String) -> Int? {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    return Int(text).flatMap { $0 > 0 ? $0 : nil }
  }

  static var helpText: String {
    let shown = options.map { option in
      (option.names.joined(separator: ", ") + (option.command == .printing(1) ? " [N]" : ""), option.help)
    }
    let width = 2 + (shown.map(\.0.count).max() ?? 0)
    let indentation = "\n" + String(repeating: " ", count: width + 2)
    let lines = shown.map { usage, text in
      let space = String(repeating: " ", count: width - usage.count)
      // A translation may need two lines.
      return "  " + usage + space + text.split(separator: "\n").joined(separator: indentation)
    }
    let intention = tr("Show a history of what was copied while the CopyPasta window was in front.")
    return ([tr("Usage: copypasta [OPTION]"), intention, ""] + lines).joined(separator: "\n")
  }
}
