import Foundation
import TestSupport
import Testing

/// The contrast of text to its background, at least 4.5 to 1 as the Web Content Accessibility Guidelines require.
///
/// The test measures screenshots with large letters, whose strokes have their full colour.
@Suite struct ContrastTests {
  private static let least = 4.5
  private static let leastOfSigns = 3.0
  /// The first row without the place of the check mark.
  private static let row = Rectangle(x: 20, y: 56, width: 380, height: 84)
  private static let checkMark = Rectangle(x: 420, y: 60, width: 40, height: 70)
  private static let readingMark = Rectangle(x: 8, y: 8, width: 130, height: 34)

  @Test(arguments: ["Adwaita", "Adwaita:dark", "Default-hc", "Default-hc-dark"])
  func `text has a contrast of at least 4.5 to 1, even on a copied row`(theme: String) async throws {
    try await run(theme) { scene in
      let picture = try await scene.settledScreenshot()
      let lines = Self.texts(in: picture)
      try #require(lines.count == 2, "the text and its age")
      for line in lines { #expect(picture.contrast(in: line) >= Self.least) }
      #expect(picture.contrast(in: Self.readingMark) >= Self.least)

      let before = picture.mostCommonColour(in: Self.row)
      // On a slow machine the flash may end before the screenshot is taken, so copy again to repeat the flash.
      let flash = try await waitFor("the flash, with a check mark that stands out", every: .milliseconds(1)) {
        () -> Screenshot? in
        try await scene.clickFirstRow()
        try await scene.parkMouse()
        let (earlier, picture) = (try await scene.screenshot(), try await scene.screenshot())
        // Compare two pictures, because the flash fades in and out.
        let isStill = [Self.row, Self.checkMark].allSatisfy { picture.matches(earlier, in: $0) }
        let ground = picture.mostCommonColour(in: Self.row)
        // Under the pointer the row is darker as well, but not blue.
        let isFlash = ground != before && ground.blue - ground.red > 10
        return isStill && isFlash && picture.contrast(in: Self.checkMark) >= Self.leastOfSigns ? picture : nil
      }
      for line in Self.texts(in: flash) { #expect(flash.contrast(in: line) >= Self.least) }
    }
  }

  /// The lines of text in the row, without its frame.
  private static func texts(in picture: Screenshot) -> [Rectangle] {
    picture.lines(in: row).filter { $0.height > 8 }
  }

  private func run(_ theme: String, _ body: (Scene) async throws -> Void) async throws {
    try await VirtualDesktop.with { desktop in
      try desktop.home.setGTK("gtk-font-name=Sans 20")
      let app = try await CopyPasta.launch(on: desktop, environment: ["GTK_THEME": theme])
      let scene = Scene(desktop: desktop, app: app)
      try await scene.parkMouse()
      try await scene.capture("■■■■■■■■")
      try await scene.waitForFirstRow()
      try await body(scene)
      try await scene.end()
    }
  }
}
