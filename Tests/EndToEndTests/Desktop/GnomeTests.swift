import TestSupport
import Testing

/// GNOME's clipboard, which it gives to the active window only, and keeps for a program that has ended.
///
/// The suites of every desktop run on GNOME, too.
@Suite(.enabled(if: VirtualDesktop.Kind.gnome.isInstalled, "gnome-shell is not installed"))
struct GnomeTests {
  @Test func `a copy in GNOME Shell is read only while the window is active`() async throws {
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

  @Test func `a copied text can be pasted after Quit`() async throws {
    try await Scene.run(on: .gnome, with: [WaylandTests.text, "newer"]) { scene in
      try await scene.desktop.press("Home", "Down", "Return")
      try await scene.expectClipboard(WaylandTests.text)
      try await scene.desktop.press("ctrl+q")
      #expect(try await scene.app.program.waitForExit() == .code(0))
      try await scene.expectClipboard(WaylandTests.text)
    }
  }
}
