import TestSupport
import Testing

/// The contrast to the background: at least 4.5 to 1, as the Web Content Accessibility Guidelines require for words.
///
/// The tests measure screenshots with large letters, whose strokes have their full colour.
@Suite(.keepsPictures, .tags(.isAccessible)) struct ContrastTests {
  fileprivate static let least = 4.5
  /// The two rows, without their rounded ends.
  fileprivate static let rows = Rectangle(x: 20, y: 60, width: 440, height: 150)
  /// The first row's digit, or the check mark in its place.
  fileprivate static let checkMark = Rectangle(x: 424, y: 66, width: 40, height: 46)
  fileprivate static let indicator = Rectangle(x: 8, y: 8, width: 160, height: 40)

  @Test(arguments: ["Adwaita", "Adwaita:dark", "Default-hc", "Default-hc-dark"])
  func `words, digits and symbols have enough contrast, also on a copied row and in an inactive window`(
    theme: String
  ) async throws {
    try await VirtualDesktop.with { desktop in
      try desktop.home.setGTK(["gtk-font-name": "Sans 20"])
      try await Scene.fillHistory(with: [" \n \n \n ", "■■■■■"], on: desktop)
      let app = try await CopyPasta.launch(on: desktop, environment: ["GTK_THEME": theme])
      let scene = Scene(desktop: desktop, app: app)
      try await scene.parkMouse()
      try await scene.waitForFirstRow()
      let picture = try await scene.settledScreenshot()
      let row = try #require(scene.expectContrast(in: picture))

      let words = Rectangle(x: row.x, y: row.y, width: 390, height: row.height)
      let before = picture.mostCommonColour(in: words)
      // On a slow machine the flash may end before the screenshot is taken, so copy again to repeat the flash.
      let flash = try await waitFor("the flash, with a check mark that stands out", every: .milliseconds(1)) {
        () -> Screenshot? in
        try await scene.desktop.press("Return")
        // Compare consecutive pictures, because the flash fades in and out.
        var earlier = try await scene.screenshot()
        for _ in 1...8 {
          let picture = try await scene.screenshot()
          let isStill = [words, Self.checkMark].allSatisfy { picture.matches(earlier, in: $0) }
          let ground = picture.mostCommonColour(in: words)
          let isFlash = ground != before && ground.blue - ground.red > 10
          if isStill, isFlash, picture.contrast(in: Self.checkMark) >= Self.least {
            return picture
          }
          earlier = picture
        }
        return nil
      }
      for text in flash.texts(in: words, gap: 14) { #expect(flash.contrast(in: text) >= Self.least) }

      try await waitUntil("the end of the flash, and the digit back") {
        try await scene.screenshot().hasSameText(as: picture, in: Self.checkMark)
      }

      try await scene.openOtherWindow()
      let background = try await scene.settledScreenshot()
      _ = scene.expectContrast(in: background)
      try await scene.end()
    }
  }
}

extension Scene {
  /// Expects contrast in the indicator, in the first row and in the symbols of the second.
  ///
  /// - Returns: The line of the first row's texts.
  fileprivate func expectContrast(
    in picture: Screenshot, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Rectangle? {
    // In the background, the indicator has two lines, and its end is above the rows.
    let lines = picture.lines(in: ContrastTests.rows).filter { $0.height > 8 }.suffix(2)
    #expect(lines.count == 2, "the rows: \(lines)", sourceLocation: sourceLocation)
    guard let first = lines.first, let last = lines.last else { return nil }
    let texts = picture.texts(in: first, gap: 14)
    #expect(texts.count == 2, "the text, its age and digit: \(texts)", sourceLocation: sourceLocation)
    for text in texts + [ContrastTests.checkMark, ContrastTests.indicator] {
      #expect(picture.contrast(in: text) >= ContrastTests.least, "\(text)", sourceLocation: sourceLocation)
    }
    let signs = Rectangle(x: last.x, y: last.y, width: 150, height: last.height)
    #expect(picture.contrast(in: signs) >= ContrastTests.least, sourceLocation: sourceLocation)
    return first
  }
}
