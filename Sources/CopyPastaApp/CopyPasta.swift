import Glibc
import GtkKit

/// The program.
@MainActor
public enum CopyPasta {
  /// Application id, D-Bus name and desktop file; other programs rely on it.
  static let id = "org.copypasta.CopyPasta"
  static let version = "0.1.0"

  /// Does what the command line asks for; the answer is the exit status.
  public static func run(arguments: [String]) -> Int32 {
    ProgramFiles.makeKnown()
    switch Invocation(arguments) {
    case .help:
      print(Invocation.usage)
      return 0
    case .version:
      print("copypasta \(version)")
      return 0
    case .misused(let problem):
      complain(problem + " " + tr("See copypasta --help."))
      return 2
    case .show:
      return show()
    }
  }

  private static func show() -> Int32 {
    SessionBus.connectAhead()
    Display.preferFastStart()
    guard Display.open() else {
      complain(tr("No display: neither WAYLAND_DISPLAY nor DISPLAY leads to a desktop."))
      return 1
    }
    MainLoop.attachMainActor()
    let application = CopyPastaApplication()
    // Its handlers hold it weakly, and the optimiser would let it go at its last use.
    return withExtendedLifetime(application) { application.run() }
  }
}

/// Says something on standard error, in one line.
///
/// Never a clip's text.
func complain(_ message: String) {
  let line = "copypasta: \(message)\n"
  // The descriptor and not `stderr`, which Swift takes for shared mutable state.
  _ = line.utf8.withContiguousStorageIfAvailable { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
