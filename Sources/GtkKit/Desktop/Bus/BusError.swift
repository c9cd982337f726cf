import CGtk

/// Why a D-Bus call failed.
public enum BusError: Error, Equatable, CustomStringConvertible {
  /// The other program or the bus returned an error, whose D-Bus name is `name`.
  case refused(name: String, message: String)
  /// The timeout has passed.
  case timedOut
  /// No bus is available, or the connection was closed.
  case noBus(String)
  /// The task was cancelled.
  case cancelled

  /// The D-Bus error name for an unknown method.
  public static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"

  /// The bus's errors if the called name has no owner, or the owner exited before it replied
  /// (https://dbus.freedesktop.org/doc/dbus-specification.html#message-bus-starting-services).
  public static let namesOfAbsence: Set = [
    "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
    "org.freedesktop.DBus.Error.NoReply",
  ]

  /// Returns the error for a call with invalid arguments.
  public static func invalidArguments(_ message: String) -> BusError {
    .refused(name: "org.freedesktop.DBus.Error.InvalidArgs", message: message)
  }

  /// The error for a log.
  public var description: String {
    switch self {
    case .refused(let name, let message): "\(name): \(message)"
    case .timedOut: "no answer in time"
    case .noBus(let message): message
    case .cancelled: "cancelled"
    }
  }

  /// The D-Bus name and message with which to reply to a call.
  var answer: (name: String, message: String) {
    if case .refused(let name, let message) = self, g_dbus_is_error_name(name) != 0 { return (name, message) }
    return ("org.freedesktop.DBus.Error.Failed", description)
  }

  /// Converts an error of GDBus; `remoteName` is its D-Bus name if the other program or the bus returned it.
  init(_ error: any Error, remoteName: String?) {
    guard let error = error as? GLibError else {
      self = error is CancellationError ? .cancelled : .noBus("\(error)")
      return
    }
    if let remoteName {
      self = .refused(name: remoteName, message: error.message)
    } else if error.domain == "g-io-error-quark", error.code == Int(G_IO_ERROR_TIMED_OUT.rawValue) {
      self = .timedOut
    } else {
      self = .noBus(error.message)
    }
  }
}
