import TestSupport
import Testing

/// A row is deleted immediately, and its neighbour gets the focus.
@Suite struct DeleteTests {
  @Test(arguments: VirtualDesktop.Kind.all)
  func `pressing Delete repeatedly removes successive rows, and Enter then copies the next row`(
    _ kind: VirtualDesktop.Kind
  )
    async throws
  {
    try await Scene.run(on: kind, with: (1...8).map { "row \($0)" }) { scene in
      try await scene.desktop.press("Home", "Down", "Delete", "Delete", "Delete", "Return")
      try await scene.expectClipboard("row 4")
      let left = [8, 4, 3, 2, 1].map { "row \($0)" }
      #expect(try await eventually { try await scene.history.texts() == left })
    }
  }

  @Test func `deleting the oldest row focuses the row above`() async throws {
    try await Scene.run(with: (1...5).map { "row \($0)" }) { scene in
      try await scene.desktop.press("End", "Delete", "KP_Delete", "Return")
      try await scene.expectClipboard("row 3")
      #expect(try await eventually { try await scene.history.texts() == ["row 5", "row 4", "row 3"] })
    }
  }

  @Test func `deleting the only row shows the empty page until the next capture`() async throws {
    try await Scene.run(with: ["only"]) { scene in
      try await scene.parkMouse()
      try await scene.desktop.press("Home", "Delete")
      #expect(try await eventually { try await scene.history.count() == 0 })
      try await waitUntil("the empty state") { try await scene.showsEmptyState() }
      try await scene.capture("new")
      try await scene.waitForFirstRow()
      try await scene.clickFirstRow()
      try await scene.expectClipboard("new")
      #expect(try await scene.history.texts() == ["new"])
    }
  }
}

extension Scene {
  /// Whether the window shows a text in its middle and no first row.
  fileprivate func showsEmptyState() async throws -> Bool {
    let picture = try await screenshot()
    let middle = Rectangle(x: 100, y: 250, width: 280, height: 200)
    return picture.isPlain(in: Self.firstRow) && !picture.isPlain(in: middle)
  }
}
