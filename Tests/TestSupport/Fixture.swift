import Foundation

/// The files of the checkout that tests use, found from this source file: tests run where they were built.
public enum Fixture {
  /// The path of a file in `Fixtures`.
  public static func path(_ name: String) -> String { checkout + "/Tests/TestSupport/Fixtures/" + name }

  /// The path of the checkout.
  public static let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
}
