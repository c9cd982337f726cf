import Foundation
import TestSupport
import Testing

/// Session services that hang or exit; the window must open without them.
///
/// GTK alone would wait for each of them without a limit.
@Suite(.keepsPictures, .tags(.survivesOthers)) struct SilentServicesTests {
  /// Less than D-Bus's default of 25 s, and more than a busy machine needs to open the window.
  private static let callTimeout = Duration.seconds(15)

  private static func launchInTime(on desktop: VirtualDesktop) async throws -> Scene {
    let start = ContinuousClock.now
    let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
    #expect(ContinuousClock.now - start < callTimeout)
    return scene
  }

  @Test(.tags(.opensBesideHangingServices), arguments: VirtualDesktop.Kind.everywhere)
  func `a hanging portal does not block the window, and its later answer is applied`(
    _ kind: VirtualDesktop.Kind
  )
    async throws
  {
    try await VirtualDesktop.with(kind) { desktop in
      // Make the portal activatable, because GTK asks only a portal that the bus could start.
      try desktop.home.addService("org.freedesktop.portal.Desktop", command: "/bin/false")
      let portal = try await TestPortal.start(["color-scheme": "uint32 1"], on: desktop)
      portal.program.signal(SIGSTOP)
      defer { portal.program.signal(SIGCONT) }
      let scene = try await Self.launchInTime(on: desktop)
      try await scene.expectGround(isDark: false)
      try await scene.capture("meanwhile")
      // On X11 GTK does not need the portal, so no message is logged.
      let isSaid = scene.app.errors.contains("copypasta: The desktop’s portal is not responding")
      #expect(isSaid == (kind != .x11), "\(scene.app.errors)")
      portal.program.signal(SIGCONT)
      try await scene.expectGround(isDark: true)
      try await portal.set("color-scheme", to: "uint32 0")
      try await scene.expectGround(isDark: false)
      #expect(try await scene.app.stop() == .code(0))
    }
  }

  @Test(arguments: VirtualDesktop.Kind.everywhere)
  func `a hanging session bus is treated as absent`(_ kind: VirtualDesktop.Kind) async throws {
    try await VirtualDesktop.with(kind, mostlyWaits: true) { desktop in
      desktop.signalBus(SIGSTOP)
      defer { desktop.signalBus(SIGCONT) }
      let scene = try await Self.launchInTime(on: desktop)
      try await scene.capture("without a bus")
      #expect(try await scene.app.stop() == .code(0))
      #expect(scene.app.errors.hasPrefix("copypasta: No session bus"), "\(scene.app.errors)")
    }
  }

  @Test(.tags(.opensBesideHangingServices))
  func `the program opens and ends sooner than the call of a hanging tray host fails`() async throws {
    try await VirtualDesktop.with { desktop in
      let host = try desktop.start(Fixture.python("service.py", ["org.kde.StatusNotifierWatcher"]))
      try await host.waitUntil("the name") { $0 == ["ready"] }
      host.signal(SIGSTOP)
      defer { host.signal(SIGCONT) }
      let scene = try await Self.launchInTime(on: desktop)
      try await scene.capture("meanwhile")
      let quit = ContinuousClock.now
      try await scene.end()
      #expect(ContinuousClock.now - quit < Self.callTimeout)
    }
  }

  @Test func `--quit fails on a hanging session bus, because the program may be running`() async throws {
    let bus = try await PrivateBus.start()
    bus.signal(SIGSTOP)
    defer { bus.signal(SIGCONT) }
    let quit = try await bus.run([CopyPasta.programPath, "--quit"])
    #expect(quit.exit == .code(1))
    #expect(quit.errors == "copypasta: No session bus: --quit cannot reach a running CopyPasta.\n")
  }

  @Test(arguments: VirtualDesktop.Kind.everywhere)
  func `a hanging accessibility bus does not block the window and is reported`(_ kind: VirtualDesktop.Kind)
    async throws
  {
    try await VirtualDesktop.with(kind, mostlyWaits: true) { desktop in
      let silent = try await desktop.startSilentAccessibilityBus()
      defer { silent.signal(SIGCONT) }
      let scene = Scene(
        desktop: desktop, app: try await CopyPasta.launch(on: desktop, environment: ["GTK_A11Y": ""]))
      // The focus moves from the empty page to the row, which GTK reports to the accessibility bus.
      try await scene.capture("unheard")
      // Repeat the key, because the row is drawn before it has the focus.
      try await waitUntil("an empty history") {
        try await desktop.press("Delete")
        return try await eventually(within: .seconds(1)) { try await scene.history.count() == 0 }
      }
      #expect(try await scene.app.stop() == .code(0))
      let line =
        "copypasta: The accessibility bus is not responding: screen readers cannot see this window.\n"
      #expect(scene.app.errors == line)
    }
  }

  @Test func `losing the session bus ends the program with a message`() async throws {
    try await VirtualDesktop.with { desktop in
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      try await scene.capture("kept")
      desktop.signalBus(SIGTERM)
      #expect(try await scene.app.program.waitForExit() == .code(0))
      #expect(scene.app.errors == "copypasta: The connection to the session bus was lost.\n")
      #expect(try await scene.history.texts() == ["kept"])
    }
  }
}

extension VirtualDesktop {
  /// Starts an accessibility bus that accepts connections and never answers, until it gets SIGCONT.
  func startSilentAccessibilityBus() async throws -> PrivateBus {
    let silent = try await PrivateBus.start()
    silent.signal(SIGSTOP)
    let object = ["/org/a11y/bus", "org.a11y.Bus", "('\(silent.address)',)", "GetAddress::s"]
    let service = try start(Fixture.python("service.py", ["org.a11y.Bus"] + object))
    try await service.waitUntil("the name taken") { $0 == ["ready"] }
    return silent
  }
}
