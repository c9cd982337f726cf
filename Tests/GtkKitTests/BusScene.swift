import TestSupport
import Testing

@testable import GtkKit

/// Two programs on a bus of their own.
@MainActor
struct BusScene {
  let daemon: PrivateBus
  /// The one that asks.
  let client: Bus
  /// The one that offers something.
  let service: Bus

  /// What the bus itself offers.
  nonisolated static let busItself = RemoteObject(
    name: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")
  /// What `service` offers in these tests.
  nonisolated static let clock = RemoteObject(
    name: "org.copypasta.Clock", path: "/clock", interface: "org.copypasta.Clock")

  static func start() async throws -> BusScene {
    let daemon = try await PrivateBus.start()
    return BusScene(
      daemon: daemon, client: try await pumping { try await Bus.at(address: daemon.address) },
      service: try await pumping { try await Bus.at(address: daemon.address) })
  }

  func call(
    _ object: RemoteObject, _ method: String, _ arguments: [Variant] = [], timeout: Duration? = nil
  ) async throws -> Variant {
    try await pumping { [client] in try await client.call(object, method, arguments, timeout: timeout) }
  }

  /// The error that a call ends with; nil where it is answered.
  func failure(
    _ object: RemoteObject, _ method: String, _ arguments: [Variant] = [], timeout: Duration? = nil
  ) async throws -> BusError? {
    do {
      _ = try await call(object, method, arguments, timeout: timeout)
      return nil
    } catch let error as BusError { return error }
  }

  /// The name of the error that a call is answered with.
  func refusal(_ object: RemoteObject, _ method: String, _ arguments: [Variant] = []) async throws -> String?
  {
    guard case .refused(let name, _) = try await failure(object, method, arguments) else { return nil }
    return name
  }

  /// Takes the clock's name for the service, and waits until it has it.
  func takeName() async throws -> BusRegistration {
    let flag = Flag()
    let name = service.ownName(Self.clock.name, acquired: { flag.isSet = true })
    try await pump("the name") { flag.isSet }
    return name
  }

  /// Lets arrive what was sent before: the bus keeps the order.
  func settle() async throws {
    for connection in [service, client] {
      _ = try await pumping { try await connection.call(Self.busItself, "GetId") }
    }
  }
}

/// Something that a closure sets.
@MainActor
final class Flag {
  var isSet = false
}
