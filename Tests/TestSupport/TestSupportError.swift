import Glibc

/// The harness could not do what a test asked for; the message says what, and what the program concerned said.
public struct TestSupportError: Error, CustomStringConvertible, Sendable {
  /// The failure, in one line or with the output of a program after it.
  public let description: String

  /// An error that says `description`.
  public init(_ description: String) { self.description = description }

  /// An error that names the system call that failed, with the system's own words for `code`.
  static func system(_ call: String, code: Int32) -> TestSupportError {
    TestSupportError("\(call): \(String(cString: strerror(code)))")
  }
}
