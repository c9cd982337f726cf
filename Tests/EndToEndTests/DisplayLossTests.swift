import Foundation
import TestSupport
import Testing

/// The X server or the compositor ends first.
@Suite(.serialized) struct DisplayLossTests {
  @Test(arguments: VirtualDesktop.Kind.allCases, [SIGKILL, SIGTERM])
  func theProgramEndsWithAllThatItShowed(_ kind: VirtualDesktop.Kind, _ signal: Int32) async throws {
    try await VirtualDesktop.with(kind) { desktop in
      let app = try await CopyPasta.launch(on: desktop)
      try await Scene(desktop: desktop, app: app).capture("kept")
      desktop.signalDisplay(signal)
      #expect(try await app.program.waitForExit() == .code(1))
      #expect(app.errors == "copypasta: The display has gone.\n")
      #expect(try await app.history.texts() == ["kept"])
    }
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func askedToEndItEndsInOrder(_ signal: Int32) async throws {
    try await VirtualDesktop.with { desktop in
      // Hidden, and visible.
      for arguments in [["--background"], []] {
        let program = try desktop.start([CopyPasta.programPath] + arguments)
        try await desktop.waitForName()
        program.signal(signal)
        #expect(try await program.waitForExit() == .code(0))
        #expect(program.errors == "")
      }
    }
  }

  /// A dump of the memory would hold clips.
  @Test func aCrashLeavesNoDump() async throws {
    try await VirtualDesktop.with { desktop in
      let folder = try TemporaryFolder()
      let crash = "ulimit -c unlimited; cd \(folder.path); exec "
      let program = try desktop.start(["sh", "-c", crash + CopyPasta.programPath])
      try await desktop.waitForName()
      let limits = try String(contentsOfFile: "/proc/\(program.processID)/limits", encoding: .utf8)
      let limit = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
      #expect(limit?.split(separator: " ")[4] == "1", "also where dumps are piped to a program: \(limits)")
      program.signal(SIGSEGV)
      #expect(try await program.waitForExit() == .signal(SIGSEGV))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
  }
}
