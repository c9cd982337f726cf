/// A locale made for a test, for Debian has none but C.UTF-8 at first.
///
/// In C.UTF-8 the C library of today translates nothing, whatever LANGUAGE says: seen with glibc 2.43. And it is the
/// locale that mirrors a window, not LANGUAGE: seen with GTK 4.18.
public struct TestLocale: Sendable {
  /// Its name where `folder` is `LOCPATH`.
  public let name: String

  /// Where it is found.
  public let folder: String

  /// Makes it, runs `body`, and removes it.
  ///
  /// - Parameter territory: language and country as glibc has them; American English if nothing else is said.
  public nonisolated(nonsending) static func with<Value>(
    _ territory: String = "en_US", _ body: (TestLocale) async throws -> Value
  ) async throws -> Value {
    let content = try TemporaryFolder()
    defer { withExtendedLifetime(content) {} }
    let locale = TestLocale(name: territory + ".UTF-8", folder: content.path)
    try await Program.run(
      ["localedef", "-i", territory, "-f", "UTF-8", "\(locale.folder)/\(locale.name)"],
      environment: ["PATH": "/usr/bin:/bin"]
    ).succeeded()
    return try await body(locale)
  }

  /// The environment in which a program speaks the locale's language, or another one, if it has a translation for it.
  public func environment(speaking language: String? = nil) -> [String: String] {
    var environment = ["LOCPATH": folder, "LANG": name]
    environment["LANGUAGE"] = language
    return environment
  }
}
