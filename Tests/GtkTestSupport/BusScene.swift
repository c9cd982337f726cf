import GtkKit
import TestSupport

/// Two connections to a private bus.
@MainActor
public struct BusScene {
  /// The bus daemon.
  public let daemon: PrivateBus
  /// The calling program's connection.
  public let client: Bus
  /// The exporting program's connection.
  public let service: Bus

  /// The object that `service` exports in these tests.
  public nonisolated static let clock = RemoteObject(
    name: "org.copypasta.Clock", path: "/clock", interface: "org.copypasta.Clock")

  /// Starts the bus and both connections.
  public static func start() async throws -> BusScene {
    let daemon = try await PrivateBus.start()
    return BusScene(
      daemon: daemon, client: try await pumping { try await Bus.at(address: daemon.address) },
      service: try await pumping { try await Bus.at(address: daemon.address) })
  }

  /// Calls a method from the client and returns its result.
  public func call(
    _ object: RemoteObject, _ method: String, _ arguments: [Variant] = [], timeout: Duration? = nil
  ) async throws -> Variant {
    try await pumping { [client] in try await client.call(object, method, arguments, timeout: timeout) }
  }

  /// Returns the error of a call; nil if the call succeeds.
  public func failure(
    _ object: RemoteObject, _ method: String, _ arguments: [Variant] = [], timeout: Duration? = nil
  ) async throws -> BusError? {
    do {
      _ = try await call(object, method, arguments, timeout: timeout)
      return nil
    } catch let error as BusError { return error }
  }

  /// Returns the D-Bus name of the error that a call returns.
  public func refusal(_ object: RemoteObject, _ method: String, _ arguments: [Variant] = []) async throws
    -> String?
  {
    guard case .refused(let name, _) = try await failure(object, method, arguments) else { return nil }
    return name
  }

  /// Requests the clock's name for `service`, and waits until `service` owns the name.
  public func takeName() async throws -> Bus.Registration {
    let name = service.ownName(Self.clock.name)
    try await settle()
    return name
  }

  /// Waits until all earlier messages have arrived, which is certain because the bus preserves their order.
  public func settle() async throws {
    for connection in [service, client] {
      _ = try await pumping { try await connection.call(.bus, "GetId") }
    }
  }
}
