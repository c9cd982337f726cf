/// A locale generated for a test, because Debian installs only C.UTF-8.
///
/// LANGUAGE is not sufficient: in C.UTF-8, the C library ignores it (seen with glibc 2.43), and only the locale makes
/// GTK mirror a window (seen with GTK 4.18).
public struct TestLocale: Sendable {
  /// Its name if `LOCPATH` is `folder`.
  public let name: String

  /// The folder with the locale.
  public let folder: String

  /// Generates the locale, runs `body`, and removes the locale.
  ///
  /// - Parameter territory: Language and country in glibc's form.
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

  /// The environment of a program in the locale's language, or in another one.
  public func environment(speaking language: String? = nil) -> [String: String] {
    var environment = ["LOCPATH": folder, "LANG": name]
    environment["LANGUAGE"] = language
    return environment
  }
}
