import TestSupport
import Testing

/// GNOME's clipboard, which only the active window can read and which survives the program.
///
/// The suites for all desktops run on GNOME as well.
@Suite(.enabled(if: Requirement.gnomeShell.isMet, "\(Requirement.gnomeShell)"))
struct GnomeTests {
  @Test func `a copy in GNOME Shell is recorded only while the window is active`() async throws {
    try await Scene.run(on: .gnome) { scene in
      try await scene.desktop.copyInGnomeShell("while active")
      try await scene.expectNewest("while active")
      try await scene.capture("by wl-copy")

      try await scene.openOtherWindow()
      try await scene.desktop.copyInGnomeShell("unseen")
      // If CopyPasta had read the text, it would be recorded by now.
      try await scene.expectClipboard("unseen")
      try await scene.desktop.copyInGnomeShell("meanwhile")
      try await scene.toggle()
      try await scene.expectNewest("meanwhile")
      try await scene.desktop.copyInGnomeShell("after")
      try await scene.expectNewest("after")
      #expect(try await scene.history.texts() == ["after", "meanwhile", "by wl-copy", "while active"])
    }
  }

  @Test func `on GNOME, a copied text can be pasted after the program quits`() async throws {
    try await Scene.run(on: .gnome, with: [WaylandTests.text, "newer"]) { scene in
      try await scene.desktop.press("Home", "Down", "Return")
      try await scene.expectClipboard(WaylandTests.text)
      try await scene.desktop.press("ctrl+q")
      #expect(try await scene.app.program.waitForExit() == .code(0))
      try await scene.expectClipboard(WaylandTests.text)
    }
  }
}
