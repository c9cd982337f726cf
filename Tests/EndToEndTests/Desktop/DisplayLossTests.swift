import Foundation
import TestSupport
import Testing

/// The X server or the compositor exits before the program.
@Suite struct DisplayLossTests {
  @Test(arguments: VirtualDesktop.Kind.all)
  func `a lost display ends the program with an error and keeps the recorded text`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await VirtualDesktop.with(kind) { desktop in
      let app = try await CopyPasta.launch(on: desktop)
      try await Scene(desktop: desktop, app: app).capture("kept")
      desktop.signalDisplay(SIGKILL)
      #expect(try await app.program.waitForExit() == .code(1))
      #expect(try await app.history.texts() == ["kept"])
    }
  }

  @Test func `losing the display during shutdown leaves the history intact`() async throws {
    try await VirtualDesktop.with { desktop in
      let program = try desktop.start([CopyPasta.programPath, "--background"])
      try await desktop.waitForName()
      #expect(try await desktop.copypasta("--toggle").exit == .code(0))
      try await waitUntil("the window active") {
        try await CopyPasta.readyWindow(on: desktop) != nil
      }
      try await desktop.copy("kept")
      let history = HistoryDatabase(path: CopyPasta.databasePath(dataHome: desktop.home.dataHome))
      try await waitUntil("the text kept") { try await history.texts() == ["kept"] }
      try await desktop.press("Escape")
      try await waitUntil("the window gone") { try await desktop.copyPastaWindowCount() == 0 }
      // The program cannot close its windows while the X server does not answer.
      desktop.signalDisplay(SIGSTOP)
      program.signal(SIGTERM)
      // Wait only briefly: the program may be blocked earlier, by a pending request for the hidden window.
      _ = try await eventually(within: .seconds(2)) { try await !desktop.hasName() }
      desktop.signalDisplay(SIGKILL)
      let exit = try await program.waitForExit()
      #expect(exit == .code(0) || exit == .code(1))
      #expect(try await history.texts() == ["kept"])
    }
  }

  @Test func `SIGTERM, SIGINT and SIGHUP, except under nohup, end the program cleanly`()
    async throws
  {
    try await VirtualDesktop.with { desktop in
      for (signal, arguments) in [(SIGTERM, ["--background"]), (SIGINT, []), (SIGHUP, ["--background"])] {
        let program = try desktop.start([CopyPasta.programPath] + arguments)
        try await desktop.waitForName()
        program.signal(signal)
        #expect(try await program.waitForExit() == .code(0))
        #expect(program.errors == "")
      }
      let app = try await CopyPasta.launch(on: desktop, through: ["/usr/bin/nohup"])
      app.program.signal(SIGHUP)
      try await Scene(desktop: desktop, app: app).capture("kept")
      #expect(try await app.stop() == .code(0))
      let left = try FileManager.default.contentsOfDirectory(atPath: desktop.home.dataHome + "/copypasta")
      #expect(!left.contains { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") }, "\(left)")
      #expect(try await app.history.texts() == ["kept"])
    }
  }
}
