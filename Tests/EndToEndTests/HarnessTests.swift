import Foundation
import TestSupport
import Testing

/// The harness itself: if one of these fails, look here before at the program.
@Suite struct HarnessTests {
  @Test func `what is copied is pasted`() async throws {
    try await VirtualDesktop.with { desktop in
      let text = "two\nlines, 🍝 and שלום"
      let owner = try await XClip.copy(text, on: desktop)
      #expect(try await XClip.paste(on: desktop) == Array(text.utf8))
      #expect(try await XSel.paste(on: desktop) == Array(text.utf8))
      #expect(try await XClip.targets(on: desktop).contains("UTF8_STRING"))

      try await XSel.copy("another", on: desktop)
      #expect(try await eventually { !owner.isRunning })
      #expect(try await XClip.paste(on: desktop) == Array("another".utf8))
    }
  }

  @Test func `what is copied on Wayland is pasted`() async throws {
    try await VirtualDesktop.with(.wayland) { desktop in
      let text = "two\nlines, 🍝 and שלום"
      try await desktop.copy(text)
      #expect(try await desktop.paste() == Array(text.utf8))

      let owner = try await ClipboardOwner.start(offering: .text("plain"), .html("<b>rich</b>"), on: desktop)
      #expect(try await WLClipboard.types(on: desktop).contains("text/html"))
      #expect(owner.requests.isEmpty)
      #expect(try await WLClipboard.paste(type: "text/html", on: desktop) == Array("<b>rich</b>".utf8))
      #expect(owner.contentRequests == ["text/html"])
      try await desktop.copy("taken")
      #expect(try await owner.program.waitForExit() == .code(0))
    }
  }

  @Test func `an owner counts its requests`() async throws {
    try await VirtualDesktop.with { desktop in
      let owner = try await ClipboardOwner.start(
        offering: .text("plain"), .html("<b>rich</b>"), .hint(), on: desktop)
      #expect(owner.requests.isEmpty)
      #expect(try await XClip.targets(on: desktop).contains("x-kde-passwordManagerHint"))
      #expect(owner.contentRequests.isEmpty)
      #expect(try await XClip.paste(target: "text/html", on: desktop) == Array("<b>rich</b>".utf8))
      #expect(try await XClip.paste(target: "image/png", on: desktop) == nil)
      #expect(owner.contentRequests == ["text/html", "image/png"])

      try await XClip.copy("taken", on: desktop)
      #expect(try await owner.program.waitForExit() == .code(0))
    }
  }

  @Test(arguments: VirtualDesktop.Kind.all)
  func `windows are active, minimised and closed`(_ kind: VirtualDesktop.Kind) async throws {
    try await VirtualDesktop.with(kind) { desktop in
      let first = try await desktop.openOtherWindow(titled: "First (1)")
      let second = try await desktop.openOtherWindow(titled: "Second")
      #expect(try await !first.isActive())
      try await first.activate()
      #expect(try await !second.isActive())
      try await first.minimise()
      try await waitUntil("the second active") { try await second.isActive() }
      try await first.activate()
      #expect(try await first.title() == (kind == .x11 ? "First (1)" : "wev"))
      // labwc tells nobody where a window is; on X11 it may reach beyond the screen.
      if ![.labwc, .x11].contains(kind) {
        #expect(try await Screenshot.take(of: first, on: desktop).width == first.frame().width)
      }
      #expect(try await Screenshot.take(on: desktop).width == desktop.screenSize.width)
      try await second.close()
      try await waitUntil("the second closed") { try await !second.isVisible() }
    }
  }

  @Test func `a screenshot has the colours of the screen`() async throws {
    try await VirtualDesktop.with { desktop in
      let window = try await desktop.openOtherWindow()
      let frame = try await window.frame()
      #expect(
        try await eventually {
          let screen = try await Screenshot.take(on: desktop)
          return screen.average(in: Rectangle(x: frame.x + 120, y: frame.y + 120, width: 20, height: 20))
            == Screenshot.Colour(red: 255, green: 255, blue: 255)
        })
      let picture = try await Screenshot.take(of: window, on: desktop)
      #expect(picture.width == frame.width && picture.height == frame.height)
    }
  }

  @Test func `a history is read byte for byte`() async throws {
    try await VirtualDesktop.with(windowManager: nil) { desktop in
      let database = HistoryDatabase(path: desktop.home.dataHome + "/history.sqlite3")
      #expect(try await database.count() == 0)
      let made = try await desktop.run([
        "sqlite3", database.path,
        """
        CREATE TABLE clip(id INTEGER PRIMARY KEY, captured_at INTEGER, byte_count INTEGER, preview TEXT, text TEXT);
        INSERT INTO clip VALUES (1, 10, 1, NULL, 'a'), (2, 20, 5, 'é|', CAST(X'C3A90A0062' AS TEXT));
        """,
      ])
      #expect(made.exit == .code(0))
      let clips = try await database.clips()
      #expect(clips.map(\.id) == [2, 1])
      #expect(clips.first?.text == [0xc3, 0xa9, 0x0a, 0x00, 0x62])
      #expect(clips.map(\.preview) == [Array("é|".utf8), nil])
    }
  }

  /// The X server of a desktop that has ended is kept, for the next one.
  @Test func `nothing is left of a test process, also of one that is killed`() async throws {
    let result = try await #require(
      processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
    ) {
      try await VirtualDesktop.with { desktop in print("home", desktop.home.path, "end") }
      try await VirtualDesktop.with { _ in
        fflush(nil)
        kill(getpid(), SIGKILL)
      }
    }
    let words = String(decoding: result.standardOutputContent, as: UTF8.self).split(separator: " ")
    let home = try #require(words.firstIndex(of: "home").map { String(words[$0 + 1]) })
    let parent = URL(filePath: home).deletingLastPathComponent().path
    #expect(parent.hasPrefix(NSTemporaryDirectory() + "copypasta-test."))
    try await waitUntil("the folder gone") { !FileManager.default.fileExists(atPath: parent) }
  }

  @Test func `a program ends and is ended`() async throws {
    let environment = ["PATH": "/usr/bin:/bin"]
    let echo = try await Program.run(["cat"], environment: environment, input: Array("in\n".utf8))
    #expect(echo.exit == .code(0) && echo.text == "in")
    #expect(try await Program.run(["no-such-program"], environment: environment).exit == .code(127))
    let sleeper = try Program(["sleep", "600"], environment: environment)
    #expect(sleeper.isRunning)
    #expect(try await sleeper.stop() == .signal(15))
    await #expect(throws: TestSupportError.self) {
      try await Program.run(["sleep", "600"], environment: environment, within: .milliseconds(50))
    }
  }

  @Test func `what a program has started ends with it if it is stopped`() async throws {
    let shell = try Program(
      ["bash", "-c", "sleep 600 | sleep 600 & jobs -p; wait"], environment: ["PATH": "/usr/bin:/bin"])
    try await waitUntil("the first of the two") { !shell.lines.isEmpty }
    let child = try #require(Int(shell.lines[0]))
    try await shell.stop()
    // Who has ended and is not collected yet has no command line any more.
    try await waitUntil("it gone") {
      FileManager.default.contents(atPath: "/proc/\(child)/cmdline")?.isEmpty ?? true
    }
  }

  @Test func `the program is started and watched`() async throws {
    try await VirtualDesktop.with { desktop in
      let app = try await CopyPasta.launch(on: desktop)
      try await XClip.copy("hello", on: desktop)
      #expect(try await eventually { try await app.history.texts() == ["hello"] })
      #expect(try await app.window.title() == "CopyPasta")
      #expect(app.errors.isEmpty)

      let other = try await desktop.openOtherWindow()
      #expect(try await !app.window.isActive())
      try await app.window.activate()
      #expect(try await !other.isActive())

      try await app.kill9()
      #expect(app.program.exit == .signal(9))
      let again = try await CopyPasta.launch(on: desktop)
      #expect(try await again.history.count() == 1)
      #expect(try await again.stop() == .code(0))
    }
  }
}
