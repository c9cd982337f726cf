import TestSupport
import Testing

/// The number of frames that the popup draws.
@Suite struct PopupFrameTests {
  /// Each frame is one buffer, so the test counts buffers in the Wayland protocol log.
  ///
  /// labwc is left out because it resizes each window to the screen, which needs a second frame.
  @Test(arguments: VirtualDesktop.Kind.compositors.filter { $0 != .labwc })
  func `showing the popup usually draws a single frame`(_ kind: VirtualDesktop.Kind) async throws {
    try await VirtualDesktop.with(kind) { desktop in
      try await Scene.fillHistory(with: (1...30).map { "text \($0)" }, on: desktop)
      let app = try await CopyPasta.launch(on: desktop, environment: ["WAYLAND_DEBUG": "1"])
      let scene = Scene(desktop: desktop, app: app)
      try await scene.waitForFirstRow()
      _ = try await scene.hideBehindOtherWindow()
      let before = WaylandLog(scene.app.errors).showings.count
      // Skip the first popup, because the copied row may still be fading.
      for round in 0...8 {
        try await scene.toggle()
        try await scene.waitUntilActive("round \(round)")
        _ = try await scene.settledScreenshot(of: scene.shownWindow(), unchangedFor: .milliseconds(400))
        try await scene.toggle()
        try await waitUntil("the window gone") { try await scene.shownWindow() == nil }
      }
      let buffers = WaylandLog(scene.app.errors).showings.dropFirst(before + 1).map(\.buffers)
      try #require(buffers.count == 8)
      #expect(buffers.sorted()[4] == 1, "buffers of each popup: \(buffers)")
      #expect(try await app.stop() == .code(0))
    }
  }
}
