import CGtk

/// Draws a new window as active before it gets the focus.
///
/// **Fault** (GTK 4.8 to 4.24): a compositor or window manager gives a window the focus only after its first frame.
/// Until then, GTK keeps the state `backdrop` on a window that was shown before. In versions where hiding a window
/// resets `is-active` (4.18, not 4.8), the window's focused widget also has no `focus` state. So whenever the window
/// appeared, it was drawn twice: inactive, and a frame later active.
///
/// **Workaround**: removes `backdrop` before each frame until the window gets the focus, for at most `limit`. If the
/// window still does not have the focus then, sets `backdrop` again, which also hides the focus style.
///
/// **Remove it** when GTK does not keep `backdrop` for the first frame of a window that requests the focus.
@MainActor
final class ExpectedFocus {
  /// The longest time that a window is drawn as active without the focus.
  static let limit = Duration.milliseconds(300)

  private weak var window: Window?
  /// The window's surface and frame clock, with the handlers connected to them.
  private let surface: Object
  private let clock: Object
  private var connections: [(object: Object, number: gulong)] = []
  private var timer: Timeout?
  /// Whether `backdrop` was removed, and so must be set again if the window does not get the focus.
  private var hidesBackdrop = false
  private let gaveUp: @MainActor () -> Void

  /// Starts the workaround before a window's first frame; nil if the window is not realized.
  ///
  /// - Parameter gaveUp: Called if the window does not get the focus in time.
  init?(of window: Window, gaveUp: @escaping @MainActor () -> Void) {
    guard let surface = gtk_native_get_surface(window.opaque),
      let clock = gtk_widget_get_frame_clock(window.widget)
    else { return nil }
    self.window = window
    self.gaveUp = gaveUp
    self.surface = Object(Owned(borrowing: surface))
    self.clock = Object(Owned(borrowing: clock))
    connections = [
      (self.clock, self.clock.connect("before-paint") { [weak self] in self?.hideBackdrop() }),
      (self.surface, self.surface.connect("notify::state") { [weak self] in self?.stateChanged() }),
    ]
    timer = Timeout(after: Self.limit) { [weak self] in self?.giveUp() }
  }

  isolated deinit { end() }

  /// Restores the focus states of a hidden window's focused widget, by focusing the widget again.
  static func restoreFocusStates(in window: Window) {
    guard gtk_window_is_active(window.cast()) == 0, let focus = gtk_window_get_focus(window.cast())
    else { return }
    let widget = Widget(Owned(borrowing: focus))
    gtk_window_set_focus(window.cast(), nil)
    gtk_window_set_focus(window.cast(), widget.widget)
  }

  private func hideBackdrop() {
    guard let window else { return }
    if hasFocus { return end() }
    let states = gtk_widget_get_state_flags(window.widget).rawValue
    guard states & copypasta_GTK_STATE_FLAG_BACKDROP.rawValue != 0 else { return }
    hidesBackdrop = true
    gtk_widget_unset_state_flags(window.widget, copypasta_GTK_STATE_FLAG_BACKDROP)
  }

  /// Ends the workaround once the window has the focus, because GTK's states are then correct.
  private func stateChanged() {
    if hasFocus { end() }
  }

  private var hasFocus: Bool {
    gdk_toplevel_get_state(surface.opaque).rawValue & copypasta_GDK_TOPLEVEL_STATE_FOCUSED.rawValue != 0
  }

  private func giveUp() {
    end()
    if hidesBackdrop, let window {
      gtk_widget_set_state_flags(window.widget, copypasta_GTK_STATE_FLAG_BACKDROP, 0)
    }
    gaveUp()
  }

  private func end() {
    let ended = connections
    connections = []
    for connection in ended { connection.object.disconnect(connection.number) }
    timer = nil
  }
}
