import Foundation

/// The program itself, running on a virtual desktop as it was built for this test run.
///
///     let app = try await CopyPasta.launch(on: desktop)
///     try await XClip.copy("hello", on: desktop)
///     #expect(try await eventually { try await app.history.texts() == ["hello"] })
public struct CopyPasta: Sendable {
  /// The application id, which is also the class of its window.
  public static let applicationID = "org.copypasta.CopyPasta"

  /// The program's file: `COPYPASTA_PROGRAM` if that is set, or the one built beside the tests.
  public static let programPath: String = {
    if let path = ProcessInfo.processInfo.environment["COPYPASTA_PROGRAM"] { return path }
    // The test bundle is an executable of its own here, so this follows any scratch path and configuration.
    let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return bundle.deletingLastPathComponent().appendingPathComponent("copypasta").path
  }()

  /// The process.
  public let program: Program
  /// Its window.
  public let window: DesktopWindow
  /// The history that it keeps, seen from outside.
  public let history: HistoryDatabase

  /// Starts the program, and returns once its window is active and shows something: from then on it hears keys.
  ///
  /// - Parameter starter: the command that starts it, if that is another one.
  /// - Throws: if that does not happen, with what the program said.
  public static func launch(
    on desktop: VirtualDesktop, through starter: [String] = [], arguments: [String] = [],
    environment: [String: String] = [:], within limit: Duration = generousLimit
  ) async throws -> CopyPasta {
    let program = try desktop.start(starter + [programPath] + arguments, environment: environment)
    let window = try await waitForWindow(of: program, on: desktop, within: limit)
    let dataHome = environment["XDG_DATA_HOME"] ?? desktop.home.dataHome
    return CopyPasta(
      program: program, window: window, history: HistoryDatabase(path: databasePath(dataHome: dataHome)))
  }

  /// Where the history is for a value of `$XDG_DATA_HOME`.
  public static func databasePath(dataHome: String) -> String { dataHome + "/copypasta/history.sqlite3" }

  /// Where its history is.
  public var databasePath: String { history.path }

  /// All that it wrote on standard error so far; empty unless GTK or the program reports a fault.
  public var errors: String { program.errors }

  /// Asks it to end (SIGTERM), and kills it if it does not.
  @discardableResult
  public func stop() async throws -> Program.Exit? { try await program.stop(grace: generousLimit) }

  /// Kills it (SIGKILL), as a crash would, and returns once it is gone.
  public func kill9() async throws { try await program.killNow() }

  private static func waitForWindow(
    of program: Program, on desktop: VirtualDesktop, within limit: Duration
  ) async throws -> DesktopWindow {
    do {
      return try await waitFor("an active window of class \(applicationID)", within: limit) {
        if let exit = program.exit { throw TestSupportError("\(program.arguments): \(exit)") }
        return try await readyWindow(on: desktop, orBehindDialog: true)
      }
    } catch { throw TestSupportError("\(error)\n\(program.errors)") }
  }

  /// Its window, once that is active and shows something; nil before.
  ///
  /// A window manager calls a window active before the window knows of it, which is still busy with its first frame, and
  /// a toggle at that moment counts as a repetition of the one that showed it.
  ///
  /// - Parameter orBehindDialog: whether a window of its own may have come in front of it, which asks something.
  public static func readyWindow(
    on desktop: VirtualDesktop, orBehindDialog: Bool = false
  ) async throws -> DesktopWindow? {
    let windows = try await desktop.windowSystem.windows(ofClass: applicationID)
    guard let main = windows.first, let active = try await desktop.windowSystem.activeWindow(),
      orBehindDialog ? windows.contains(active) : main == active
    else { return nil }
    let window = DesktopWindow(id: main, desktop: desktop)
    let picture = try await Screenshot.take(of: window, on: desktop)
    // Below the header bar, and within the frame.
    let content = Rectangle(x: 10, y: 60, width: picture.width - 20, height: picture.height - 70)
    return picture.isPlain(in: content) ? nil : window
  }
}
