import TestSupport
import Testing

/// Capturing and copying on Wayland, where a window can read the clipboard only while focused and set it only after a
/// key or a click.
@Suite struct WaylandTests {
  static let text = "  whole\ttext,\nwith é, 🍝 and שלום\r\n\n"

  /// sway has no shortcuts for programs, and no portal runs here.
  @Test func `the command for a key binding can be copied with the keyboard and does not wrap at hyphens`()
    async throws
  {
    try await VirtualDesktop.with(.wayland, accessibility: true) { desktop in
      try desktop.home.set([:])
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      let reader = ScreenReader(desktop: desktop)
      let command = try await waitFor("the command on its own") {
        try await reader.tree().all.first { $0.name.contains("toggle") && !$0.name.contains(":") }?.name
      }
      #expect(!command.contains("--"), "\(command)")
      try await desktop.press("Tab")
      try await waitUntil("the focus on the button") { try await reader.tree().focused?.name == "Copy" }
      try await desktop.press("Return")
      try await scene.expectClipboard(command.filter { $0 != "\u{2060}" })
      try await scene.end()
    }
  }

  @Test(arguments: VirtualDesktop.Kind.compositors)
  func `on Wayland, a copied text can be pasted after the window closes`(_ kind: VirtualDesktop.Kind)
    async throws
  {
    try await Scene.run(on: kind, with: [Self.text]) { scene in
      try await scene.desktop.press("Home", "Return")
      try await scene.expectClipboard(Self.text)
      try await scene.app.window.close()
      try await waitUntil("the window gone") { try await !scene.app.window.isVisible() }
      try await scene.expectClipboard(Self.text)
      // The process is no longer needed once another program copies.
      try await scene.desktop.copy("another")
      #expect(try await scene.app.program.waitForExit() == .code(0))
      #expect(try await scene.history.texts() == [Self.text])
    }
  }
}
