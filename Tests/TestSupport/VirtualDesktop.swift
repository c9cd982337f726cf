import Foundation
import Synchronization

/// A private X server with a window manager, or a private Wayland compositor, with its own session bus and home folder.
///
/// Its programs end with `stop()`, with the last reference, or with the test process. Without `stop()`, the X server or
/// sway runs until the test process ends.
///
///     try await VirtualDesktop.with { desktop in
///       try await desktop.copy("hello")
///       #expect(try await desktop.paste() == Array("hello".utf8))
///     }
public final class VirtualDesktop: Sendable {
  /// The kind of desktop, by its server or compositor.
  public enum Kind: Sendable {
    /// Xvfb with openbox.
    case x11
    /// Headless sway without Xwayland.
    case wayland
    /// Headless GNOME Shell on Wayland; only installed by `packages desktops`.
    case gnome
    /// labwc, a stacking compositor modelled on openbox; optional.
    case labwc
    /// KDE's compositor on Wayland, in a window on Xvfb; only installed by `packages desktops`.
    case kde

    /// The installed desktops on which general behaviour is tested.
    public static let everywhere: [Kind] = [.x11, .wayland, .labwc].filter(\.isInstalled)

    /// All installed desktops, including GNOME and KDE, which start slowly.
    ///
    /// Use it for the most common tasks and for behaviour that differs between desktops.
    public static let all: [Kind] = everywhere + [.gnome, .kde].filter(\.isInstalled)

    /// All installed desktops with Wayland.
    public static let compositors: [Kind] = all.filter { $0 != .x11 }

    /// Whether this kind of desktop can be started here.
    public var isInstalled: Bool {
      guard self == .x11 || Requirement.walIndex.isMet else { return false }
      return switch self {
      case .x11: true
      // sway refuses to run as root.
      case .wayland: Requirement.restrictedUser.isMet
      case .gnome: Requirement.gnomeShell.isMet
      case .labwc: Requirement.labwc.isMet
      case .kde: Requirement.kwin.isMet
      }
    }

    /// Whether starting this kind of desktop needs a lot of resources.
    fileprivate var isLarge: Bool { self == .gnome || self == .kde }
  }

  /// Limits how many desktops run at the same time, because more than a few per core only slow each other down.
  private static let turns = AsyncSemaphore(value: 3 * ProcessInfo.processInfo.activeProcessorCount)

  /// Limits how many desktops run at the same time for tests that mostly wait.
  private static let turnsOfWaitingOnes = AsyncSemaphore(
    value: 2 * ProcessInfo.processInfo.activeProcessorCount)

  /// Lets only one GNOME or KDE run at a time.
  private static let turnsOfLargeOnes = AsyncSemaphore(value: 1)

  /// The size of the screen in pixels, except for labwc; `COPYPASTA_SCREEN=WIDTHxHEIGHT` overrides it.
  public static let size: (width: Int, height: Int) = {
    let numbers = ProcessInfo.processInfo.environment["COPYPASTA_SCREEN"]?.split(separator: "x")
      .compactMap { Int($0) }
    guard let numbers, numbers.count == 2 else { return (1280, 900) }
    return (numbers[0], numbers[1])
  }()

  /// The size of this screen in pixels.
  public var screenSize: (width: Int, height: Int) { kind == .labwc ? LabwcWindowSystem.size : Self.size }

  /// The kind of desktop.
  public let kind: Kind

  /// The home folder of all programs here.
  public let home: ScratchHome

  /// The environment of all programs here.
  public let environment: [String: String]

  /// The programs that run here, in the order of their start, retained so that they end with the desktop even if a
  /// test has released its references to them.
  private let programs: Mutex<[Program]>

  /// The X server on X11, or the one that shows the window in which KDE runs.
  let x11Server: X11Server?

  /// The compositor; nil except on sway.
  let swayServer: SwayServer?

  private init(
    kind: Kind, home: ScratchHome, environment: [String: String], servers: [Program], x11Server: X11Server?,
    swayServer: SwayServer?
  ) {
    self.kind = kind
    self.home = home
    self.environment = environment
    self.x11Server = x11Server
    self.swayServer = swayServer
    programs = Mutex(servers)
  }

  deinit { for program in programs.withLock({ $0 }).reversed() { program.signal(SIGTERM) } }

  /// Starts a desktop, and returns once it is ready for windows.
  ///
  /// - Parameters:
  ///   - kind: The kind of desktop.
  ///   - windowManager: The window manager on X11; without one, no window becomes active.
  ///   - accessibility: Whether programs are accessible to screen readers (needs at-spi2-core).
  ///   - prepare: Prepares the home folder before any program starts.
  public static func start(
    _ kind: Kind = .x11, windowManager: WindowManager? = .openbox, accessibility: Bool = false,
    preparing prepare: @Sendable (ScratchHome) throws -> Void = { _ in }
  ) async throws -> VirtualDesktop {
    let home = try await ScratchHome()
    var servers: [Program] = []
    var x11Server: X11Server?
    var swayServer: SwayServer?
    do {
      try prepare(home)
      let bus = try await startBus(in: home, accessibility: accessibility, servers: &servers)
      if kind == .x11, windowManager == .openbox {
        x11Server = try await .withOpenbox()
      } else if kind == .x11 || kind == .kde {
        x11Server = try await X11Server(withOpenbox: false)
      } else if kind == .wayland {
        swayServer = try await .borrow()
      }
      let display =
        switch kind {
        case .x11: ["DISPLAY": x11Server?.name ?? ""]
        case .wayland: swayServer?.environment ?? [:]
        case .gnome: try await startGnome(&servers, in: home, bus: bus)
        case .labwc: try await startLabwc(&servers, in: home, bus: bus)
        case .kde: try await startKWin(&servers, in: home, bus: bus, on: x11Server)
        }
      let backend = kind == .x11 ? "x11" : "wayland"
      let session = [
        "DBUS_SESSION_BUS_ADDRESS": bus, "GTK_A11Y": accessibility ? "atspi" : "none",
        "GDK_BACKEND": backend, "XDG_SESSION_TYPE": backend,
      ]
      let environment = home.environment.merging(session) { $1 }.merging(display) { $1 }
      let desktop = VirtualDesktop(
        kind: kind, home: home, environment: environment, servers: servers, x11Server: x11Server,
        swayServer: swayServer)
      switch kind {
      case .x11: if windowManager == .xfwm4 { try await desktop.startXfwm4() }
      case .wayland: try await desktop.setUpSway()
      case .gnome: try await desktop.setUpGnome()
      case .labwc: try await desktop.setUpLabwc()
      case .kde: try await desktop.startDriver("kwin.py")
      }
      try noteStart(of: kind)
      return desktop
    } catch {
      for server in servers.reversed() { try await server.stop() }
      try await x11Server?.stop()
      try await swayServer?.stop()
      throw error
    }
  }

  /// Adds a line to a file from which `meson-helpers/test` says on which desktops tests have run.
  private static func noteStart(of kind: Kind) throws {
    guard let path = ProcessInfo.processInfo.environment["COPYPASTA_DESKTOPS_FILE"] else { return }
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw TestSupportError.system("open \(path)", code: errno) }
    defer { close(file) }
    let line = "\(kind)\n"
    guard write(file, line, line.utf8.count) == line.utf8.count else {
      throw TestSupportError.system("write \(path)", code: errno)
    }
  }

  /// Runs `body` on a new desktop, and ends the desktop afterwards, even if `body` throws.
  ///
  /// - Parameters:
  ///   - mostlyWaits: Whether `body` waits for several seconds. It then starts early, and takes no turn from tests
  ///     that need the processor.
  ///   - test: The name of the pictures of a failed test.
  public nonisolated(nonsending) static func with<Value>(
    _ kind: Kind = .x11, windowManager: WindowManager? = .openbox, accessibility: Bool = false,
    mostlyWaits: Bool = false, test: String = #function, _ body: (VirtualDesktop) async throws -> Value
  ) async throws -> Value {
    let queues = (kind.isLarge ? [turnsOfLargeOnes] : []) + [mostlyWaits ? turnsOfWaitingOnes : turns]
    for queue in queues { await queue.wait() }
    defer { for queue in queues { Task { await queue.signal() } } }
    let desktop = try await start(kind, windowManager: windowManager, accessibility: accessibility)
    do {
      let value = try await $current.withValue((desktop, test)) { try await body(desktop) }
      try await desktop.stop()
      return value
    } catch {
      keepPicture(of: desktop, test)
      try await desktop.stop()
      throw error
    }
  }

  /// Ends all programs, in the reverse order of their start.
  public func stop() async throws {
    if kind != .x11 { try await clearClipboard() }
    let ending = programs.withLock { programs in
      defer { programs = [] }
      return programs
    }
    for program in ending.reversed() { try await program.stop() }
    try await x11Server?.giveBack()
    try await swayServer?.giveBack()
  }

  /// Sends the X server or the compositor a signal.
  public func signalDisplay(_ number: Int32) { for server in servers { server.signal(number) } }

  /// Sends the session bus a signal, such as SIGSTOP, which stops it until SIGCONT.
  public func signalBus(_ number: Int32) {
    programs.withLock { $0 }.first { $0.arguments[0] == "dbus-daemon" }?.signal(number)
  }

  var servers: [Program] {
    if kind == .x11, let x11Server { return [x11Server.process] }
    if let swayServer { return [swayServer.process] }
    let names: Set = ["gnome-shell", "labwc", home.path + "/kwin_wayland"]
    return programs.withLock { $0 }.filter { !names.isDisjoint(with: $0.arguments) }
  }

  /// Starts a program, which ends with the desktop.
  public func start(
    _ arguments: [String], environment extra: [String: String] = [:], input: [UInt8] = []
  ) throws -> Program {
    let program = try Program(arguments, environment: environment(with: extra), input: input)
    programs.withLock {
      $0.removeAll { !$0.isRunning }
      $0.append(program)
    }
    return program
  }

  /// Runs a program to its end, with any status.
  public func run(
    _ arguments: [String], environment extra: [String: String] = [:], input: [UInt8] = [],
    within limit: Duration = generousLimit
  ) async throws -> Program.Result {
    try await Program.run(arguments, environment: environment(with: extra), input: input, within: limit)
  }

  /// The desktop's environment with some variables changed; an empty value removes a variable.
  public func environment(with extra: [String: String]) -> [String: String] {
    environment.merging(extra) { $1 }.filter { extra[$0.key] != "" }
  }
}
