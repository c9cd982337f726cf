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
  /// Add the items that another history exported.
  case importing
  case check
  case clear
  case help
  case version
  /// The command line is invalid, for this reason.
  case misused(String)
}

extension Invocation {
  /// A row of the table of options, from which the parser and the help are made.
  private struct Option: Sendable {
    let names: [String]
    /// The name of the number that may follow the option; nil if none may.
    let argument: String?
    /// The option's line in the help; nil for an option that only other programs pass.
    let help: (@Sendable () -> String)?
    let command: @Sendable (_ number: Int?) -> Invocation

    init(_ names: String..., help: @escaping @autoclosure @Sendable () -> String, _ command: Invocation) {
      (self.names, argument, self.help, self.command) = (names, nil, help, { _ in command })
    }

    init(
      _ name: String, number: String, help: @escaping @autoclosure @Sendable () -> String,
      _ command: @escaping @Sendable (Int?) -> Invocation
    ) {
      (names, argument, self.help, self.command) = ([name], number, help, command)
    }

    init(hidden name: String, _ command: Invocation) {
      (names, argument, help, self.command) = ([name], nil, nil, { _ in command })
    }

    /// The option as the help shows it: `-h, --help` or `--print [N]`.
    var usage: String { names.joined(separator: ", ") + (argument.map { " [\($0)]" } ?? "") }
  }

  private static let options = [
    Option(
      "--toggle", help: tr("show the window, or hide it if it is in front; bind this to a key"), .toggle),
    Option("--background", help: tr("start without showing the window"), .background),
    Option("--quit", help: tr("quit the running CopyPasta"), .quit),
    Option("--print", number: "N", help: tr("print the newest item’s text, or the N-th newest")) {
      .printing($0 ?? 1)
    },
    Option("--export", help: tr("write the history to standard output as JSON lines"), .export),
    Option("--import", help: tr("add items that --export wrote, from standard input"), .importing),
    Option("--check", help: tr("check the history for problems"), .check),
    Option("--clear", help: tr("delete all items permanently, without asking"), .clear),
    Option("--version", help: tr("show the version"), .version),
    Option("-h", "--help", help: tr("show this help"), .help),
    // GApplication's option for D-Bus activation, which the D-Bus service file passes.
    Option(hidden: "--gapplication-service", .service),
  ]

  init(_ arguments: [String]) {
    var rest = arguments[...]
    var wanted: Invocation?
    while let argument = rest.popFirst() {
      guard let option = Self.options.first(where: { $0.names.contains(argument) }) else {
        let problem =
          argument.hasPrefix("-") ? tr("Unknown option “%s”.") : tr("Unexpected argument “%s”.")
        self = .misused(problem.filled(with: argument))
        return
      }
      var number: Int?
      if option.argument != nil, let next = rest.first, !next.hasPrefix("-") {
        number = Self.number(rest.removeFirst())
        guard number != nil else {
          self = .misused(tr("“%s” is not the number of an item; 1 is the newest.").filled(with: next))
          return
        }
      }
      let command = option.command(number)
      guard wanted == nil || wanted == command else {
        self = .misused(tr("Only one option at a time."))
        return
      }
      wanted = command
    }
    self = wanted ?? .show
  }

  /// Reads a positive number without a sign.
  private static func number(_ text: String) -> Int? {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    return Int(text).flatMap { $0 > 0 ? $0 : nil }
  }

  /// The text of `--help`.
  static var helpText: String {
    let shown = options.compactMap { option in option.help.map { (option.usage, $0()) } }
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
