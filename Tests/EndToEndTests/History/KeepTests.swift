import Foundation
import TestSupport
import Testing

/// The retention period that the user chooses.
@Suite struct KeepTests {
  @Test(arguments: VirtualDesktop.Kind.all)
  func `the first retention check asks, and Delete removes expired items from the list and the files`(
    _ kind: VirtualDesktop.Kind
  )
    async throws
  {
    try await VirtualDesktop.with(kind) { desktop in
      let now = Int(Date.now.timeIntervalSince1970) * 1_000_000
      try await Self.insert(
        [
          ("Xq7!oldest", 1), ("Xq7!older", now - 31 * 86_400_000_000), ("Xq7!old", now - 3_000_000),
          ("new", now),
        ],
        on: desktop)
      let scene = try await Self.start(keeping: "30-days", on: desktop)
      try await scene.answer("alt+d") { try await scene.history.texts().sorted() == ["Xq7!old", "new"] }
      // The deletion is followed by a checkpoint that truncates the log.
      for text in ["Xq7!older", "Xq7!oldest"] {
        try await waitUntil("\(text) out of the files") {
          try !Self.files(of: scene).contains { $0.contains(bytesOf: text) }
        }
      }
      // The list was updated as well, so this is the last row.
      try await scene.focusNewestRow()
      try await desktop.press("End", "Return")
      try await scene.expectClipboard("Xq7!old")
      try await scene.end()
    }
  }

  @Test func `the retention bar is announced and does not take the focus`() async throws {
    try await VirtualDesktop.with(accessibility: true) { desktop in
      let reader = try await ScreenReader.listening(on: desktop)
      try await Scene.fillHistory(with: ["one", "two"], on: desktop)
      let scene = try await Self.start(keeping: "30-days", on: desktop)
      try await waitUntil("the question") {
        reader.heard.contains { $0.contains("2 items are older than 30 days (today is ") }
      }
      try await desktop.press("Return")
      try await scene.expectClipboard("two")
      #expect(try await scene.history.count() == 2)
      try await scene.end()
    }
  }

  @Test func `an unknown retention setting keeps items forever and is not overwritten`() async throws {
    try await VirtualDesktop.with { desktop in
      try await Scene.fillHistory(with: ["one", "two"], on: desktop)
      let scene = try await Self.start(keeping: "a while", on: desktop)
      try await scene.openDialog("ctrl+comma", titled: "Preferences")
      try await desktop.press("alt+c")
      try await waitUntil("another setting kept") { try scene.keyFile().contains("hide-after-copying=true") }
      try await scene.end()
      let settings = try scene.keyFile()
      #expect(settings.contains("keep-texts='a while'"))
      #expect(try await scene.history.count() == 2)
    }
  }

  /// Does not run on sway, where GDK warns about a popup that moves, on labwc, where the test finds no dialog, and on
  /// GNOME 43, which adds Meta to Alt, so that GTK 4.8 finds no mnemonic.
  @Test(arguments: VirtualDesktop.Kind.all.filter { ![.wayland, .labwc, .gnome].contains($0) })
  func `choosing a shorter retention period with the keyboard asks first and can be cancelled`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind, with: ["one", "two"]) { scene in
      let preferences = try await scene.openDialog("ctrl+comma", titled: "Preferences")
      try await scene.chooseMonth(in: preferences)
      try await scene.waitForDialog(titled: "Delete Older Items?")
      try await scene.desktop.press("Escape")
      try await scene.waitForDialog(titled: "Preferences")
      try await scene.desktop.press("alt+c")
      #expect(try await eventually { try scene.keyFile().contains("hide-after-copying=true") })
      #expect(try !scene.keyFile().contains("keep-texts"))
      #expect(try await scene.history.count() == 2)

      try await scene.chooseMonth(in: preferences)
      try await scene.waitForDialog(titled: "Delete Older Items?")
      try await scene.desktop.press("alt+d")
      #expect(try await eventually { try scene.keyFile().contains("keep-texts='30-days'") })
      try await waitUntil("the items gone") { try await scene.history.count() == 0 }
    }
  }

  private static func start(keeping time: String, on desktop: VirtualDesktop) async throws -> Scene {
    try desktop.home.set(["keep-texts": "'\(time)'", "shortcut": "''"])
    return Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
  }

  /// Makes a history of these texts and times, in the order of capture.
  private static func insert(_ clips: [(text: String, time: Int)], on desktop: VirtualDesktop) async throws {
    try await Scene.fillHistory(with: ["first"], on: desktop)
    let path = CopyPasta.databasePath(dataHome: desktop.home.dataHome)
    let rows = clips.map { "(\($0.time), \($0.text.utf8.count), '\($0.text)')" }
    let sql =
      "DELETE FROM clip; INSERT INTO clip(captured_at, byte_count, text) VALUES \(rows.joined(separator: ","));"
    let result = try await desktop.run(["sqlite3", path], input: Array(sql.utf8))
    #expect(result.exit == .code(0), "\(result.errors)")
  }

  private static func files(of scene: Scene) throws -> [Data] {
    try [scene.app.databasePath, scene.app.databasePath + "-wal"].map {
      try Data(contentsOf: URL(fileURLWithPath: $0))
    }
  }
}

extension Scene {
  /// Chooses 30 days in Preferences.
  fileprivate func chooseMonth(in preferences: DesktopWindow) async throws {
    try await openPopup("alt+k", over: preferences)
    try await desktop.press("Home", "Down", "Down", "Down", "Return")
  }

  /// Presses a mnemonic of the retention bar until it takes effect, because the bar appears with a delay.
  fileprivate func answer(_ key: String, until effect: () async throws -> Bool) async throws {
    try await waitUntil("the effect of \(key)") {
      if try await effect() { return true }
      try await desktop.press(key)
      return try await effect()
    }
  }
}
