import Foundation
import TestSupport
import Testing

/// The retention period that the user chooses.
@Suite(.keepsPictures) struct KeepTests {
  @Test(arguments: VirtualDesktop.Kind.all)
  func `the first retention check asks without taking the focus, and Delete erases expired items`(
    _ kind: VirtualDesktop.Kind
  )
    async throws
  {
    try await VirtualDesktop.with(kind, accessibility: true) { desktop in
      let reader = try await ScreenReader.listening(on: desktop)
      let now = Int(Date.now.timeIntervalSince1970) * 1_000_000
      try await Self.insert(
        [
          ("Xq7!oldest", 1), ("Xq7!older", now - 31 * 86_400_000_000), ("Xq7!old", now - 3_000_000),
          ("new", now),
        ],
        on: desktop)
      try desktop.home.set(["keep-texts": "'30-days'", "shortcut": "''"])
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      try await waitUntil("the question") {
        reader.heard.contains { $0.contains("2 items are older than 30 days (today is ") }
      }
      try await desktop.press("Return")
      try await scene.expectClipboard("new")
      #expect(try await scene.history.count() == 4)
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

  /// Makes a history of these texts and times, in the order of capture.
  private static func insert(_ clips: [(text: String, time: Int)], on desktop: VirtualDesktop) async throws {
    try await Scene.fillHistory(with: ["first"], on: desktop)
    let rows = clips.map { "(\($0.time), \($0.text.utf8.count), '\($0.text)')" }
    try desktop.history.change(
      "DELETE FROM clip; INSERT INTO clip(captured_at, byte_count, text) VALUES \(rows.joined(separator: ","));"
    )
  }

  private static func files(of scene: Scene) throws -> [Data] {
    try [scene.app.databasePath, scene.app.databasePath + "-wal"].map {
      try Data(contentsOf: URL(fileURLWithPath: $0))
    }
  }
}

extension Scene {
  /// Presses a mnemonic of the retention bar until it takes effect, because the bar appears with a delay.
  fileprivate func answer(_ key: String, until effect: () async throws -> Bool) async throws {
    try await waitUntil("the effect of \(key)") {
      if try await effect() { return true }
      try await desktop.press(key)
      return try await effect()
    }
  }
}
