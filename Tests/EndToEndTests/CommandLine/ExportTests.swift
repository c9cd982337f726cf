import Foundation
import TestSupport
import Testing

/// `copypasta --export` without a display.
@Suite(.keepsPictures, .tags(.keepsPrivate)) struct ExportTests {
  @Test func `a reader that closes the pipe ends the export silently, and a full disk with a one-line error`()
    async throws
  {
    try await Self.withManyClips { desktop in
      // The result is the same if the shell makes the program ignore SIGPIPE.
      for before in ["", "trap '' PIPE; "] {
        let result = try await shell(before + "copypasta --export | head -n 1", on: desktop)
        #expect(result.text.hasSuffix(#""text":"clip 0"}"#) && result.errors == "")
      }
      let result = try await shell("copypasta --export >/dev/full", on: desktop)
      #expect(
        result.errors
          == "copypasta: Not exported: the output could not be written (No space left on device).\n")
      #expect(result.exit == .code(1))
    }
  }

  /// NFS and some quotas report errors only when a file is closed.
  @Test func `an export prints a one-line error if closing its output fails`() async throws {
    try await VirtualDesktop.with { desktop in
      try await Scene.fillHistory(with: ["clip 0"], on: desktop)
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
      try Data(fault.utf8).write(to: URL(fileURLWithPath: desktop.home.path + "/fault.c"))
      let result = try await shell(
        """
        cd; cc -shared -fPIC -o fault.so fault.c -ldl || exit
        LD_PRELOAD=$HOME/fault.so copypasta --export >on-a-quota
        """, on: desktop)
      #expect(
        result.errors == "copypasta: Not exported: the output could not be written (Disk quota exceeded).\n")
      #expect(result.exit == .code(1))
    }
  }

  /// `begins` starts the program and waits until it is blocked, with its memory full of texts.
  @Test(
    arguments: zip(
      [
        #""$program" --export >pipe & exec <pipe; read -r line"#,
        #"""
        "$program" --import <pipe & exec 3>pipe; for number in {1..5000}; do echo '{"text":"clip 1"}' >&3; done
        """#,
      ], ["QUIT", "SEGV"]))
  func `a crash during an export or import leaves no core dump and prints no clip text`(
    begins: String, signal: String
  ) async throws {
    try await Self.withManyClips { desktop in
      let result = try await shell(
        """
        program='\(CopyPasta.programPath)'; ulimit -c unlimited; mkdir "$HOME/empty"; cd "$HOME/empty"; mkfifo pipe
        \(begins)
        grep 'core file' /proc/$!/limits; kill -s \(signal) $!; wait $!; echo "status $?"; rm pipe; ls
        """, on: desktop)
      let words = result.text.split { $0 == " " || $0 == "\n" }
      let status = signal == "QUIT" ? "131" : "139"
      // The limit is 1 because 0 would not prevent a dump that is piped to a program.
      let expected = ["Max", "core", "file", "size", "1", "1", "bytes", "status", status[...]]
      #expect(words == expected, "\(result.text)")
      #expect(!result.errors.contains("clip"), "\(result.errors)")
    }
  }

  /// Runs a test on a desktop with a history of 50,001 clips.
  private static func withManyClips(_ body: (VirtualDesktop) async throws -> Void) async throws {
    try await VirtualDesktop.with { desktop in
      try await Scene.fillHistory(with: ["clip 0"], on: desktop)
      try desktop.history.change(
        """
        WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 50000)
        INSERT INTO clip(captured_at, byte_count, text) SELECT n, length('clip ' || n), 'clip ' || n FROM number
        """)
      try await body(desktop)
    }
  }
}
