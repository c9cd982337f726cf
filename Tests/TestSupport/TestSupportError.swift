import Glibc

/// A failure of the test harness.
public struct TestSupportError: Error, CustomStringConvertible, Sendable {
  /// One line that describes the failure, possibly followed by a program's output.
  public let description: String

  /// Whether a wait continues, because what failed may work later without any action of the test.
  let mayPass: Bool

  /// Makes an error with this description.
  public init(_ description: String) { self.init(description, mayPass: false) }

  /// Makes an error; a wait continues if `mayPass` is true.
  init(_ description: String, mayPass: Bool) {
    self.description = description
    self.mayPass = mayPass
  }

  /// Makes an error with the name of a failed system call and the system's message for `code`.
  static func system(_ call: String, code: Int32) -> TestSupportError {
    TestSupportError("\(call): \(String(cString: strerror(code)))")
  }
}
