import GtkKit
import TestSupport

/// Two programs on a bus of their own.
@MainActor
public struct BusScene {
  /// The bus.
  public let daemon: PrivateBus
  /// The one that asks.
  public let client: Bus
  /// The one that offers something.
  public let service: Bus

  /// The object that `service` offers in these tests.
  public nonisolated static let clock = RemoteObject(
    name: "org.copypasta.Clock", path: "/clock", interface: "org.copypasta.Clock")

  /// Starts the bus, and connects both to it.
  public static func start() async throws -> BusScene {
    let daemon = try await PrivateBus.start()
    return BusScene(
      daemon: daemon, client: try await pumping { try await Bus.at(address: daemon.address) },
      service: try await pumping { try await Bus.at(address: daemon.address) })
  }

  /// The answer to a call by the client.
  public func call(
    _ object: RemoteObject, _ method: String, _ arguments: [Variant] = [], timeout: Duration? = nil
  ) async throws -> Variant {
    try await pumping { [client] in try await client.call(object, method, arguments, timeout: timeout) }
  }

  /// The error that a call ends with; nil if it is answered.
  public func failure(
    _ object: RemoteObject, _ method: String, _ arguments: [Variant] = [], timeout: Duration? = nil
  ) async throws -> BusError? {
    do {
      _ = try await call(object, method, arguments, timeout: timeout)
      return nil
    } catch let error as BusError { return error }
  }

  /// The name of the error that a call is answered with.
  public func refusal(_ object: RemoteObject, _ method: String, _ arguments: [Variant] = []) async throws
    -> String?
  {
    guard case .refused(let name, _) = try await failure(object, method, arguments) else { return nil }
    return name
  }

  /// Takes the clock's name for the service, and waits until it has it.
  public func takeName() async throws -> Bus.Registration {
    let name = service.ownName(Self.clock.name)
    try await settle()
    return name
  }

  /// Lets arrive what was sent before: the bus keeps the order.
  public func settle() async throws {
    for connection in [service, client] {
      _ = try await pumping { try await connection.call(.bus, "GetId") }
    }
  }
}
