import Foundation

/// Files of the checkout that tests use, found relative to this source file.
public enum Fixture {
  /// The path of a file in `Fixtures`.
  public static func path(_ name: String) -> String { checkout + "/Tests/TestSupport/Fixtures/" + name }

  /// The command that runs a Python file in `Fixtures` with Debian's Python, which has Debian's modules.
  public static func python(_ name: String, _ arguments: [String] = []) -> [String] {
    ["/usr/bin/python3", "-u", path(name)] + arguments
  }

  /// The path of the checkout.
  public static let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
}
