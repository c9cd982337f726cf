import Foundation
import TestSupport
import Testing

/// `copypasta --export`, without a display.
@Suite struct ExportTests {
  @Test func `the history of a program that runs is written`() async throws {
    try await Scene.run { scene in
      try await scene.capture("first\nwith a second line")
      try await scene.capture("second")
      let result = try await export(home: scene.desktop.home.path, into: "jq --compact-output .text")
      #expect(
        result.text == #"""
          "first\nwith a second line"
          "second"
          """#)
      #expect(result.errors == "")
      try await scene.capture("it still records")
    }
  }

  /// 25 MB of texts, by a program that may have 16 MiB.
  @Test func `a history larger than the memory is written whole`() async throws {
    let rows = """
      WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 500)
      INSERT INTO clip(captured_at, byte_count, preview, text)
      SELECT n, 50000, 'aaaa', replace(hex(zeroblob(25000)), '0', 'a') FROM number
      """
    try await withHistory(rows) { home in
      let result = try await export(home: home, before: "ulimit -d 16384;", into: "wc -c")
      #expect(Int(result.text).map { $0 > 25_000_000 } == true, "\(result.errors)")
      #expect(result.exit == .code(0))
    }
  }

  @Test func `who stops reading ends it quietly`() async throws {
    try await withHistory(Self.manyClips) { home in
      let result = try await export(home: home, into: "head -n 1")
      #expect(result.text.hasSuffix(#""text":"clip 1"}"#))
      #expect(result.errors == "")
      // The same if the shell has told it to ignore the signal.
      let ignored = try await export(home: home, before: "trap '' PIPE;", into: "head -n 1")
      #expect(ignored.text == result.text && ignored.errors == "")
    }
  }

  @Test func `a full disk is told in one line`() async throws {
    try await withHistory(Self.manyClips) { home in
      let result = try await export(home: home, into: "exec cat >/dev/null", redirected: ">/dev/full")
      #expect(
        result.errors
          == "copypasta: Not exported: the output could not be written (No space left on device).\n")
      #expect(result.exit == .code(1))
    }
  }

  @Test func `a newer history is told in one line`() async throws {
    try await withHistory("PRAGMA user_version = 99") { home in
      try await expectFailure(home: home)
    }
  }

  @Test func `a damaged history is told in one line`() async throws {
    try await withHistory(Self.manyClips) { home in
      let file = try FileHandle(
        forUpdating: URL(fileURLWithPath: home + "/.local/share/copypasta/history.sqlite3"))
      for page in 5..<400 {
        try file.seek(toOffset: UInt64(page * 4096))
        try file.write(contentsOf: Data(repeating: 0xa5, count: 4096))
      }
      try file.close()
      try await expectFailure(home: home)
    }
  }

  /// 50,000 clips, in SQL.
  private static let manyClips = """
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 50000)
    INSERT INTO clip(captured_at, byte_count, text) SELECT n, length('clip ' || n), 'clip ' || n FROM number
    """

  private func expectFailure(home: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let result = try await export(home: home)
    #expect(result.exit == .code(1), sourceLocation: sourceLocation)
    #expect(result.errors.hasPrefix("copypasta: Not exported. "), sourceLocation: sourceLocation)
    #expect(result.errors.split(separator: "\n").count == 1, sourceLocation: sourceLocation)
  }

  /// Runs a test on the home folder of a history that the program made, and SQL then changed.
  private func withHistory(_ sql: String, _ body: (String) async throws -> Void) async throws {
    try await VirtualDesktop.with { desktop in
      let app = try await CopyPasta.launch(on: desktop)
      try await app.stop()
      try #require(try await desktop.run(["sqlite3", app.databasePath, sql]).exit == .code(0))
      try await body(desktop.home.path)
    }
  }

  /// Exports without a display or a bus, as a shell does it.
  private func export(
    home: String, before: String = "", into reader: String = "exec cat", redirected: String = ""
  ) async throws -> Program.Result {
    let command =
      "\(before) '\(CopyPasta.programPath)' --export \(redirected) | \(reader); exit ${PIPESTATUS[0]}"
    return try await Program.run(
      ["bash", "-c", command], environment: ["PATH": "/usr/bin:/bin", "HOME": home, "LC_ALL": "C.UTF-8"],
      within: .seconds(60))
  }
}
