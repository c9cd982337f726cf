import Foundation

/// The program under test, running on a virtual desktop.
///
///     let app = try await CopyPasta.launch(on: desktop)
///     try await desktop.copy("hello")
///     #expect(try await eventually { try await app.history.texts() == ["hello"] })
public struct CopyPasta: Sendable {
  /// The application id, which is also the class of the program's window.
  public static let applicationID = "org.copypasta.CopyPasta"

  /// The path of the program: `COPYPASTA_PROGRAM` if that is set, otherwise the one in the folder of the test bundle.
  public static let programPath: String = {
    if let path = ProcessInfo.processInfo.environment["COPYPASTA_PROGRAM"] { return path }
    // On Linux the test bundle is an executable, so this works for any scratch path and configuration.
    let bundle = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return bundle.deletingLastPathComponent().appendingPathComponent("copypasta").path
  }()

  /// The process.
  public let program: Program
  /// The program's window.
  public let window: DesktopWindow
  /// The program's history, read through a separate connection.
  public let history: HistoryDatabase

  /// Starts the program, and returns once its window is active and drawn, so that it receives keys.
  ///
  /// - Parameter starter: A command that runs the program, such as a wrapper, without the program's path.
  /// - Throws: An error with the program's standard error if the window does not appear.
  public static func launch(
    on desktop: VirtualDesktop, through starter: [String] = [], environment: [String: String] = [:]
  ) async throws -> CopyPasta {
    let program = try desktop.start(starter + [programPath], environment: environment)
    let window: DesktopWindow
    do {
      window = try await waitFor("an active window of class \(applicationID)") {
        if let exit = program.exit { throw TestSupportError("\(program.arguments): \(exit)") }
        return try await readyWindow(on: desktop, orBehindDialog: true)
      }
    } catch { throw TestSupportError("\(error)\n\(program.errors)") }
    let dataHome = environment["XDG_DATA_HOME"] ?? desktop.home.dataHome
    return CopyPasta(
      program: program, window: window, history: HistoryDatabase(path: databasePath(dataHome: dataHome)))
  }

  /// The path of the history for a value of `$XDG_DATA_HOME`.
  public static func databasePath(dataHome: String) -> String { dataHome + "/copypasta/history.sqlite3" }

  /// The program's standard error so far, which is empty unless GTK or the program reports an error.
  public var errors: String { program.errors }

  /// Ends the program with SIGTERM, and kills it if it does not end in time.
  @discardableResult
  public func stop() async throws -> Program.Exit? { try await program.stop(grace: generousLimit) }

  /// Returns the program's window if the window is active and drawn; nil otherwise.
  ///
  /// A window manager marks a window as active while the program still draws its first frame. A toggle at that moment
  /// would count as a repetition of the toggle that showed the window.
  ///
  /// - Parameter orBehindDialog: Whether a dialog of the program may be in front of the window.
  public static func readyWindow(
    on desktop: VirtualDesktop, orBehindDialog: Bool = false
  ) async throws -> DesktopWindow? {
    let windows = try await desktop.windowSystem.windows(ofClass: applicationID)
    guard let main = windows.first, let active = try await desktop.windowSystem.activeWindow(),
      orBehindDialog ? windows.contains(active) : main == active
    else { return nil }
    let window = DesktopWindow(id: main, desktop: desktop)
    let picture = try await Screenshot.take(of: window, on: desktop)
    // The area below the header bar and within the frame.
    let content = Rectangle(x: 10, y: 60, width: picture.width - 20, height: picture.height - 70)
    return picture.isPlain(in: content) ? nil : window
  }
}
