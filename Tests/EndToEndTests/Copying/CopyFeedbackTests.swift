import TestSupport
import Testing

/// The flash of a copied row.
@Suite struct CopyFeedbackTests {
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
  /// The area of the newest row's check mark and digit.
  fileprivate static let checkMark = Rectangle(x: 424, y: 60, width: 40, height: 28)
}
