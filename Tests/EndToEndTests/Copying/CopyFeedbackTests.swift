import TestSupport
import Testing

/// The row that was copied shows it for a moment.
@Suite struct CopyFeedbackTests {
  @Test func `a clicked row flashes and goes back`() async throws {
    try await Scene.run(with: ["flashes"]) { scene in
      try await scene.parkMouse()
      let rest = try await scene.settledScreenshot().average(in: Scene.background)
      let point = Scene.firstRowPoint
      try await scene.app.window.moveMouse(x: point.x, y: point.y)
      // On a slow machine that shows some time later, and the row goes back to it.
      try await waitUntil("the row under the pointer") {
        try await scene.screenshot().average(in: Scene.background) != rest
      }
      try await scene.expectFlash { try await scene.desktop.xdotool("click", "1") }
      try await scene.expectClipboard("flashes")
    }
  }

  @Test func `a row copied by the keyboard flashes and goes back`() async throws {
    try await Scene.run(with: ["flashes"]) { scene in
      try await scene.parkMouse()
      try await scene.desktop.press("Home")
      try await scene.expectFlash { try await scene.desktop.press("Return") }
      try await scene.expectClipboard("flashes")
    }
  }
}

extension Scene {
  /// A part of the newest row without any text, and the place of its check mark.
  fileprivate static let background = Rectangle(x: 250, y: 66, width: 120, height: 30)
  private static let checkMark = Rectangle(x: 420, y: 66, width: 40, height: 30)

  /// Does what copies the row, and expects its colour to turn to the accent's and back.
  fileprivate func expectFlash(of copy: () async throws -> Void) async throws {
    let before = try await settledScreenshot().average(in: Self.background)
    var isSeen = false
    // On a slow machine the flash may be over before the picture is taken; each copy gives a new one.
    try await waitUntil("the flash, with its check mark", every: .milliseconds(1)) {
      try await copy()
      for _ in 1...5 where !isSeen {
        let picture = try await screenshot()
        let tint = Self.tint(of: picture.average(in: Self.background), from: before)
        isSeen = tint > 10 && !picture.isPlain(in: Self.checkMark)
      }
      return isSeen
    }
    let isBack = try await eventually {
      let picture = try await screenshot()
      return picture.average(in: Self.background) == before && picture.isPlain(in: Self.checkMark)
    }
    #expect(isBack, "the row does not get its colour back")
  }

  /// How much more blue than red a colour has, compared with another: the accent of GTK's own theme is blue.
  private static func tint(of colour: Screenshot.Colour, from other: Screenshot.Colour) -> Int {
    (colour.blue - colour.red) - (other.blue - other.red)
  }
}
