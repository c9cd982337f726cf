import CGtk
import Glibc
import GtkTestSupport
import TestSupport
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

  // MARK: Signals

  @Test func `a D-Bus signal is delivered until its subscription ends`() async throws {
    let name = try await scene.takeName()
    var received: [Variant] = []
    var subscription: Bus.Registration? = scene.client.subscribe(to: "Tick", of: clock) {
      received.append($0)
    }
    try await scene.settle()
    scene.service.emit("Tick", of: clock.interface, at: clock.path, [.int32(1)])
    scene.service.emit("Tick", of: clock.interface, at: "/elsewhere", [.int32(2)])
    scene.service.emit("Tock", of: clock.interface, at: clock.path)
    scene.service.emit("Tick", of: clock.interface, at: clock.path, [.string("of another type")])
    try await pump("two ticks") { received.count == 2 }
    #expect(received == [.tuple([.int32(1)]), .tuple([.string("of another type")])])
    subscription = nil
    scene.service.emit("Tick", of: clock.interface, at: clock.path)
    try await scene.settle()
    #expect(received.count == 2)
    withExtendedLifetime((name, subscription)) {}
  }

  // MARK: Names

  @Test func `a name watch reports when a bus name gets and loses its owner`() async throws {
    var seen: [String?] = []
    var watch: Bus.Registration? = scene.client.watchName(clock.name) {
      seen.append($0)
    } vanished: {
      seen.append(nil)
    }
    try await pump("nobody") { seen == [nil] }
    var name: Bus.Registration? = try await scene.takeName()
    try await pump("somebody") { seen.count == 2 }
    let owner = g_dbus_connection_get_unique_name(scene.service.opaque).map { String(cString: $0) }
    #expect(seen == [nil, owner])
    name = nil
    try await pump("nobody again") { seen.count == 3 }
    #expect(seen == [nil, owner, nil])
    watch = nil
    name = try await scene.takeName()
    try await scene.settle()
    #expect(seen.count == 3)
    withExtendedLifetime((name, watch)) {}
  }

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
