import Foundation
import TestSupport
import Testing

/// Output and exit status of the program without a window.
@Suite(.keepsPictures) struct CommandLineTests {
  @Test(arguments: [[:], ["DISPLAY": ":4711"]])
  func `without a reachable display the program prints one line and exits with status 1`(
    _ environment: [String: String]
  ) async throws {
    let result = try await run([], environment: environment)
    #expect(result.exit == .code(1))
    #expect(result.isOneLineOfErrors && result.errors.lowercased().contains("display"), "\(result.errors)")
  }

  @Test(arguments: [
    ["--no-such-option"], ["-x"], ["stray"], ["--version", "stray"], ["two", "words"], [""],
    ["--version", "--help"], ["--print", "0"], ["--print", "x"], ["--print", "-1"], ["--print", "3", "4"],
    ["--print", "99999999999999999999"], ["a\nb\u{1b}[31m"], [String(repeating: "x", count: 10_000)],
  ])
  func `with invalid arguments the program prints one line and exits with status 2`(
    _ arguments: [String]
  ) async throws {
    let result = try await run(arguments)
    #expect(result.exit == .code(2))
    #expect(result.isOneLineOfErrors && result.errors.count < 200, "\(result.errors)")
    #expect(!result.errors.contains("\u{1b}") && result.output.isEmpty)
  }

  @Test(arguments: ["--version", "--help", "-h"])
  func `--version and --help need no display`(_ option: String) async throws {
    let result = try await run([option])
    #expect(result.exit == .code(0))
    #expect(result.errors == "")
    #expect(result.text.lowercased().contains("copypasta"))
  }

  /// If the path were decoded as a string, it would name a different folder.
  ///
  /// `--version` succeeds, because it uses no folder.
  @Test(arguments: [[], ["--export"], ["--check"], ["--version"]])
  func `a data folder path that is not valid UTF-8 is refused with a one-line error and creates no folder`(
    _ arguments: [String]
  ) async throws {
    let folder = try TemporaryFolder()
    let script = "XDG_DATA_HOME=$(printf '%s/\\351' \"$0\") exec \"$@\""
    let result = try await Program.run(
      ["/bin/sh", "-c", script, folder.path, CopyPasta.programPath] + arguments,
      environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"])
    let isHelp = arguments == ["--version"]
    #expect(result.exit == .code(isHelp ? 0 : arguments == ["--check"] ? 2 : 1))
    #expect(isHelp || result.isOneLineOfErrors && result.errors.contains("XDG_DATA_HOME"), "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  /// The XDG specification declares relative paths invalid.
  ///
  /// With a relative path, every folder in which the program is started would get its own history.
  @Test func `a relative data folder is ignored`() async throws {
    let home = try TemporaryFolder()
    let script = #"cd "$0" && mkdir other && cd other && echo '{"text":"a"}' | "$@""#
    let result = try await Program.run(
      ["/bin/sh", "-c", script, home.path, CopyPasta.programPath, "--import"],
      environment: [
        "HOME": home.path, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "XDG_DATA_HOME": "here",
        "XDG_STATE_HOME": "./here", "XDG_CONFIG_HOME": "here", "XDG_CACHE_HOME": "here",
        "XDG_RUNTIME_DIR": "here",
        "G_DEBUG": "fatal-criticals",
      ])
    #expect(result.exit == .code(0) && result.errors == "", "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path + "/other") == [])
    let history = home.path + "/.local/share/copypasta/history.sqlite3"
    #expect(FileManager.default.fileExists(atPath: history))
  }

  @Test func `messages are written in the encoding of the locale`() async throws {
    for (locale, message) in [("C.UTF-8", "“0” is not"), ("C", #""0" is not"#)] {
      let result = try await run(["--print", "0"], environment: ["LC_ALL": locale])
      #expect(result.errors.hasPrefix("copypasta: \(message) "), "\(result.errors)")
      let help = try await run(["--help"], environment: ["LC_ALL": locale])
      #expect(help.text.contains(locale == "C" ? "item's text" : "item’s text"), "\(help.text)")
    }
  }

  /// Runs the program without a display, unless `environment` names one.
  private func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Program.Result
  {
    let home = try TemporaryFolder()
    let base = [
      "PATH": "/usr/bin:/bin", "HOME": home.path, "XDG_RUNTIME_DIR": home.path, "LANG": "C.UTF-8",
      "G_DEBUG": "fatal-criticals",
    ]
    return try await Program.run(
      [CopyPasta.programPath] + arguments, environment: base.merging(environment) { $1 })
  }
}

extension Program.Result {
  fileprivate var isOneLineOfErrors: Bool {
    errors.hasSuffix("\n") && errors.split(separator: "\n", omittingEmptySubsequences: false).count == 2
  }
}
