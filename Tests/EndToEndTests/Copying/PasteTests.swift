import TestSupport
import Testing

/// Ctrl+V records the clipboard's text at the user's request.
@Suite struct PasteTests {
  @Test func `pasting restores a deleted text and focuses its row`() async throws {
    try await Scene.run { scene in
      try await scene.capture("first")
      try await scene.capture("second")
      for key in ["ctrl+v", "shift+Insert"] {
        try await scene.desktop.press("Home", "Delete")
        #expect(try await eventually { try await scene.history.texts() == ["first"] })
        try await scene.desktop.press(key)
        try await scene.expectNewest("second")
        try await scene.expectFocusedRowCopied("second")
        #expect(try await scene.history.texts() == ["second", "first"])
      }
    }
  }

  @Test func `pasting the newest text adds no row, and pasting on the empty page shows the text`()
    async throws
  {
    try await Scene.run { scene in
      try await scene.capture("old")
      try await scene.capture("new")
      try await scene.desktop.press("End")
      try await scene.press(Array(repeating: "ctrl+v", count: 3))
      // The newest row gets the focus although it already existed.
      try await scene.expectFocusedRowCopied("new")
      #expect(try await scene.history.texts() == ["new", "old"])

      try await scene.desktop.press("Home", "Delete", "Delete")
      #expect(try await eventually { try await scene.history.count() == 0 })
      try await scene.desktop.press("ctrl+v")
      try await scene.expectNewest("new")
      try await scene.capture("other")
      try await scene.desktop.press("Down")
      try await scene.expectFocusedRowCopied("new")
    }
  }
}
