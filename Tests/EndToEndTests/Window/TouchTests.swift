import TestSupport
import Testing

/// Touch gestures in a left-to-right language, and mirrored in a right-to-left language.
@Suite(
  .keepsPictures, .serialized, .enabled(if: Requirement.gnomeShell.isMet, "\(Requirement.gnomeShell)"),
  .tags(.actsOnThePressedRow, .isAccessible))
struct TouchTests {
  static let older = Array(repeating: "older", count: 8).joined(separator: " ")
  static let newer = Array(repeating: "newer", count: 8).joined(separator: " ")

  /// The language of the window, as a locale.
  enum Language: String, CaseIterable {
    case english = "en_US"
    case arabic = "ar_EG"

    /// Converts a distance towards the trailing edge into pixels to the right.
    func forward(_ distance: Int) -> Int { self == .english ? distance : -distance }
  }

  @Test(arguments: Language.allCases)
  func `a finger swipe from the trailing edge deletes the row`(_ language: Language) async throws {
    try await Scene.run(in: language) { scene in
      try await scene.swipeRow(0, right: language.forward(-210))
      try await waitUntil("the row deleted") { try await scene.history.texts() == [Self.older] }
      // The swipe did not count as a tap.
      #expect(try await scene.desktop.paste() == nil)
    }
  }

  /// The tap copies the other row, which shows that the short swipes had no effect.
  @Test(.tags(.copiesByEveryInput), arguments: Language.allCases)
  func `a tap and a finger swipe from the leading edge copy a row, and a short swipe does nothing`(
    _ language: Language
  ) async throws {
    try await Scene.run(in: language) { scene in
      for distance in [60, -60] { try await scene.swipeRow(0, right: distance) }
      try await scene.tapRow(1)
      try await scene.expectClipboard(Self.older)
      try await scene.tapRow(0)
      try await scene.expectClipboard(Self.newer)
      try await scene.swipeRow(1, right: language.forward(210))
      try await scene.expectClipboard(Self.older)
      #expect(try await scene.history.texts() == [Self.newer, Self.older])
    }
  }

  @Test(.tags(.opensMenuByEveryInput), arguments: Language.allCases)
  func `a long press opens the row's menu`(_ language: Language) async throws {
    try await Scene.run(in: language) { scene in
      let frame = try await scene.app.window.frame()
      let place = try await scene.middle(of: 0)
      // The place of the menu's entries, below the finger.
      let around = Rectangle(
        x: place.x - frame.x - 80, y: place.y - frame.y + 35, width: 160, height: 25)
      let before = try await scene.settledScreenshot()
      try await scene.desktop.holdFinger(x: place.x, y: place.y) {
        try await waitUntil("the menu") { try await !scene.screenshot().matches(before, in: around) }
      }
      _ = try await scene.settledScreenshot()
      // Use keys, because GNOME 48 and 51 close every GTK menu at a touch of this virtual touch screen, and no mnemonic,
      // because an installed program speaks Arabic.
      try await scene.desktop.press("Up", "Return")
      try await waitUntil("the row deleted") { try await scene.history.texts() == [Self.older] }
      // Neither the long press nor its release counted as a tap.
      #expect(try await scene.desktop.paste() == nil)
    }
  }
}

extension Scene {
  /// Runs a test with rows whose texts extend beyond the middle of the window.
  fileprivate nonisolated(nonsending) static func run(
    in language: TouchTests.Language, _ body: (Scene) async throws -> Void
  ) async throws {
    try await TestLocale.with(language.rawValue) { locale in
      let clips = [TouchTests.older, TouchTests.newer]
      try await run(on: .gnome, with: clips, environment: locale.environment(), body)
    }
  }

  /// The middle of a row in screen coordinates; 0 is the newest row.
  fileprivate func middle(of row: Int) async throws -> (x: Int, y: Int) {
    let frame = try await app.window.frame()
    return (frame.x + frame.width / 2, frame.y + Self.firstRowPoint.y + 34 * row)
  }

  fileprivate func tapRow(_ row: Int) async throws {
    let place = try await middle(of: row)
    try await desktop.tap(x: place.x, y: place.y)
  }

  fileprivate func swipeRow(_ row: Int, right: Int) async throws {
    let place = try await middle(of: row)
    try await desktop.swipeFinger(fromX: place.x, y: place.y, right: right)
  }
}
