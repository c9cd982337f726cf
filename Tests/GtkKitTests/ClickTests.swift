import CGtk
import Foundation
import GtkTestSupport
import TestSupport
import Testing

@testable import GtkKit

/// Clicks with a real pointer.
@MainActor
@Suite(.serialized) struct ClickTests {
  init() async throws { try await TestDisplay.open() }

  @Test func `a click counts though GTK asks for the pointer before it reads of the release`() async throws {
    let window = Window(title: "Click")
    let label = Label("clicked")
    window.setChild(label)
    defer { window.destroy() }
    var downs = 0
    var clicks = 0
    label.onAnyInput { _ in downs += 1 }
    label.onClick(.primary) { _, _ in clicks += 1 }
    window.defaultSize = (200, 200)
    var isDrawn = false
    window.present()
    window.onNextFrame { isDrawn = true }
    try await pump("the window") { isDrawn }
    try Self.xdotool("mousemove", "100", "120", "mousedown", "1")
    try await pump("the press") { downs == 1 }

    // A layout makes GTK ask for the pointer when it next has nothing more to read, and the button goes up just then.
    let clock = try #require(gtk_widget_get_frame_clock(label.widget))
    var isLaidOut = false
    let clockObject = Object(Owned(borrowing: clock))
    let connection = clockObject.connect("layout") { isLaidOut = true }
    gtk_widget_queue_resize(label.widget)
    try await pump("the layout") { isLaidOut }
    clockObject.disconnect(connection)
    let signal = g_signal_lookup("flush-events", gdk_frame_clock_get_type())
    g_signal_add_emission_hook(
      signal, 0,
      { _, _, _, _ in
        MainActor.assumeIsolated {
          do { try ClickTests.xdotool("mouseup", "1") } catch { Issue.record(error) }
        }
        return 0
      }, nil, nil)
    gdk_frame_clock_request_phase(clock, GDK_FRAME_CLOCK_PHASE_FLUSH_EVENTS)
    try await pump("the click") { clicks > 0 }
    #expect(clicks == 1)
    try Self.xdotool("mousemove", "100", "121", "click", "1")
    try await pump("the second click") { clicks > 1 }
    #expect(clicks == 2)
  }

  /// Returns when it has ended; the main loop does not turn meanwhile.
  private static func xdotool(_ arguments: String...) throws {
    let program = try Program(
      ["xdotool"] + arguments,
      environment: ["PATH": "/usr/bin:/bin", "DISPLAY": String(cString: getenv("DISPLAY"))])
    while program.isRunning { usleep(1_000) }
    #expect(program.exit == .code(0), "\(program.errors)")
  }
}
