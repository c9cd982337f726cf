import TestSupport
import Testing

/// Copying on Wayland, where a window can set the clipboard only while focused, and after a key or a click.
@Suite(.keepsPictures, .tags(.outlivesTheWindow)) struct WaylandTests {
  private static let text = "  whole\ttext,\nwith é, 🍝 and שלום\r\n\n"

  @Test(arguments: VirtualDesktop.Kind.compositors)
  func `on Wayland, a copied text outlasts the window, and on GNOME the program`(_ kind: VirtualDesktop.Kind)
    async throws
  {
    try await Scene.run(on: kind, with: [Self.text]) { scene in
      try await scene.desktop.press("Home", "Return")
      try await scene.expectClipboard(Self.text)
      try await scene.app.window.close()
      try await waitUntil("the window gone") { try await !scene.app.window.isVisible() }
      try await scene.expectClipboard(Self.text)
      if kind == .gnome {
        try await scene.end()
        return try await scene.expectClipboard(Self.text)
      }
      // The process is no longer needed once another program copies.
      try await scene.desktop.copy("another")
      #expect(try await scene.app.program.waitForExit() == .code(0))
      #expect(try await scene.history.texts() == [Self.text])
    }
  }
}
