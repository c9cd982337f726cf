import TestSupport
import Testing

/// While reading is paused, no owner receives a request, even if the window is activated or toggled.
@Suite(.keepsPictures, .tags(.readsOnlyWhileActive)) struct PauseTests {
  @Test(.tags(.recordsNoPause), arguments: VirtualDesktop.Kind.all)
  func `while reading is paused, no text is requested except by Ctrl+V`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind) { scene in
      try await scene.capture("before")
      let other = try await scene.openOtherWindow()
      try await scene.app.window.activate()
      try await scene.pause()
      let unseen = try await ClipboardOwner.start(offering: .text("unseen"), on: scene.desktop)
      try await other.activate()
      try await waitUntil("the window inactive") { try await !scene.app.window.isActive() }
      try await scene.app.window.activate()
      try await waitUntil("the window active") { try await scene.app.window.isActive() }
      // On Wayland a window that is shown again has a new id.
      if kind == .x11 {
        try scene.desktop.home.set(["shortcut": "'<Control><Alt>j'", "hide-popup": "false"])
        try await scene.toggle()
        try await waitUntil("the window hidden") { try await scene.shownWindow()?.isVisible() != true }
        try await scene.toggle()
      } else {
        #expect(try await scene.desktop.copypasta().exit == .code(0))
      }
      try await waitUntil("the window active again") { try await scene.shownWindow()?.isActive() == true }
      // Once these keys are handled, everything that opening the window triggers has happened.
      try await scene.desktop.press("Down", "Home")
      try await scene.replace(unseen, with: "on purpose")
      #expect(unseen.requests == [])
      #expect(try await !scene.app.window.showsReading())
      // Ctrl+V records the clipboard even during the pause.
      try await scene.desktop.press("ctrl+v")
      try await scene.expectNewest("on purpose")

      let meanwhile = try await ClipboardOwner.start(offering: .text("meanwhile"), on: scene.desktop)
      try await scene.resume()
      // What was copied during the pause is not recorded, neither now nor when the window becomes active again.
      try await waitUntil("the text recognised") { meanwhile.contentRequests.count == 1 }
      try await other.activate()
      try await waitUntil("the window inactive") { try await scene.shownWindow()?.isActive() != true }
      try await scene.shownWindow()?.activate()
      try await waitUntil("the text read again") { meanwhile.contentRequests.count == 2 }
      try await scene.capture("after")
      #expect(try await scene.history.texts() == ["after", "on purpose", "before"])
    }
  }

  @Test(arguments: [VirtualDesktop.Kind.x11, .wayland])
  func `a click, Ctrl+P and D-Bus switch a pause, which outlasts the window, but not the program`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind, with: ["one"], accessibility: true) { scene in
      // Nothing but the pause keeps the program running.
      try scene.desktop.home.set(["shortcut": "''", "tray-icon": "false"])
      let reader = try await ScreenReader.listening(on: scene.desktop)
      try await scene.pause()
      try await reader.waitToHear("Paused")
      // GTK 4.8 exposes a toggle button as a push button.
      let marks = try await reader.tree().all.filter { $0.name == "Paused" }
      #expect(marks.count == 1 && ["push button", "toggle button"].contains(marks[0].role))
      try await scene.desktop.press("ctrl+p")
      try await reader.waitToHear("Recording")
      let action = ["gapplication", "action", "org.copypasta.CopyPasta", "pause"]
      #expect(try await scene.desktop.run(action).exit == .code(0))
      try await waitUntil("paused over the bus") { try await !scene.app.window.showsReading() }
      try await scene.desktop.press("ctrl+w")
      try await waitUntil("the window hidden") { try await scene.shownWindow() == nil }
      #expect(try await scene.desktop.copypasta().exit == .code(0))
      try await waitUntil("the pause shown") { try await reader.tree().all.contains { $0.name == "Paused" } }
      try await scene.end()
      let again = try await scene.relaunch()
      try await waitUntil("reading") { try await again.app.window.showsReading() }
      try await again.end()
    }
  }
}

extension Scene {
  /// Pauses reading with the indicator in the header bar.
  func pause() async throws {
    try await waitUntil("reading") { try await app.window.showsReading() }
    try await clickIndicator()
    try await waitUntil("paused") { try await !app.window.showsReading() }
  }

  /// Resumes reading with the indicator in the header bar.
  func resume() async throws {
    try await clickIndicator()
    try await waitUntil("reading") { try await app.window.showsReading() }
  }

  private func clickIndicator() async throws {
    try await app.window.click(x: 40, y: 24)
    // Otherwise the indicator's tooltip would appear, and on Wayland GDK warns about a tooltip that moves.
    try await parkMouse()
  }
}
