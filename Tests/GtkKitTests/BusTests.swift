import Glibc
import GtkTestSupport
import Testing

@testable import GtkKit

/// Connections, calls, signals and names, on a private bus.
@MainActor
@Suite struct BusTests {
  private let clock = BusScene.clock
  private let scene: BusScene

  init() async throws { scene = try await BusScene.start() }

  // MARK: Calls

  @Test func `a refused D-Bus call throws an error with its D-Bus name`() async throws {
    #expect(try await scene.refusal(.bus, "NoSuchMethod") == BusError.unknownMethod)
    #expect(try await scene.refusal(clock, "Now") == "org.freedesktop.DBus.Error.ServiceUnknown")
  }

  @Test func `a D-Bus call with an invalid name or path throws`() async throws {
    for object in [
      RemoteObject(name: "no name", path: "/", interface: "a.b"),
      RemoteObject(name: "a.b", path: "no path", interface: "a.b"),
      RemoteObject(name: "a.b", path: "/", interface: "no interface"),
    ] {
      #expect(try await scene.refusal(object, "Method") != nil)
      scene.client.send(object, "Method")
      withExtendedLifetime(scene.client.subscribe(to: "Signal", of: object) { _ in }) {}
    }
    #expect(try await scene.refusal(.bus, "no method") != nil)
  }

  @Test func `a D-Bus call throws if it gets no reply, is cancelled or has no connection`() async throws {
    scene.daemon.signal(SIGSTOP)
    defer { scene.daemon.signal(SIGCONT) }
    #expect(try await scene.failure(.bus, "GetId", timeout: .milliseconds(20)) == .timedOut)
    let call = Task { [client = scene.client] in try await client.call(.bus, "GetId") }
    call.cancel()
    await #expect(throws: BusError.cancelled) { try await pumping { try await call.value } }
    scene.daemon.signal(SIGCONT)
    try await scene.daemon.stop()
    guard case .noBus = try await scene.failure(.bus, "GetId") else {
      Issue.record("no such error")
      return
    }
    do {
      _ = try await pumping { try await Bus.at(address: "unix:path=/nonexistent/bus") }
      Issue.record("it connected")
    } catch BusError.noBus {}
  }

  // MARK: Names

  /// GLib's own function waits for 25 s, and warns if the bus exits during that time.
  @Test func `releasing a bus name does not wait for the bus`() async throws {
    var name: Bus.Registration? = try await scene.takeName()
    scene.daemon.signal(SIGSTOP)
    let start = ContinuousClock.now
    name = nil
    #expect(ContinuousClock.now - start < .seconds(10))
    scene.daemon.signal(SIGCONT)
    withExtendedLifetime(name) {}
  }

  // MARK: Lifetime

  @Test func `releasing D-Bus registrations releases their closures`() async throws {
    weak var captured: Token?
    func use() async throws {
      let bus = scene.client
      let token = Token()
      captured = token
      let registrations = [
        bus.subscribe(to: "Tick", of: BusScene.clock) { _ in _ = token },
        bus.watchName(BusScene.clock.name, appeared: { _ in _ = token }, vanished: { _ = token }),
        bus.ownName(BusScene.clock.name),
        try bus.export(
          BusExportTests.introspection, at: "/clock",
          methods: ["Now": { _ in withExtendedLifetime(token) { [] } }],
          properties: ["Zone": { withExtendedLifetime(token) { nil } }]),
      ]
      _ = try await pumping { try await bus.call(.bus, "GetId") }
      withExtendedLifetime(registrations) {}
    }
    try await use()
    try await pump("everything let go") { captured == nil }
  }
}
