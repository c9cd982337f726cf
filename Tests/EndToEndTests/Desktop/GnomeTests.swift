import TestSupport
import Testing

/// The program on GNOME: what tests of other suites do on every desktop, and its clipboard.
///
/// GNOME gives that to the active window only, and keeps a text whose program has ended.
@Suite(
  .serialized, .enabled(if: VirtualDesktop.Kind.gnome.isInstalled, "gnome-shell is not installed")
)
struct GnomeTests {
  @Test func `the key, Down and Enter are a whole use`() async throws {
    try await PopupTests().`the key, Down and Enter are a whole use`(.gnome)
  }

  @Test func `it never comes without the keyboard nor twice`() async throws {
    try await PopupTests().`it never comes without the keyboard nor twice`(.gnome)
  }

  @Test func `behind another window it comes to the front`() async throws {
    try await PopupTests().`behind another window it comes to the front`(.gnome)
  }

  @Test func `Enter hides it if the user wants that`() async throws {
    try await PopupTests().`Enter hides it if the user wants that`(.gnome)
  }

  @Test func `losing the keyboard hides it if the user wants that`() async throws {
    try await PopupTests().`losing the keyboard hides it if the user wants that`(.gnome)
  }

  @Test func `Delete deletes one row after the other`() async throws {
    try await DeleteTests().`pressed again, it deletes the next row, and Enter copies the one after`(.gnome)
  }

  @Test func `Ctrl+Z brings a row back`() async throws {
    try await UndoTests().`Ctrl+Z brings a row back and gives it the keyboard`(.gnome)
  }

  @Test func `Ctrl+X copies and deletes`() async throws {
    try await KeyboardTests().`Ctrl+X copies and deletes`(.gnome)
  }

  @Test func `the key's menu is for the row that has the keyboard`() async throws {
    try await MenuTests().`the key's menu is for the row that has the keyboard`(.gnome)
  }

  @Test func `dark and light come and go`() async throws {
    try await AppearanceTests().`dark and light come and go with the desktop's preference`(kind: .gnome)
  }

  @Test func `what is copied is recorded while the window is active, and at no other time`() async throws {
    try await Scene.run(on: .gnome) { scene in
      try await scene.desktop.copyInGnomeShell("while active")
      try await scene.expectNewest("while active")
      try await scene.capture("by wl-copy")

      try await scene.openOtherWindow()
      try await scene.desktop.copyInGnomeShell("unseen")
      // By now CopyPasta would have it, too.
      try await scene.expectClipboard("unseen")
      try await scene.desktop.copyInGnomeShell("meanwhile")
      try await scene.toggle()
      try await scene.expectNewest("meanwhile")
      try await scene.desktop.copyInGnomeShell("after")
      try await scene.expectNewest("after")
      #expect(try await scene.history.texts() == ["after", "meanwhile", "by wl-copy", "while active"])
    }
  }

  @Test func `a copied text can be pasted after the window is closed`() async throws {
    try await Scene.run(on: .gnome, with: [WaylandTests.text, "newer"]) { scene in
      try await scene.desktop.press("Home", "Down", "Return")
      try await scene.expectClipboard(WaylandTests.text)
      try await scene.app.window.close()
      try await waitUntil("the window gone") { try await scene.shownWindow() == nil }
      #expect(scene.app.program.isRunning)
      try await scene.expectClipboard(WaylandTests.text)
      // Nothing needs the process any more once another program copies.
      try await scene.desktop.copy("another")
      #expect(try await scene.app.program.waitForExit() == .code(0))
      #expect(try await scene.history.texts() == ["newer", WaylandTests.text])
    }
  }

  @Test func `a copied text can be pasted after Quit`() async throws {
    try await Scene.run(on: .gnome, with: [WaylandTests.text, "newer"]) { scene in
      try await scene.desktop.press("Home", "Down", "Return")
      try await scene.expectClipboard(WaylandTests.text)
      try await scene.desktop.press("ctrl+q")
      #expect(try await scene.app.program.waitForExit() == .code(0))
      try await scene.expectClipboard(WaylandTests.text)
    }
  }

  @Test func `a click copies`() async throws {
    try await Scene.run(on: .gnome, with: ["old", "new"]) { scene in
      try await scene.clickFirstRow()
      try await scene.expectClipboard("new")
    }
  }

  @Test func `the end of the shell ends the program`() async throws {
    try await VirtualDesktop.with(.gnome) { desktop in
      let app = try await CopyPasta.launch(on: desktop)
      try await Scene(desktop: desktop, app: app).capture("kept")
      try await desktop.killDisplay()
      #expect(try await app.program.waitForExit() == .code(1))
      #expect(app.errors == "copypasta: The connection to the display was lost.\n")
      #expect(try await app.history.texts() == ["kept"])
    }
  }
}
