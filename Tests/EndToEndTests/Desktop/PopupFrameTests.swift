import TestSupport
import Testing

/// The number of frames that the popup draws.
@Suite(.keepsPictures, .tags(.popsUp)) struct PopupFrameTests {
  /// On Wayland each frame is one buffer, which the protocol log shows.
  ///
  /// labwc is left out because it resizes each window to the screen, which needs a second frame.
  @Test(.tags(.drawsPopupOnce), arguments: VirtualDesktop.Kind.all.filter { $0 != .labwc })
  func `most popups are drawn once`(_ kind: VirtualDesktop.Kind) async throws {
    try await VirtualDesktop.with(kind) { desktop in
      try await Scene.fillHistory(with: (1...30).map { "text \($0)" }, on: desktop)
      let app = try await CopyPasta.launch(on: desktop, environment: ["WAYLAND_DEBUG": "1"])
      let scene = Scene(desktop: desktop, app: app)
      try await scene.waitForFirstRow()
      _ = try await scene.hideBehindOtherWindow()
      var watcher: Program?
      if kind == .x11 {
        watcher = try desktop.start(Fixture.python("frame_watcher.py", [String(app.window.id)]))
        try await watcher?.waitUntil("the watcher") { $0 == ["gone"] }
      }
      func frames() -> [Int] {
        watcher?.lines.split(separator: "gone", omittingEmptySubsequences: false).dropLast().map(\.count)
          ?? WaylandLog(app.errors).showings.map(\.buffers)
      }
      let before = frames().count
      // Skip the first popup, because the copied row may still be fading.
      for round in 0...8 {
        try await scene.toggle()
        try await scene.waitUntilActive("round \(round)")
        _ = try await scene.settledScreenshot(of: scene.shownWindow(), unchangedFor: .milliseconds(400))
        try await scene.toggle()
        try await waitUntil("the window gone") { try await scene.shownWindow() == nil }
      }
      try await waitUntil("all popups counted") { frames().count == before + 9 }
      let counts = frames().suffix(8)
      // On X11, newer versions of GTK draw even an empty window up to three times.
      let version = try await desktop.run(["pkg-config", "--modversion", "gtk4"]).succeeded().text
      let isOld = ["4.8.", "4.10.", "4.12."].contains { version.hasPrefix($0) }
      let expected = kind == .x11 && !isOld ? 1...3 : 1...1
      #expect(expected.contains(counts.sorted()[4]), "frames of each popup: \(counts)")
      #expect(try await app.stop() == .code(0))
    }
  }
}
