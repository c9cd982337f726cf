import Glibc

/// A failure of the test harness.
public struct TestSupportError: Error, CustomStringConvertible, Sendable {
  /// One line that describes the failure, possibly followed by a program's output.
  public let description: String

  /// Makes an error with this description.
  public init(_ description: String) { self.description = description }

  /// Makes an error with the name of a failed system call and the system's message for `code`.
  static func system(_ call: String, code: Int32) -> TestSupportError {
    TestSupportError("\(call): \(String(cString: strerror(code)))")
  }
}
