import CGtk

/// Why a call over the bus came to nothing.
public enum BusError: Error, Equatable, CustomStringConvertible {
  /// The answer was an error, or the bus knows nobody of that name; `name` is the error's D-Bus name.
  case refused(name: String, message: String)
  /// No answer came in time.
  case timedOut
  /// There is no bus, or the bus went away.
  case noBus(String)
  /// The task was cancelled.
  case cancelled

  /// The name of the error for a method or an interface that does not exist.
  public static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"

  /// The names of the bus's errors if nobody has the name that was called, or its owner ended before the answer
  /// (https://dbus.freedesktop.org/doc/dbus-specification.html#message-bus-starting-services).
  public static let namesOfAbsence: Set = [
    "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
    "org.freedesktop.DBus.Error.NoReply",
  ]

  /// The answer to a call with arguments that make no sense.
  public static func invalidArguments(_ message: String) -> BusError {
    .refused(name: "org.freedesktop.DBus.Error.InvalidArgs", message: message)
  }

  /// A description of the error, for a log.
  public var description: String {
    switch self {
    case .refused(let name, let message): "\(name): \(message)"
    case .timedOut: "no answer in time"
    case .noBus(let message): message
    case .cancelled: "cancelled"
    }
  }

  /// The error's D-Bus name and words, as the answer to a call.
  var answer: (name: String, message: String) {
    if case .refused(let name, let message) = self, g_dbus_is_error_name(name) != 0 { return (name, message) }
    return ("org.freedesktop.DBus.Error.Failed", description)
  }

  /// Takes apart what GDBus says, given the D-Bus name of the error if it was an answer.
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
