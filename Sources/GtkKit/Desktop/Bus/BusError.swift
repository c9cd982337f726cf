import CGtk

public enum BusError: Error, Equatable, CustomStringConvertible {
  /// The other program or the bus returned an error, whose D-Bus name is `name`.
  case refused(name: String, message: String)
  case timedOut
  /// No bus is available, or the connection was closed.
  case noBus(String)
  case cancelled

  public static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"

  /// Whether the called program is not running, or exited before it answered
  /// (https://dbus.freedesktop.org/doc/dbus-specification.html#message-bus-starting-services).
  public var isAbsence: Bool { isRefusal("ServiceUnknown", "NameHasNoOwner", "NoReply") }

  /// Whether the called program has no such object, interface or method, or has not exported it yet.
  var isUnknownMethod: Bool { isRefusal("UnknownMethod", "UnknownObject", "UnknownInterface") }

  private func isRefusal(_ names: String...) -> Bool {
    guard case .refused(let name, _) = self else { return false }
    return names.contains { name == "org.freedesktop.DBus.Error." + $0 }
  }

  public static func invalidArguments(_ message: String) -> BusError {
    .refused(name: "org.freedesktop.DBus.Error.InvalidArgs", message: message)
  }

  public var description: String {
    switch self {
    case .refused(let name, let message): "\(name): \(message)"
    case .timedOut: "no answer in time"
    case .noBus(let message): message
    case .cancelled: "cancelled"
    }
  }

  var answer: (name: String, message: String) {
    if case .refused(let name, let message) = self, g_dbus_is_error_name(name) != 0 { return (name, message) }
    return ("org.freedesktop.DBus.Error.Failed", description)
  }

  /// Converts an error from a GDBus function.
  init(_ error: any Error) {
    guard let error = error as? GLibError else {
      self = error is CancellationError ? .cancelled : .noBus("\(error)")
      return
    }
    if let name = error.busName {
      self = .refused(name: name, message: error.message)
    } else if error.domain == "g-io-error-quark", error.code == Int(G_IO_ERROR_TIMED_OUT.rawValue) {
      self = .timedOut
    } else {
      self = .noBus(error.message)
    }
  }
}
