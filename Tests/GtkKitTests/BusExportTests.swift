import CGtk
import GtkTestSupport
import Testing

@testable import GtkKit

/// Valid and invalid calls to exported objects.
@MainActor
@Suite struct BusExportTests {
  nonisolated static let introspection = """
    <node>
      <interface name="org.copypasta.Clock">
        <method name="Now"><arg type="s" direction="in"/><arg type="x" direction="out"/></method>
        <method name="Forgotten"/>
        <method name="Refuse"/>
        <property name="Zone" type="s" access="read"/>
        <property name="Unknown" type="s" access="read"/>
        <signal name="Tick"/>
      </interface>
    </node>
    """
  private let clock = BusScene.clock
  private let properties = RemoteObject(
    name: BusScene.clock.name, path: BusScene.clock.path, interface: "org.freedesktop.DBus.Properties")
  private let scene: BusScene
  private let name: Bus.Registration

  init() async throws {
    scene = try await BusScene.start()
    name = try await scene.takeName()
  }

  private func export(on bus: Bus, calls: @escaping @MainActor (String) -> Void = { _ in }) throws
    -> Bus.Registration
  {
    try bus.export(
      Self.introspection, at: clock.path,
      methods: [
        "Now": { arguments in
          calls(arguments[0]?.string ?? "none")
          return [.int64(42)]
        },
        "Refuse": { _ throws(BusError) in
          throw .refused(name: "org.copypasta.Error.Closed", message: "closed")
        },
      ],
      properties: ["Zone": { .string("UTC") }, "Unknown": { nil }])
  }

  @Test func `calls and reads of properties return results or the method's error`() async throws {
    var zones: [String] = []
    let object = try export(on: scene.service) { zones.append($0) }
    #expect(try await scene.call(clock, "Now", [.string("UTC")]) == .tuple([.int64(42)]))
    #expect(zones == ["UTC"])
    let zone = try await scene.call(properties, "Get", [.string(clock.interface), .string("Zone")])
    #expect(zone == .tuple([.boxed(.string("UTC"))]))
    let all = try await scene.call(properties, "GetAll", [.string(clock.interface)])
    #expect(all[0]?.dictionary == ["Zone": .string("UTC")])
    let closed = BusError.refused(name: "org.copypasta.Error.Closed", message: "closed")
    #expect(try await scene.failure(clock, "Refuse") == closed)
    withExtendedLifetime(object) {}
  }

  @Test func `invalid calls to an exported object return an error and run no method`() async throws {
    let object = try export(on: scene.service) { _ in Issue.record("the method was called") }
    let wrong: [(RemoteObject, String, [Variant])] = [
      (clock, "Now", [.int32(1)]),
      (clock, "Forgotten", []),
      (properties, "Get", [.string(clock.interface), .string("Unknown")]),
      (properties, "Set", [.string(clock.interface), .string("Zone"), .boxed(.string("CET"))]),
    ]
    for (object, method, arguments) in wrong {
      #expect(
        try await scene.refusal(object, method, arguments) != nil, "\(object.path) \(method) \(arguments)")
    }
    withExtendedLifetime(object) {}
  }

  @Test func `a pending call to an object that is no longer exported is refused`() async throws {
    var object: Bus.Registration? = try export(on: scene.service) { _ in Issue.record("the method was called")
    }
    scene.client.send(clock, "Now", [.string("")])
    // The bus preserves the order, so the call has arrived once the service gets the reply to its ping. Synchronous
    // pings do not dispatch the call.
    for connection in [scene.client, scene.service] {
      let answer = g_dbus_connection_call_sync(
        connection.opaque, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Peer",
        "Ping", nil, nil,
        copypasta_G_DBUS_CALL_FLAGS_NONE, -1, nil, nil)
      g_variant_unref(answer)
    }
    #expect(object != nil)
    object = nil
    #expect(try await scene.refusal(clock, "Now", [.string("")]) == BusError.unknownMethod)
  }
}
