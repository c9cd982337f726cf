import Foundation

/// The files of the checkout that tests use, found from this source file: tests run where they were built.
public enum Fixture {
  /// The path of a file in `Fixtures`.
  public static func path(_ name: String) -> String { checkout + "/Tests/TestSupport/Fixtures/" + name }

  /// The command that runs one of them by Debian's own Python, which alone has the modules that are Debian packages.
  public static func python(_ name: String, _ arguments: [String] = []) -> [String] {
    ["/usr/bin/python3", "-u", path(name)] + arguments
  }

  /// The path of the checkout.
  public static let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
}
