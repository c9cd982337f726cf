import TestSupport
import Testing

/// What of a popup is drawn, and how often.
@Suite struct PopupFrameTests {
  /// Counts in the protocol's own log: each frame that is drawn is a buffer that the compositor gets.
  ///
  /// The labwc of the tests gives each window the size of the screen, for which it has to be drawn again.
  @Test(arguments: VirtualDesktop.Kind.compositors.filter { $0 != .labwc })
  func `a popup is drawn once`(_ kind: VirtualDesktop.Kind) async throws {
    try await Self.run(on: kind) { scene in
      _ = try await scene.hideBehindOtherWindow()
      let before = WaylandLog(scene.app.errors).showings.count
      // The copied row may still fade in the first one.
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
    }
  }

  /// sway keeps the focus where it is, as others do for a window that comes up while the user types.
  @Test func `a popup that does not get the focus looks inactive`() async throws {
    try await Self.run(on: .wayland) { scene in
      let other = try await scene.hideBehindOtherWindow()
      try await scene.toggle()
      try await scene.waitUntilActive()
      try await other.activate()
      let inactive = try await scene.settledScreenshot(of: scene.shownWindow())
      try await scene.toggle()
      try await scene.waitUntilActive()
      try await scene.toggle()
      try await waitUntil("the window gone") { try await scene.shownWindow() == nil }
      try await scene.desktop.refuseFocusInSway(to: CopyPasta.applicationID)
      try await scene.toggle()
      let whole = Rectangle(x: 0, y: 0, width: inactive.width, height: inactive.height)
      try await waitUntil("a window that looks inactive") {
        guard let window = try await scene.shownWindow() else { return false }
        return try await Screenshot.take(of: window, on: scene.desktop).matches(inactive, in: whole)
      }
      #expect(try await other.isActive())
    }
  }

  /// Runs a test beside a log of all that the program sends to the compositor.
  private static func run(
    on kind: VirtualDesktop.Kind, _ body: (Scene) async throws -> Void
  ) async throws {
    try await VirtualDesktop.with(kind) { desktop in
      try await Scene.fillHistory(with: (1...30).map { "text \($0)" }, on: desktop)
      let app = try await CopyPasta.launch(on: desktop, environment: ["WAYLAND_DEBUG": "1"])
      let scene = Scene(desktop: desktop, app: app)
      try await scene.waitForFirstRow()
      try await body(scene)
      #expect(try await app.stop() == .code(0))
    }
  }
}
