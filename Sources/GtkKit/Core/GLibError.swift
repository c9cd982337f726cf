import CGtk

/// A `GError`, as a Swift value.
public struct GLibError: Error, Equatable, CustomStringConvertible {
  /// The family of the code, such as `g-io-error-quark`.
  public let domain: String
  /// The number within the domain.
  public let code: Int
  /// GLib's own words, in the user's language.
  public let message: String

  /// What GLib says of it.
  public var description: String { message }

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
