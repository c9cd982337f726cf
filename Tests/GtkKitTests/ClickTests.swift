import CGtk
import Foundation
import GtkTestSupport
import TestSupport
import Testing

@testable import GtkKit

/// Clicks with a real pointer.
///
/// The test runs in a child process, because windows of other tests would cover the clicked window.
@Suite struct ClickTests {
  @Test func `a click counts even if GTK queries the pointer before the release`() async {
    await #expect(processExitsWith: .success) {
      try await TestDisplay.open()
      try await Self.expectClicks()
    }
  }

  @MainActor
  private static func expectClicks() async throws {
    let window = Window(title: "Click")
    defer { window.destroy() }
    window.defaultSize = (200, 200)
    var (downs, clicks) = (0, 0)
    window.onAnyInput { _ in downs += 1 }
    window.onClick(.primary) {
      $0
    } _: { _, _ in
      clicks += 1
    }
    window.present()
    var isDrawn = false
    window.onNextFrame { isDrawn = true }
    try await pump("the window") { isDrawn }
    // Without a window manager the window is at the upper left. No widget claims a press at its lower edge.
    let bottom = gtk_widget_get_height(window.widget) - 5
    try Self.xdotool(["mousemove", "\(window.width / 2)", "\(bottom)", "mousedown", "1"])
    try await pump("the press") { downs == 1 }

    // After a layout, GTK queries the pointer as soon as it has no events to read; release the button at that moment.
    let clock = Object(Owned(borrowing: try #require(gtk_widget_get_frame_clock(window.widget))))
    var isLaidOut = false
    clock.connectOnce("layout") { isLaidOut = true }
    gtk_widget_queue_resize(window.widget)
    try await pump("the layout") { isLaidOut }
    let signal = g_signal_lookup("flush-events", gdk_frame_clock_get_type())
    g_signal_add_emission_hook(
      signal, 0,
      { _, _, _, _ in
        MainActor.assumeIsolated {
          do { try ClickTests.xdotool(["mouseup", "1"]) } catch { Issue.record(error) }
        }
        return 0
      }, nil, nil)
    gdk_frame_clock_request_phase(clock.opaque, copypasta_GDK_FRAME_CLOCK_PHASE_FLUSH_EVENTS)
    try await pump("the click") { clicks > 0 }
    #expect(clicks == 1)
    try Self.xdotool(["click", "1"])
    try await pump("the second click") { clicks > 1 }
    #expect(clicks == 2)
  }

  /// Runs xdotool and blocks the main loop until it exits.
  @MainActor
  private static func xdotool(_ arguments: [String]) throws {
    let program = try Program(
      ["xdotool"] + arguments,
      environment: ["PATH": "/usr/bin:/bin", "DISPLAY": String(cString: getenv("DISPLAY"))])
    while program.isRunning { usleep(1_000) }
    #expect(program.exit == .code(0), "\(program.errors)")
  }
}

/// The recognition of swipes from movements; `SwipeTests` performs swipes with simulated fingers.
@MainActor
@Suite struct SwipeMovementTests {
  private final class Course: Swipe {
    var distances: [Double] = []
    func moved(to distance: Double) { distances.append(distance) }
    func ended(isCancelled: Bool) {}
  }

  @Test func `only a horizontal movement of sufficient length counts as a swipe`() {
    let swipe = Course()
    let movement = Movement { $0.x < 100 ? swipe : nil }
    func course(_ x: Double, _ y: Double, from start: Double = 0) -> Movement.Direction {
      movement.begin(at: Point(x: start, y: 0))
      return movement.move(x, y)
    }
    #expect(course(11, 0) == .undecided && course(13, 12) == .other && course(3, -40) == .other)
    #expect(course(-40, 20, from: 100) == .other, "nothing to swipe")
    #expect(swipe.distances.isEmpty)
    #expect(course(-40, 20) == .horizontal)
    #expect(swipe.distances == [-40])
  }
}
