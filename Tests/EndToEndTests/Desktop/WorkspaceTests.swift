import TestSupport
import Testing

/// The window comes to the user from wherever it is.
@Suite(.keepsPictures, .tags(.popsUp)) struct WorkspaceTests {
  /// openbox only marks a window on another workspace as urgent.
  @Test(.tags(.comesFromAnywhere), arguments: ["--toggle", "", "show", "tray"])
  func `a window that is iconified or on another workspace comes to the current one`(way: String) async throws
  {
    try await Scene.run(with: ["text"]) { scene in
      let panel = way == "tray" ? try await TrayPanel.start(on: scene.desktop) : nil
      try await panel?.waitForIcon()
      let window = try #require(try await scene.shownWindow())
      let other = try await scene.openOtherWindow()
      let start = try #require(try await scene.desktop.workspace())
      for workspace in [start, 3 - start] {
        // A popup would hide instead.
        #expect(try await scene.desktop.copypasta().exit == .code(0))
        try await scene.waitUntilActive()
        if workspace == start {
          try await window.minimise()
          try await other.activate()
        } else {
          try await scene.desktop.goToWorkspace(workspace)
        }
        try await waitUntil("the window away") { try await !window.isVisible() }
        switch way {
        case "tray":
          // A click within half a second of the focus loss would hide the window.
          try await Task.sleep(for: .milliseconds(600))
          try await panel?.clickIcon()
        case "show":
          let call = try await scene.desktop.run(["gapplication", "action", "org.copypasta.CopyPasta", way])
          #expect(call.exit == .code(0), "\(call.errors)")
        default:
          let call = try await scene.desktop.run([CopyPasta.programPath] + (way.isEmpty ? [] : [way]))
          #expect(call.exit == .code(0) && call.errors == "")
        }
        try await scene.waitUntilActive()
        #expect(try await window.isVisible())
        #expect(try await scene.desktop.workspace() == workspace)
      }
    }
  }

  @Test func `a dialog on another workspace comes to the current one`() async throws {
    try await Scene.run(with: ["text"]) { scene in
      try await scene.desktop.press("ctrl+comma")
      try await scene.waitForDialog(titled: "Preferences")
      let dialog = try #require(try await scene.desktop.window(titled: "Preferences"))
      let start = try #require(try await scene.desktop.workspace())
      try await scene.desktop.goToWorkspace(3 - start)
      try await waitUntil("the dialog away") { try await !dialog.isVisible() }
      // Ask again, because GTK may not know yet that the dialog has lost the focus.
      try await waitUntil("the dialog in front") {
        let call = try await scene.desktop.run(
          ["gapplication", "action", "org.copypasta.CopyPasta", "preferences"])
        #expect(call.exit == .code(0), "\(call.errors)")
        return try await scene.activeTitle() == "Preferences"
      }
      #expect(try await scene.desktop.workspace() == 3 - start)
    }
  }

  /// sway only marks such a window as urgent, and other compositors take the user to it.
  @Test(.tags(.comesFromAnywhere), arguments: VirtualDesktop.Kind.compositors)
  func `on Wayland a window on another workspace comes to the current one`(_ kind: VirtualDesktop.Kind)
    async throws
  {
    try await Scene.run(on: kind, with: ["text"]) { scene in
      // GNOME removes an empty workspace.
      try await scene.openOtherWindow()
      for (way, workspace) in [("", 2), ("--toggle", 1)] {
        try await scene.desktop.goToWorkspace(workspace)
        try await waitUntil("the window left") { try await !scene.app.window.isActive() }
        let call = try await scene.desktop.run([CopyPasta.programPath] + (way.isEmpty ? [] : [way]))
        #expect(call.exit == .code(0) && call.errors == "")
        try await scene.waitUntilActive(way)
        #expect(try await [workspace, nil].contains(scene.desktop.workspace()))
      }
    }
  }
}
