import CGtk
import GtkTestSupport
import Testing

@testable import GtkKit

/// A window that is shown without a window manager, and therefore gets no focus.
@MainActor
@Suite struct ExpectedFocusTests {
  init() async throws { try await TestDisplay.open() }

  @Test func `a new window looks active in its first frame, even without the focus`() async throws {
    let window = Window(title: "test")
    defer { window.destroy() }
    window.present()
    Self.setBackdrop(of: window)
    var wasBackdrop: Bool?
    let clock = Object(Owned(borrowing: try #require(gtk_widget_get_frame_clock(window.widget))))
    clock.connectOnce("paint") { wasBackdrop = Self.isBackdrop(window) }
    try await pump("the first frame") { wasBackdrop != nil }
    #expect(wasBackdrop == false)
    try await pump("the truth") { Self.isBackdrop(window) }
    var isDrawn = false
    window.onNextFrame { isDrawn = true }
    gtk_widget_queue_draw(window.widget)
    try await pump("the next frame") { isDrawn }
    #expect(Self.isBackdrop(window))
  }

  @Test func `the focused widget has the focus state when its window is shown again`() async throws {
    let window = Window(title: "test")
    defer { window.destroy() }
    let button = Button(label: "test") {}
    window.setChild(button)
    window.present()
    button.grabFocus()
    window.isVisible = false
    // Remove the state "focus within", as GTK 4.18 does automatically.
    gtk_widget_unset_state_flags(button.widget, copypasta_GTK_STATE_FLAG_FOCUS_WITHIN)
    window.present()
    #expect(button.hasFocusWithin)
  }

  private static func setBackdrop(of window: Window) {
    gtk_widget_set_state_flags(window.widget, copypasta_GTK_STATE_FLAG_BACKDROP, 0)
  }

  private static func isBackdrop(_ window: Window) -> Bool {
    gtk_widget_get_state_flags(window.widget).rawValue & copypasta_GTK_STATE_FLAG_BACKDROP.rawValue != 0
  }
}
