/// American English, made for a test, for Debian has no locale but C.UTF-8 at first.
///
/// In C.UTF-8 the C library of today translates nothing, whatever LANGUAGE says: seen with glibc 2.43.
public struct TestLocale: Sendable {
  /// What it is called where `folder` is `LOCPATH`.
  public static let name = "en_US.UTF-8"

  /// Where it is found.
  public let folder: String

  /// Makes it, runs `body`, and removes it.
  public nonisolated(nonsending) static func with<Value>(
    _ body: (TestLocale) async throws -> Value
  ) async throws -> Value {
    let content = try TemporaryFolder()
    defer { withExtendedLifetime(content) {} }
    let made = try await Program.run(
      ["localedef", "-i", "en_US", "-f", "UTF-8", "\(content.path)/\(name)"],
      environment: ["PATH": "/usr/bin:/bin"])
    guard made.exit == .code(0) else { throw TestSupportError("localedef: \(made.errors)") }
    return try await body(TestLocale(folder: content.path))
  }

  /// The environment in which a program speaks a language that it has a translation for.
  public func environment(speaking language: String) -> [String: String] {
    ["LOCPATH": folder, "LANG": Self.name, "LANGUAGE": language]
  }
}
