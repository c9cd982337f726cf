import TestSupport
import Testing

/// The row that was copied shows it for a moment.
@Suite struct CopyFeedbackTests {
  @Test func `a clicked row flashes and regains its colour`() async throws {
    try await Scene.run(with: ["flashes"]) { scene in
      try await scene.expectFlash { try await scene.clickFirstRow() }
      try await scene.expectClipboard("flashes")
    }
  }

  @Test func `a row copied with the keyboard flashes and regains its colour`() async throws {
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
  private static let background = Rectangle(x: 250, y: 66, width: 120, height: 30)
  private static let checkMark = Rectangle(x: 420, y: 66, width: 40, height: 30)

  /// Does what copies the row, and expects its colour to turn to the accent's and back.
  ///
  /// A row is a shade darker under the pointer, and in a window that is not active: neither is a tint.
  fileprivate func expectFlash(of copy: () async throws -> Void) async throws {
    var isSeen = false
    // On a slow machine the flash may be over before the picture is taken; each copy gives a new one.
    try await waitUntil("the flash, with its check mark", every: .milliseconds(1)) {
      try await copy()
      for _ in 1...5 where !isSeen {
        let picture = try await screenshot()
        isSeen = Self.tint(in: picture) > 10 && !picture.isPlain(in: Self.checkMark)
      }
      return isSeen
    }
    let isBack = try await eventually {
      let picture = try await screenshot()
      // The digit of the row, which is grey, is back in the place of the green check mark.
      let place = picture.average(in: Self.checkMark)
      return abs(Self.tint(in: picture)) < 3 && abs(place.green - place.red) < 3
    }
    #expect(isBack, "the row does not get its colour back")
  }

  /// How much more blue than red the row is: the accent of GTK's own theme is blue, and the row is grey without it.
  private static func tint(in picture: Screenshot) -> Int {
    let colour = picture.average(in: background)
    return colour.blue - colour.red
  }
}
