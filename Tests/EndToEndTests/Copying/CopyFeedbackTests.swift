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

  @Test func `a copied row never shows its check mark and its digit together`() async throws {
    try await Scene.run(with: ["flashes"]) { scene in
      try await scene.parkMouse()
      let before = try await scene.settledScreenshot()
      let digit = try #require(before.darkestPoint(in: Scene.checkMark))
      let (ground, ink) = (
        before.mostCommonColour(in: Scene.checkMark), before.colour(x: digit.x, y: digit.y)
      )
      var checkCount = 0
      try await scene.desktop.press("Return")
      try await waitUntil("the check mark gone, and the digit back", every: .milliseconds(1)) {
        let picture = try await scene.screenshot()
        let hasCheck = picture.colours(in: Scene.checkMark).contains {
          $0.green > $0.red + 25 && $0.green > $0.blue
        }
        let colour = picture.colour(x: digit.x, y: digit.y)
        let hasDigit = abs(colour.green - colour.red) < 12 && colour.green < (ground.green + ink.green) / 2
        if hasCheck { checkCount += 1 }
        #expect(!hasCheck || !hasDigit)
        return checkCount > 0 && picture.matches(before, in: Scene.checkMark)
      }
    }
  }
}

extension Scene {
  /// An area of the newest row that contains no text, and the area of the check mark.
  private static let background = Rectangle(x: 200, y: 62, width: 120, height: 24)
  fileprivate static let checkMark = Rectangle(x: 424, y: 60, width: 40, height: 28)

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
