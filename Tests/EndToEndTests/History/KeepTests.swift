import Foundation
import TestSupport
import Testing

/// The retention period that the user chooses.
@Suite(.keepsPictures) struct KeepTests {
  @Test func `the first retention check asks without taking the focus, and Delete removes expired items`()
    async throws
  {
    try await VirtualDesktop.with(accessibility: true) { desktop in
      let reader = try await ScreenReader.listening(on: desktop)
      try await Scene.fillHistory(with: ["oldest", "older"], on: desktop)
      let now = Int(Date.now.timeIntervalSince1970) * 1_000_000
      try await Scene.fillHistory(with: ["new"], on: desktop, from: now)
      try desktop.home.set(["keep-texts": "'30-days'", "shortcut": "''"])
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      try await reader.waitToHear("2 items are older than 30 days (today is ")
      try await desktop.press("Return")
      try await scene.expectClipboard("new")
      #expect(try await scene.history.count() == 3)
      // Repeat the mnemonic, because the bar appears with a delay.
      try await waitUntil("the expired items deleted") {
        try await desktop.press("alt+d")
        return try await scene.history.texts() == ["new"]
      }
      try await scene.end()
    }
  }
}
