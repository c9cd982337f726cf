import Foundation
import TestSupport
import Testing

/// What a screen reader receives, and how the focus moves.
@Suite(.keepsPictures, .tags(.isAccessible)) struct ScreenReaderTests {
  /// Orca reads the child elements of a row after its name, and says “not selected” for selectable elements.
  @Test func `rows are list items without child elements, named after preview, age and position`()
    async throws
  {
    try await Scene.run(with: ["old", "new"], accessibility: true) { scene in
      let reader = ScreenReader(desktop: scene.desktop)
      for row in try await reader.tree().all(role: "list item") {
        #expect(row.children.isEmpty)
        #expect(!row.isSelectable)
      }
      try await scene.desktop.press("End")
      // The list now reuses row widgets, and the focus stays on its row, which would be read again with a new name.
      try await scene.capture("newest")
      try await waitUntil("the positions") {
        try await scene.places(by: reader) == ["1 of 3", "2 of 3", "2 of 2"]
      }
      try await scene.expectFocus(on: "old", "2 of 2", by: reader)
      try await scene.desktop.press("Home")
      try await waitUntil("the position of the row that had the focus") {
        try await scene.places(by: reader) == ["1 of 3", "2 of 3", "3 of 3"]
      }
      try await scene.desktop.press("Delete")
      try await waitUntil("the positions") { try await scene.places(by: reader) == ["1 of 2", "2 of 2"] }
      try await scene.desktop.press("ctrl+z")
      try await scene.expectFocus(on: "newest", "1 of 3", by: reader)
      let rows = try await reader.tree().all(role: "list item")
      #expect(rows.count == 3)
      #expect(rows.allSatisfy { $0.children.isEmpty && !$0.isSelectable })
    }
  }

  /// Orca reads a focused row again if its name changes.
  @Test func `the focused row's accessible name does not change with its age or at a capture`() async throws {
    try await VirtualDesktop.with(accessibility: true, mostlyWaits: true) { desktop in
      // The displayed age changes a few seconds after the start.
      let time = Int(Date().timeIntervalSince1970 - 50) * 1_000_000
      try await Scene.fillHistory(with: ["old", "new"], on: desktop, from: time)
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      try await scene.waitForFirstRow()
      let reader = ScreenReader(desktop: desktop)
      try await desktop.press("End")
      try await scene.expectFocus(on: "old", "2 of 2", by: reader)
      let before = try await reader.tree().all(role: "list item").map(\.name)
      // The other row is one second newer, so its age changes one second later.
      try await waitUntil("the new age of the other row", every: .milliseconds(500)) {
        try await reader.tree().all(role: "list item").first?.name != before.first
      }
      #expect(try await reader.tree().focused?.name == before.last)
      try await scene.capture("newest")
      #expect(try await reader.tree().focused?.name == before.last)
      // The focus leaves the row, which updates its name.
      try await desktop.press("Home")
      try await waitUntil("the same age") {
        let rows = try await reader.tree().all(role: "list item").dropFirst()
        return Set(rows.map { $0.name.split(separator: ", ").dropFirst().first }).count == 1
      }
      try await scene.end()
    }
  }

  @Test func `rows are named after the texts of a history that has replaced another one with the same ids`()
    async throws
  {
    try await Scene.run(with: ["one", "two"], accessibility: true) { scene in
      let reader = ScreenReader(desktop: scene.desktop)
      func texts() async throws -> [Substring] {
        try await reader.tree().all(role: "list item").map { $0.name.prefix { $0 != "," } }
      }
      try await waitUntil("the rows") { try await texts() == ["two", "one"] }
      let backup = scene.history.path + "-backup"
      try scene.history.change("VACUUM INTO '\(backup)'")
      try HistoryDatabase(path: backup).change(
        """
        CREATE TEMP TABLE other AS SELECT id, captured_at, 'other ' || id AS text FROM clip; DELETE FROM clip;
        INSERT INTO clip(id, captured_at, byte_count, text) SELECT id, captured_at, length(text), text FROM other;
        """)
      try #require(rename(backup, scene.history.path) == 0)
      let other = try await scene.openOtherWindow()
      try await scene.waitUntilInactive()
      try await other.close()
      try await waitUntil("the names of the new rows") { try await texts() == ["other 2", "other 1"] }
    }
  }

  @Test func `an empty history's page has the focus, and a description that says what to do`() async throws {
    try await Scene.run(accessibility: true) { scene in
      let reader = ScreenReader(desktop: scene.desktop)
      try await waitUntil("the empty state") { try await reader.tree().focused?.name == "No Items Yet" }
      let page = try #require(try await reader.tree().focused)
      #expect(page.description.contains("never reads in the background"))
      // The state of the shortcut becomes known shortly afterwards.
      try await waitUntil("the description of the shortcut") {
        try await reader.tree().focused?.description.hasSuffix("in the background. No shortcut is set.")
          == true
      }
      // Orca would read the labels inside the page as well.
      #expect(page.all.dropFirst().allSatisfy { $0.name.isEmpty })
    }
  }

  @Test(.tags(.marksClipboard))
  func `only the accessible name of the row on the clipboard says so, until another program copies`()
    async throws
  {
    try await Scene.run(with: ["one", "two"], accessibility: true) { scene in
      let reader = ScreenReader(desktop: scene.desktop)
      func saying() async throws -> [Substring] {
        try await reader.tree().all(role: "list item").map(\.name).filter { $0.contains("On the clipboard") }
          .map { $0.prefix { $0 != "," } }
      }
      for (key, text) in [("Home", "two"), ("Down", "one")] {
        try await scene.desktop.press(key, "Return")
        try await waitUntil("the sign on “\(text)”") { try await saying() == [Substring(text)] }
      }
      try await scene.capture("three")
      try await waitUntil("no sign") { try await saying() == [] }
    }
  }

  /// Orca ignores a window that becomes active before GTK has registered the program.
  @Test(.enabled(if: toldAgain, "GTK supports this from 4.18 on"))
  func `a screen reader receives the activation of the first window`()
    async throws
  {
    try await VirtualDesktop.with(accessibility: true) { desktop in
      let reader = try await ScreenReader.listening(on: desktop)
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      try await reader.waitToHear("window:activate")
      try await scene.end()
    }
  }

  private static var toldAgain: Bool { dlsym(nil, "gtk_accessible_update_platform_state") != nil }

  @Test
  func `copies, deletions, notices and new items are announced, and closing a notice focuses the row again`()
    async throws
  {
    let texts = (1...30).map { "text \($0)" } + ["oldest", "old", "new"]
    try await Scene.run(with: texts, accessibility: true) { scene in
      let reader = try await ScreenReader.listening(on: scene.desktop)
      try await scene.desktop.press("Home", "Return")
      try await reader.waitToHear("Copied")
      try await scene.desktop.press("Delete")
      try await reader.waitToHear("Deleted, press Control Z to undo")
      try await scene.desktop.press("Home", "Down")
      _ = try await ClipboardOwner.start(offering: .text(bytes: [0xff, 0xfe]), on: scene.desktop)
      try await reader.waitToHear("This copy is not plain text.")
      try await waitUntil("the notice's button") {
        if try await reader.tree().focused?.name == "Close" { return true }
        try await scene.desktop.press("Tab")
        return false
      }
      try await scene.desktop.press("space")
      try await scene.expectFocus(on: "oldest", "2 of 32", by: reader)
      try await scene.desktop.press("End")
      try await scene.expectFocus(on: "text 1", "32 of 32", by: reader)
      _ = try await ClipboardOwner.start(offering: .text("newest"), on: scene.desktop)
      try await reader.waitToHear("1 New")
    }
  }
}

extension Scene {
  /// The last part of each row's name, which is its position.
  fileprivate func places(by reader: ScreenReader) async throws -> [String] {
    try await reader.tree().all(role: "list item").map { row in
      row.name.split(separator: ", ").last.map(String.init) ?? ""
    }
  }

  fileprivate func expectFocus(
    on preview: String, _ place: String, by reader: ScreenReader
  ) async throws {
    var last: String?
    try await waitUntil("the focus on \(preview), \(place)") {
      last ?? "nothing"
    } _: {
      last = try await reader.tree().focused?.name
      return last?.hasPrefix(preview + ", ") == true && last?.hasSuffix(", " + place) == true
    }
  }
}
