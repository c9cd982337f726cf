import Synchronization

/// A locale made for a test, because a new Debian system has only C.UTF-8.
///
/// LANGUAGE is not sufficient: in C.UTF-8, the C library ignores it (seen with glibc 2.43), and only the locale makes
/// GTK mirror a window (seen with GTK 4.18).
public struct TestLocale: Sendable {
  /// The locale's name if `LOCPATH` is `folder`.
  public let name: String

  /// The folder with the locale.
  public let folder: String

  /// The locales made so far, by territory; they are removed when the test process ends.
  private static let made = Mutex<[String: Task<TestLocale, any Error>]>([:])

  /// Runs `body` with a locale, which is made at its first use.
  ///
  /// - Parameter territory: Language and country in glibc's form.
  public nonisolated(nonsending) static func with<Value>(
    _ territory: String = "en_US", _ body: (TestLocale) async throws -> Value
  ) async throws -> Value {
    let locale = made.withLock { made in
      let locale = made[territory] ?? Task { try await make(territory) }
      made[territory] = locale
      return locale
    }
    return try await body(locale.value)
  }

  /// Makes a locale without its collation, which would take most of the time.
  private static func make(_ territory: String) async throws -> TestLocale {
    let locale = TestLocale(name: territory + ".UTF-8", folder: try TemporaryFolder.sharedPath())
    let script = #"""
      mkdir "$1"
      sed '/^LC_COLLATE/,/^END LC_COLLATE/c LC_COLLATE\ncopy "POSIX"\nEND LC_COLLATE' \
        "/usr/share/i18n/locales/$0" >"$1/source"
      localedef -i "$1/source" -f UTF-8 "$1/$0.UTF-8"
      """#
    try await Program.run(
      ["sh", "-e", "-c", script, territory, locale.folder], environment: ["PATH": "/usr/bin:/bin"]
    ).succeeded()
    return locale
  }

  /// The environment of a program in this locale, with messages in `language` or in the locale's own language.
  public func environment(speaking language: String? = nil) -> [String: String] {
    var environment = ["LOCPATH": folder, "LANG": name]
    environment["LANGUAGE"] = language
    return environment
  }
}
