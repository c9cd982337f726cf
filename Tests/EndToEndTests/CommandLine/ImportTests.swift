import Foundation
import TestSupport
import Testing

/// `copypasta --import` and `copypasta --check`, called from a shell.
@Suite(.keepsPictures) struct ImportTests {
  @Test func `an import names refused lines by their numbers, at most twenty`() async throws {
    try await VirtualDesktop.with { desktop in
      let result = try await shell(
        #"(seq 2; echo '{"text":"a"}'; seq 40) | copypasta --import"#, on: desktop)
      #expect(result.exit == .code(1) && result.text == "1 item was imported. 42 lines were refused.")
      let lines = result.errors.split(separator: "\n")
      #expect(lines.count == 20 && lines[1].hasPrefix("copypasta: Line 2 was refused: the line is not"))
    }
  }

  /// The first files that are opened would get the numbers of the closed streams.
  @Test func `closed standard streams cause an error and are not replaced by the history's files`()
    async throws
  {
    try await VirtualDesktop.with { desktop in
      let line = #"echo '{"text":"a"}' | copypasta --import"#
      #expect(try await shell(line, on: desktop).text == "1 item was imported.")
      for closed in ["copypasta --import <&-", "copypasta --export >&-", "copypasta --print >&-"] {
        let result = try await shell(closed, on: desktop)
        #expect(result.exit == .code(1) && result.errors.contains("could not be"), "\(result.errors)")
      }
      // A message in the marker file would make it longer.
      let host = #"wc -c < "$HOME"/.local/share/copypasta/history.sqlite3-host"#
      let before = try await shell(host, on: desktop).text
      #expect(try await shell("copypasta --import <&- >&- 2>&-", on: desktop).exit == .code(1))
      #expect(try await shell(host, on: desktop).text == before)
    }
  }

  @Test func `--check works while the program runs, and --import is refused`() async throws {
    try await Scene.run(with: ["one"]) { scene in
      let sound = try await shell("copypasta --check", on: scene.desktop)
      #expect(sound.exit == .code(0) && sound.errors == "", "\(sound.text)")
      let refused = try await shell(#"echo '{"text":"another"}' | copypasta --import"#, on: scene.desktop)
      #expect(refused.exit == .code(1) && refused.errors.contains("copypasta --quit"), "\(refused.errors)")
      #expect(try await scene.history.count() == 1)
    }
  }
}

/// Runs a line of bash without a display, in this desktop's home folder; `copypasta` calls the program.
func shell(_ line: String, on desktop: VirtualDesktop) async throws -> Program.Result {
  try await Program.run(
    ["bash", "-o", "pipefail", "-c", "copypasta() { '\(CopyPasta.programPath)' \"$@\"; }; \(line)"],
    environment: [
      "PATH": "/usr/bin:/bin", "HOME": desktop.home.path, "LC_ALL": "C.UTF-8", "G_DEBUG": "fatal-criticals",
      // dconf would need a service on the bus.
      "GSETTINGS_BACKEND": "keyfile",
    ])
}
