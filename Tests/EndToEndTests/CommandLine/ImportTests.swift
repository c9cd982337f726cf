import Foundation
import TestSupport
import Testing

/// `copypasta --import` and `copypasta --check`, called from a shell.
@Suite struct ImportTests {
  @Test func `an import reports a refused line by its number, without its text`() async throws {
    try await VirtualDesktop.with { desktop in
      let result = try await shell(
        #"""
        printf '%s\n' '{"text":"a"}' nonsense >$HOME/lines
        script -qec "'\#(CopyPasta.programPath)' --import <$HOME/lines" /dev/null
        """#, on: desktop)
      let clear = "\r\u{1b}[K"
      #expect(result.text.contains("\r0 lines read…\u{1b}[K"), "\(result.text.debugDescription)")
      #expect(
        result.text.contains(clear + "copypasta: Line 2 was refused"), "\(result.text.debugDescription)")
      #expect(result.text.contains(clear + "1 item was imported. 1 line was refused."))
    }
  }

  /// Exports and imports 25 MB of texts with a memory limit of 16 MiB per program.
  @Test func `a history larger than memory is imported completely`() async throws {
    try await VirtualDesktop.with { desktop in
      try await Scene.fillHistory(with: ["first"], on: desktop)
      try await desktop.changeHistory(
        """
        WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 500)
        INSERT INTO clip(captured_at, byte_count, preview, text)
        SELECT 1600000000000000 + n, 50000, 'aaaa', replace(hex(zeroblob(25000)), '0', 'a') FROM number
        """)
      let path = CopyPasta.databasePath(dataHome: desktop.home.dataHome)
      let other = desktop.home.path + "/other"
      let imported = CopyPasta.databasePath(dataHome: other + "/.local/share")
      let clips = "SELECT captured_at, byte_count, text FROM clip ORDER BY captured_at"
      let result = try await shell(
        """
        # The stack of each thread counts as data as well.
        ulimit -s 1024
        ulimit -d 16384
        copypasta --export | HOME=\(other) copypasta --import &&
          cmp <(sqlite3 '\(path)' '\(clips)') <(sqlite3 '\(imported)' '\(clips)')
        """, on: desktop)
      // The texts are all equal, but each has its own time, so none counts as a duplicate.
      #expect(result.text == "501 items were imported.", "\(result.errors)")
      #expect(result.exit == .code(0) && result.errors == "")
    }
  }

  @Test func `during use --check works and imports are refused; the next start repairs reported damage`()
    async throws
  {
    try await Scene.run(with: (1...200).map { "a text of its own \($0)" }) { scene in
      let sound = try await shell("copypasta --check", on: scene.desktop)
      #expect(sound.exit == .code(0) && sound.errors == "", "\(sound.text)")
      let refused = try await shell(#"echo '{"text":"another"}' | copypasta --import"#, on: scene.desktop)
      #expect(refused.exit == .code(1) && refused.errors.contains("copypasta --quit"), "\(refused.errors)")
      #expect(try await scene.history.count() == 200)
      try await scene.end()
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: scene.app.databasePath))
      try file.seek(toOffset: 2 * 4096)
      try file.write(contentsOf: Data(repeating: 0xa5, count: 4096))
      try file.close()
      let damaged = try await shell("copypasta --check", on: scene.desktop)
      #expect(damaged.exit == .code(1))
      #expect(!damaged.text.isEmpty && !damaged.text.contains("of its own"), "\(damaged.text)")
      let mended = Scene(desktop: scene.desktop, app: try await CopyPasta.launch(on: scene.desktop))
      try await mended.capture("recorded after the recovery")
      #expect(try await shell("copypasta --check", on: scene.desktop).exit == .code(0))
      #expect(try await mended.app.stop() == .code(0))
    }
  }
}

/// Runs a line of bash without a display, in this desktop's home folder; `copypasta` calls the program.
func shell(_ line: String, on desktop: VirtualDesktop) async throws -> Program.Result {
  try await Program.run(
    ["bash", "-o", "pipefail", "-c", "copypasta() { '\(CopyPasta.programPath)' \"$@\"; }; \(line)"],
    environment: [
      "PATH": "/usr/bin:/bin", "HOME": desktop.home.path, "LC_ALL": "C.UTF-8", "G_DEBUG": "fatal-criticals",
      // Avoid dconf, because its thread needs more memory than the limit of one test allows.
      "GSETTINGS_BACKEND": "keyfile",
    ])
}
