import TestSupport
import Testing

/// The flash of a copied row.
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
  /// An area of the newest row that contains no text, and the area of the check mark.
  private static let background = Rectangle(x: 250, y: 66, width: 120, height: 30)
  private static let checkMark = Rectangle(x: 420, y: 66, width: 40, height: 30)

  /// Runs `copy`, and expects the row to take the accent colour and then its own colour again.
  ///
  /// A row is slightly darker under the pointer and in an inactive window; neither counts as a flash.
  fileprivate func expectFlash(of copy: () async throws -> Void) async throws {
    var isSeen = false
    // On a slow machine the flash may end before the screenshot is taken, so copy again to repeat the flash.
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
      // The row's grey digit has replaced the green check mark.
      let place = picture.average(in: Self.checkMark)
      return abs(Self.tint(in: picture)) < 3 && abs(place.green - place.red) < 3
    }
    #expect(isBack, "the row does not get its colour back")
  }

  /// The excess of blue over red in the row; GTK's default accent is blue, and the row is grey otherwise.
  private static func tint(in picture: Screenshot) -> Int {
    let colour = picture.average(in: background)
    return colour.blue - colour.red
  }
}
