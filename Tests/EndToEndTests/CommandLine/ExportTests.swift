import Foundation
import TestSupport
import Testing

/// `copypasta --export` without a display.
@Suite struct ExportTests {
  @Test func `a reader that closes the pipe ends the export silently`() async throws {
    try await withHistory(Self.manyClips) { home in
      let result = try await export(home: home, into: "head -n 1")
      #expect(result.text.hasSuffix(#""text":"clip 1"}"#))
      #expect(result.errors == "")
      // The result is the same if the shell makes the program ignore SIGPIPE.
      let ignored = try await export(home: home, before: "trap '' PIPE;", into: "head -n 1")
      #expect(ignored.text == result.text && ignored.errors == "")
    }
  }

  @Test func `an export to a full disk prints a one-line error`() async throws {
    try await withHistory(Self.manyClips) { home in
      let result = try await export(home: home, into: "exec cat >/dev/null", redirected: ">/dev/full")
      #expect(
        result.errors
          == "copypasta: Not exported: the output could not be written (No space left on device).\n")
      #expect(result.exit == .code(1))
    }
  }

  /// NFS and some quotas report errors only when a file is closed.
  @Test func `an export prints a one-line error if closing its output fails`() async throws {
    try await withHistory("SELECT 1") { home in
      let fault = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <stdio.h>
        #include <string.h>
        #include <unistd.h>
        int close(int descriptor) {
          char link[64], path[4096] = "";
          snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
          if (readlink(link, path, sizeof path - 1) < 0) path[0] = 0;
          int code = ((int (*)(int))dlsym(RTLD_NEXT, "close"))(descriptor);
          if (!strstr(path, "/on-a-quota")) return code;
          errno = EDQUOT;
          return -1;
        }
        """
      try Data(fault.utf8).write(to: URL(fileURLWithPath: home + "/fault.c"))
      let result = try await export(
        home: home,
        before: "cd; cc -shared -fPIC -o fault.so fault.c -ldl || exit; LD_PRELOAD=$HOME/fault.so",
        redirected: ">on-a-quota")
      #expect(
        result.errors == "copypasta: Not exported: the output could not be written (Disk quota exceeded).\n")
      #expect(result.exit == .code(1))
    }
  }

  /// `begins` starts the program and waits until it is blocked, with its memory full of texts.
  @Test(
    arguments: [
      #""$0" --export >pipe & exec <pipe; read -r line"#,
      #"""
      "$0" --import <pipe & exec 3>pipe; for number in {1..5000}; do echo '{"text":"clip 1"}' >&3; done
      """#,
    ], ["QUIT", "SEGV"])
  func `a crash during an export or import leaves no core dump and prints no clip text`(
    begins: String, signal: String
  ) async throws {
    try await withHistory(Self.manyClips) { home in
      let script = #"""
        ulimit -c unlimited; mkdir "$HOME/empty"; cd "$HOME/empty"; mkfifo pipe
        \#(begins)
        grep 'core file' /proc/$!/limits; kill -s "$1" $!; wait $!; echo "status $?"; rm pipe; ls
        """#
      let result = try await Program.run(
        ["bash", "-c", script, CopyPasta.programPath, signal],
        environment: ["PATH": "/usr/bin:/bin", "HOME": home, "LC_ALL": "C.UTF-8"], within: .seconds(60))
      let words = result.text.split { $0 == " " || $0 == "\n" }
      let status = signal == "QUIT" ? "131" : "139"
      // The limit is 1 because 0 would not prevent a dump that is piped to a program.
      let expected = ["Max", "core", "file", "size", "1", "1", "bytes", "status", status[...]]
      #expect(words == expected, "\(result.text)")
      #expect(!result.errors.contains("clip"), "\(result.errors)")
    }
  }

  /// SQL that adds 50,000 clips.
  private static let manyClips = """
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 50000)
    INSERT INTO clip(captured_at, byte_count, text) SELECT n, length('clip ' || n), 'clip ' || n FROM number
    """

  /// Runs a test on a home folder with a history that the program made and `sql` then changed.
  private func withHistory(_ sql: String, _ body: (String) async throws -> Void) async throws {
    let home = try TemporaryFolder()
    let folder = home.path + "/.local/share"
    try await EmptyHistory.make(at: folder + "/copypasta")
    let changed = try await Program.run(
      ["sqlite3", CopyPasta.databasePath(dataHome: folder), sql], environment: ["PATH": "/usr/bin:/bin"])
    try #require(changed.exit == .code(0), "\(changed.errors)")
    try await body(home.path)
  }

  /// Exports from a shell without a display or a bus.
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
