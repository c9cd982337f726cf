import TestSupport
import Testing

/// A row is deleted immediately, and its neighbour gets the focus.
@Suite(.keepsPictures) struct DeleteTests {
  @Test(arguments: VirtualDesktop.Kind.all)
  func `pressing Delete repeatedly removes successive rows, and Enter then copies the next row`(
    _ kind: VirtualDesktop.Kind
  )
    async throws
  {
    try await Scene.run(on: kind, with: (1...8).map { "row \($0)" }) { scene in
      try await scene.desktop.press("Home", "Down", "Delete", "Delete", "Delete", "Return")
      // Wait for the deletions, which the copy follows: on GNOME the program that pastes takes the focus, without which
      // CopyPasta could not copy.
      let left = [8, 4, 3, 2, 1].map { "row \($0)" }
      #expect(try await eventually { try await scene.history.texts() == left })
      try await scene.expectClipboard("row 4")
    }
  }
}
