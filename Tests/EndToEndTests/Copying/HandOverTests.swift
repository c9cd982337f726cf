import TestSupport
import Testing

/// The clipboard after the program exits on X11, where the text is otherwise lost with its owner.
@Suite(.keepsPictures, .tags(.outlivesTheWindow)) struct HandOverTests {
  @Test func `a clipboard manager keeps the copied text even if the program exits during a read`()
    async throws
  {
    let text = "kept\tafter é 🍝\n"
    try await Scene.run(with: [text]) { scene in
      try await scene.startClipboardManager()
      let endless = try await ClipboardOwner.start(behaving: "IncrDrip", on: scene.desktop)
      try await scene.app.window.activate()
      try await waitUntil("the request for the text") { !endless.contentRequests.isEmpty }
      try await scene.desktop.press("Home", "Return")
      try await scene.expectClipboard(text)
      try await scene.desktop.press("ctrl+q")
      #expect(try await scene.app.program.waitForExit() == .code(0))
      try await scene.expectClipboard(text)
    }
  }
}

extension Scene {
  fileprivate func startClipboardManager() async throws {
    try desktop.home.allowService("org.xfce.Xfconf")
    _ = try desktop.start(["xfsettingsd", "--no-daemon"])
    try await waitUntil("a clipboard manager") { try await hasClipboardManager() }
  }

  /// Whether the selection `CLIPBOARD_MANAGER` has an owner.
  private func hasClipboardManager() async throws -> Bool {
    let script = """
      from Xlib import display
      d = display.Display()
      print(d.get_selection_owner(d.intern_atom("CLIPBOARD_MANAGER")) != 0)
      """
    return try await desktop.run(["/usr/bin/python3", "-c", script]).text == "True"
  }
}
