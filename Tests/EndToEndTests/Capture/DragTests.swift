import Glibc
import TestSupport
import Testing

/// Drags between CopyPasta and a program with a different toolkit: texts into the window, and rows out of it.
@Suite struct DragTests {
  static let text = "dropped, with é, 🍝\nand a second line"

  /// GDK would cut the text at the NUL and escape invalid UTF-8.
  @Test func `a dropped text that is offered only as UTF8_STRING is validated byte for byte`()
    async throws
  {
    try await Scene.run(with: ["old"]) { scene in
      let edge = try await scene.watchEdge()
      for digits in ["41004200", "636166e9", "C3A900"] {
        let other = try await scene.openDragging("utf8", digits)
        try await scene.drag(from: (150, 100, other.window), to: (200, 300, scene.app.window))
        try await other.program.waitUntil("the end of the drag") { !$0.isEmpty }
        try await other.program.stop()
        try await waitUntil("its window gone") { try await scene.desktop.window(titled: "Dragging") == nil }
      }
      try await scene.expectNotice(at: edge)
      try await scene.expectNewest("é")
      #expect(try await scene.history.texts() == ["é", "old"])
    }
  }

  @Test func `a text dropped on the empty page during a pause is shown, and dropped again adds no row`()
    async throws
  {
    try await Scene.run { scene in
      let other = try await scene.openDragging("source", Self.text)
      try await scene.pause()
      let unseen = try await ClipboardOwner.start(offering: .text("unseen"), on: scene.desktop)
      for times in 1...2 {
        try await scene.drag(from: (150, 100, other.window), to: (200, 300, scene.app.window))
        try await other.program.waitUntil("the end of the drag") { $0.count == times }
        try await scene.expectNewest(Self.text)
        try await scene.waitForFirstRow()
      }
      #expect(unseen.requests == [])
      #expect(try await scene.history.texts() == [Self.text])
    }
  }

  @Test func `the window refuses drops while the history is unavailable`() async throws {
    try await VirtualDesktop.with { desktop in
      try await Scene.fillHistory(with: ["old"], on: desktop)
      let path = CopyPasta.databasePath(dataHome: desktop.home.dataHome)
      try #require(try await desktop.run(["sqlite3", path, "PRAGMA user_version = 99"]).exit == .code(0))
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      let other = try await scene.openDragging("source", Self.text)
      let before = try await scene.settledScreenshot()
      let middle = (x: 200, y: 300, window: scene.app.window)
      try await scene.drag(from: (150, 100, other.window), to: middle) {
        let edge = Rectangle(x: 5, y: 200, width: 4, height: 200)
        let picture = try await scene.screenshot()
        #expect(picture.matches(before, in: edge), "the window is highlighted as a drop target")
      }
      try await other.program.waitUntil("the end of the drag") { $0.last == "done" }
      #expect(other.lines.first == "refused")
      #expect(try await scene.app.stop() == .code(0))
    }
  }

  @Test func `dragging a row out delivers its whole text and leaves the clipboard unchanged`() async throws {
    let long = (1...20_000).map { "line \($0)" }.joined(separator: "\n")
    try await Scene.run(with: [long, "new"]) { scene in
      try await scene.capture("other")
      let other = try await scene.openDragging("target")
      let point = Scene.firstRowPoint
      // The long text is now the third row.
      try await scene.drag(from: (point.x, point.y + 2 * 34, scene.app.window), to: (150, 100, other.window))
      let digits = long.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      #expect(try await eventually { other.lines == [digits] })
      // The drag did not count as a click.
      try await scene.expectClipboard("other")
      #expect(try await scene.history.count() == 3)
    }
  }

  @Test func `a row dropped on its own window changes nothing`() async throws {
    try await Scene.run(with: ["old", "new"]) { scene in
      let point = Scene.firstRowPoint
      try await scene.drag(from: (point.x, point.y + 34, scene.app.window), to: (200, 400, scene.app.window))
      try await scene.clickFirstRow()
      try await scene.expectClipboard("new")
      #expect(try await scene.history.texts() == ["new", "old"])
    }
  }
}

/// The program at the other end of a drag.
private struct Dragging {
  let program: Program
  let window: DesktopWindow

  var lines: [String] { program.lines }
}

extension Scene {
  fileprivate func openDragging(_ arguments: String...) async throws -> Dragging {
    let script = Fixture.path("dragging.py")
    let program = try desktop.start(["/usr/bin/python3", script] + arguments)
    let window = try await waitFor("the other window") { try await desktop.window(titled: "Dragging") }
    try await app.window.activate()
    return Dragging(program: program, window: window)
  }

  /// Drags in small steps, slowly enough for both programs to follow.
  ///
  /// - Parameter beforeDrop: called at the destination, before the button is released.
  func drag(
    from start: (x: Int, y: Int, window: DesktopWindow), to end: (x: Int, y: Int, window: DesktopWindow),
    beforeDrop: () async throws -> Void = {}
  ) async throws {
    let first = try await start.window.frame()
    let last = try await end.window.frame()
    let from = (x: first.x + start.x, y: first.y + start.y)
    let to = (x: last.x + end.x, y: last.y + end.y)
    let steps = (1...20).flatMap { step in
      [
        "mousemove", "\(from.x + (to.x - from.x) * step / 20)", "\(from.y + (to.y - from.y) * step / 20)",
        "sleep", "0.02",
      ]
    }
    let press = ["xdotool", "mousemove", "\(from.x)", "\(from.y)", "mousedown", "1"]
    try await desktop.run(press + steps + ["sleep", "0.3"]).succeeded()
    try await beforeDrop()
    try await desktop.xdotool("mouseup", "1")
  }
}
