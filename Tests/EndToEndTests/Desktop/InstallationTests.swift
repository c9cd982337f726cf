import TestSupport
import Testing

/// The program installed under a prefix of its own.
@Suite(.keepsPictures) struct InstallationTests {
  /// The test translation puts every message in guillemets to show which messages are translated.
  @Test func `translations are found under any prefix, and a missing translation falls back to English`()
    async throws
  {
    let prefix = try await installation(translating: "s/.*/«&»/")
    let result = try await run(prefix, "--no-such-option", language: "de")
    #expect(result.errors == "copypasta: «Unknown option “--no-such-option”.» «See copypasta --help.»\n")
    let help = try await run(prefix, "--help", language: "de").text
    #expect(help.split(separator: "\n").allSatisfy { $0.contains("«") && $0.hasSuffix("»") }, "\(help)")
    let english = try await run(prefix, "--no-such-option", language: "fr")
    #expect(english.errors == "copypasta: Unknown option “--no-such-option”. See copypasta --help.\n")
  }

  @Test(arguments: [true, false])
  func `the settings schema is found under any prefix, and a missing schema is reported`(isThere: Bool)
    async throws
  {
    let prefix = try await installation(translating: "")
    if isThere {
      let folder = prefix.path + "/share/glib-2.0/schemas"
      try await compileSettingsSchemas(Fixture.checkout + "/data", into: folder)
    }
    try await VirtualDesktop.with { desktop in
      let app = try await CopyPasta.launch(
        on: desktop, through: ["/bin/sh", "-c", "exec '\(prefix.path)/bin/copypasta'"],
        environment: ["GSETTINGS_SCHEMA_DIR": ""])
      let scene = Scene(desktop: desktop, app: app)
      try await scene.capture("kept")
      #expect(try await app.stop() == .code(0))
      let line = "copypasta: Settings are not saved: their schema is not installed.\n"
      #expect(app.errors == (isThere ? "" : line))
    }
  }

  /// A prefix with the program and a German catalogue, made from the template with the sed script `script`.
  private func installation(translating script: String) async throws -> TemporaryFolder {
    let prefix = try TemporaryFolder()
    try prefix.makeFolder("bin")
    try prefix.makeFolder("share/locale/de/LC_MESSAGES")
    // Copy in another process. A child that another test forks from this one could hold the file open for writing,
    // and running it would fail with ETXTBSY.
    let commands = """
      cp '\(CopyPasta.programPath)' '\(prefix.path)/bin/copypasta'
      msgen '\(Fixture.checkout)/po/copypasta.pot' | msgfilter --keep-header sed '\(script)' |
        msgfmt --output-file='\(prefix.path)/share/locale/de/LC_MESSAGES/copypasta.mo' -
      """
    let made = try await Program.run(
      ["bash", "-e", "-o", "pipefail", "-c", commands],
      environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"])
    try #require(made.exit == .code(0), "\(made.errors)")
    return prefix
  }

  private func run(
    _ prefix: TemporaryFolder, _ argument: String, language: String
  ) async throws -> Program.Result {
    try await TestLocale.with { locale in
      try await Program.run(
        [prefix.path + "/bin/copypasta", argument],
        environment: locale.environment(speaking: language).merging(["HOME": prefix.path]) { $1 })
    }
  }
}
