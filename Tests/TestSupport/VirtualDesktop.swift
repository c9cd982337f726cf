import Foundation
import Synchronization

/// A private X server with a window manager, or a private Wayland compositor, with a session bus and a home folder
/// of its own.
///
/// Everything that runs on it ends with `stop()`, with its last reference, and with the test process.
///
///     try await VirtualDesktop.with { desktop in
///       try await XClip.copy("hello", on: desktop)
///       #expect(try await XClip.paste(on: desktop) == Array("hello".utf8))
///     }
public final class VirtualDesktop: Sendable {
  /// The parts that a desktop is made of.
  public enum Kind: Sendable {
    /// Xvfb with openbox.
    case x11
    /// sway without a screen, and without Xwayland.
    case wayland
    /// GNOME Shell on Wayland, without a screen; only `packages desktops` installs it.
    case gnome
    /// labwc, which is to Wayland what openbox is to X11; likewise.
    case labwc
    /// KDE's compositor on Wayland, in a window on Xvfb; likewise.
    case kde

    /// Those on which what is the same on every desktop is tested.
    public static let everywhere: [Kind] = [.x11, .wayland, .labwc].filter(\.isInstalled)

    /// With GNOME and KDE, which are slow to start: for what a user does most, and what they do in their own way.
    public static let all: [Kind] = everywhere + [.gnome, .kde].filter(\.isInstalled)

    /// Those of Wayland among them.
    public static let compositors: [Kind] = all.filter { $0 != .x11 }

    /// Whether what it is made of is installed.
    public var isInstalled: Bool {
      let optional: [Kind: String] = [.gnome: "gnome-shell", .labwc: "labwc", .kde: "kwin_wayland"]
      return optional[self].map { FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0) } ?? true
    }

    /// Whether it takes much of the machine while it starts.
    fileprivate var isLarge: Bool { self == .gnome || self == .kde }
  }

  /// Tests run side by side, each with a desktop.
  ///
  /// With many more at once than the processor has cores, they would only wait for each other.
  private static let turns = AsyncSemaphore(value: 3 * ProcessInfo.processInfo.activeProcessorCount)

  /// Of GNOME and KDE one runs at a time.
  private static let turnsOfLargeOnes = AsyncSemaphore(value: 1)

  /// The size of the screen in pixels, but for labwc's; `COPYPASTA_SCREEN=WIDTHxHEIGHT` sets another one.
  public static let size: (width: Int, height: Int) = {
    let numbers = ProcessInfo.processInfo.environment["COPYPASTA_SCREEN"]?.split(separator: "x")
      .compactMap { Int($0) }
    guard let numbers, numbers.count == 2 else { return (1280, 900) }
    return (numbers[0], numbers[1])
  }()

  /// The size of this screen in pixels.
  public var screenSize: (width: Int, height: Int) { kind == .labwc ? LabwcWindowSystem.size : Self.size }

  /// The parts that it is made of.
  public let kind: Kind

  /// The home folder of all that runs here.
  public let home: ScratchHome

  /// The environment of all that runs here.
  public let environment: [String: String]

  /// The programs that run here, in the order of their start; a test may forget a program's handle.
  private let programs: Mutex<[Program]>

  /// The X server, on X11, and that in which KDE has its window.
  let x11Server: X11Server?

  /// The compositor, on sway.
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

  deinit {
    for program in programs.withLock({ $0 }).reversed() { program.signal(SIGTERM) }
    home.remove()
  }

  /// Starts a desktop, and returns once it is ready for windows.
  ///
  /// - Parameters:
  ///   - kind: what it is made of.
  ///   - windowManager: which one runs, on X11; without one no window is ever active.
  ///   - accessibility: whether programs offer themselves to screen readers (needs at-spi2-core).
  ///   - prepare: what its home folder gets before anything starts.
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
      return desktop
    } catch {
      for server in servers.reversed() { try await server.stop() }
      try await x11Server?.stop()
      try await swayServer?.stop()
      home.remove()
      throw error
    }
  }

  /// Runs `body` on a fresh desktop, and ends the desktop however `body` ends.
  public nonisolated(nonsending) static func with<Value>(
    _ kind: Kind = .x11, windowManager: WindowManager? = .openbox, accessibility: Bool = false,
    _ body: (VirtualDesktop) async throws -> Value
  ) async throws -> Value {
    let queues = kind.isLarge ? [turnsOfLargeOnes, turns] : [turns]
    for queue in queues { await queue.wait() }
    defer { for queue in queues { Task { await queue.signal() } } }
    let desktop = try await start(kind, windowManager: windowManager, accessibility: accessibility)
    do {
      let value = try await body(desktop)
      try await desktop.stop()
      return value
    } catch {
      try await desktop.stop()
      throw error
    }
  }

  /// Ends everything that runs here, the last first, and removes the home folder.
  public func stop() async throws {
    if kind != .x11 { try await WLClipboard.clear(on: self) }
    let ending = programs.withLock { programs in
      defer { programs = [] }
      return programs
    }
    for program in ending.reversed() { try await program.stop() }
    try await x11Server?.giveBack()
    try await swayServer?.giveBack()
    home.remove()
  }

  /// Sends the X server or the compositor a signal.
  public func signalDisplay(_ number: Int32) { for server in servers { server.signal(number) } }

  /// Kills the X server or the compositor, and returns once it has gone.
  public func killDisplay() async throws { for server in servers { try await server.killNow() } }

  /// Sends the session bus a signal, such as SIGSTOP, after which it answers nothing until SIGCONT.
  public func signalBus(_ number: Int32) {
    programs.withLock { $0 }.first { $0.arguments[0] == "dbus-daemon" }?.signal(number)
  }

  var servers: [Program] {
    if kind == .x11, let x11Server { return [x11Server.process] }
    if let swayServer { return [swayServer.process] }
    let names: Set = ["gnome-shell", "labwc", home.path + "/kwin_wayland"]
    return programs.withLock { $0 }.filter { !names.isDisjoint(with: $0.arguments) }
  }

  /// Starts a program here; it ends with the desktop.
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

  /// Runs a program here to its end, whatever its status.
  public func run(
    _ arguments: [String], environment extra: [String: String] = [:], input: [UInt8] = [],
    within limit: Duration = generousLimit
  ) async throws -> Program.Result {
    try await Program.run(arguments, environment: environment(with: extra), input: input, within: limit)
  }

  /// The desktop's environment with some variables changed; an empty value unsets one.
  public func environment(with extra: [String: String]) -> [String: String] {
    environment.merging(extra) { $1 }.filter { extra[$0.key] != "" }
  }
}
