import Foundation

/// The files in `Fixtures`, found beside this source file: tests run where they were built.
public enum Fixture {
  /// The path of one of them.
  public static func path(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Fixtures/" + name
  }
}
