import Glibc
import TestSupport
import Testing

/// Texts dragged into the window from a program with a different toolkit.
@Suite(.keepsPictures, .tags(.recordsEveryCopy)) struct DragTests {
  static let text = "dropped, with é, 🍝\nand a second line"

  /// GDK would cut the text at the NUL and escape invalid UTF-8.
  @Test func `a text dropped during a pause is recorded once, and UTF8_STRING is validated`()
    async throws
  {
    try await Scene.run(accessibility: true) { scene in
      let other = try await scene.openDragging("source", Self.text)
      try await scene.pause()
      let unseen = try await ClipboardOwner.start(offering: .text("unseen"), on: scene.desktop)
      for times in 1...2 {
        try await scene.drag(from: (150, 100, other.window), to: (200, 300, scene.app.window))
        try await other.program.waitUntil("the end of the drag") { $0.count == times }
        try await scene.expectNewest(Self.text)
        try await scene.waitForFirstRow()
      }
      try await scene.close(other)
      let reader = try await ScreenReader.listening(on: scene.desktop)
      for digits in ["41004200", "636166e9", "C3A900"] {
        let other = try await scene.openDragging("utf8", digits)
        try await scene.drag(from: (150, 100, other.window), to: (200, 300, scene.app.window))
        try await other.program.waitUntil("the end of the drag") { !$0.isEmpty }
        try await scene.close(other)
      }
      try await reader.waitToHear("This copy is not plain text.")
      try await scene.expectNewest("é")
      #expect(unseen.requests == [])
      #expect(try await scene.history.texts() == ["é", Self.text])
    }
  }
}

/// The program at the other end of a drag.
struct Dragging {
  let program: Program
  let window: DesktopWindow
}

extension Scene {
  func openDragging(_ arguments: String...) async throws -> Dragging {
    let program = try desktop.start(Fixture.python("dragging.py", arguments))
    let window = try await waitFor("the other window") { try await desktop.window(titled: "Dragging") }
    try await app.window.activate()
    return Dragging(program: program, window: window)
  }

  func close(_ other: Dragging) async throws {
    try await other.program.stop()
    try await waitUntil("its window gone") { try await desktop.window(titled: "Dragging") == nil }
  }

  /// Drags in small steps, slowly enough for both programs to follow.
  func drag(
    from start: (x: Int, y: Int, window: DesktopWindow), to end: (x: Int, y: Int, window: DesktopWindow)
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
    try await desktop.run(press + steps + ["sleep", "0.3", "mouseup", "1"]).succeeded()
  }
}
