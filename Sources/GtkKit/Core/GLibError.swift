import CGtk

/// A `GError`, as a Swift value.
public struct GLibError: Error, Equatable, CustomStringConvertible {
  /// The family of the code, such as `g-io-error-quark`.
  public let domain: String
  /// The number within the domain.
  public let code: Int
  /// GLib's own words, in the user's language.
  public let message: String

  /// GLib's own message.
  public var description: String { message }

  /// Whether a call over D-Bus failed because nobody has the name that it went to.
  public var isNoSuchName: Bool { isBusError(G_DBUS_ERROR_SERVICE_UNKNOWN, G_DBUS_ERROR_NAME_HAS_NO_OWNER) }

  /// Whether a call over D-Bus reached a program that has ended before it answered.
  public var isNoReply: Bool { isBusError(G_DBUS_ERROR_NO_REPLY) }

  /// Whether a call over D-Bus reached a program that has no such object, interface or method, or not yet.
  public var isNoSuchMethod: Bool {
    isBusError(G_DBUS_ERROR_UNKNOWN_METHOD, G_DBUS_ERROR_UNKNOWN_OBJECT, G_DBUS_ERROR_UNKNOWN_INTERFACE)
  }

  private func isBusError(_ codes: GDBusError...) -> Bool {
    domain == "g-dbus-error-quark" && codes.contains { Int($0.rawValue) == code }
  }

  /// Takes over an error that a C function returned through its last argument, and frees it.
  init(taking error: UnsafeMutablePointer<GError>?) {
    guard let error else {
      self.init(domain: "", code: 0, message: "")
      return
    }
    self.init(
      domain: g_quark_to_string(error.pointee.domain).map { String(cString: $0) } ?? "",
      code: Int(error.pointee.code), message: String(cString: error.pointee.message))
    g_error_free(error)
  }

  private init(domain: String, code: Int, message: String) {
    self.domain = domain
    self.code = code
    self.message = message
  }
}
