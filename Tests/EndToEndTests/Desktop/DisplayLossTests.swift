import Foundation
import TestSupport
import Testing

/// The X server or the compositor exits before the program, or a signal ends the program.
@Suite(.keepsPictures, .tags(.isDurable)) struct DisplayLossTests {
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

  @Test func `SIGTERM, SIGINT and SIGHUP end the program with status 0`() async throws {
    try await VirtualDesktop.with { desktop in
      for (signal, arguments) in [(SIGTERM, ["--background"]), (SIGINT, []), (SIGHUP, ["--background"])] {
        let program = try desktop.start([CopyPasta.programPath] + arguments)
        try await desktop.waitForName()
        program.signal(signal)
        #expect(try await program.waitForExit() == .code(0))
        #expect(program.errors == "")
      }
    }
  }

  @Test func `under nohup the program survives SIGHUP, and its end leaves only the database`() async throws {
    try await VirtualDesktop.with { desktop in
      let app = try await CopyPasta.launch(on: desktop, through: ["/usr/bin/nohup"])
      app.program.signal(SIGHUP)
      try await Scene(desktop: desktop, app: app).capture("kept")
      #expect(try await app.stop() == .code(0))
      let left = try FileManager.default.contentsOfDirectory(atPath: desktop.home.dataHome + "/copypasta")
      #expect(!left.contains { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") }, "\(left)")
      #expect(try await app.history.texts() == ["kept"])
    }
  }

  @Test func `a text that was shown survives SIGKILL`() async throws {
    try await VirtualDesktop.with { desktop in
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      try await scene.capture("shown")
      try await scene.app.program.killNow()
      #expect(try await scene.history.texts() == ["shown"])
    }
  }
}
