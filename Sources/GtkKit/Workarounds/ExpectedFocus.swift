import CGtk

/// Draws a window that is being shown as it will look once it is active.
///
/// **Fault** (GTK 4.8 to 4.24): a compositor or window manager gives a window the focus only once its first frame is
/// there. Until then GTK has the state `backdrop` set on a window that was shown before, and where hiding a window takes
/// its `is-active` away (4.18, not 4.8) the widget with the focus has no `focus` state. So each popup was drawn twice:
/// inactive, and a frame later active.
///
/// **Workaround**: takes `backdrop` away before each frame until the focus comes, for at most `limit`. If it does not come,
/// `backdrop` is set again, and what the styles show of the focus goes with it.
///
/// **It can go** when GTK draws the first frame of a window that asks for the focus without `backdrop`.
@MainActor
final class ExpectedFocus {
  /// How long a window may look active without being so.
  static let limit = Duration.milliseconds(300)

  private weak var window: Window?
  /// The window's surface, and the clock of its frames, with what listens to them.
  private let surface: Object
  private let clock: Object
  private var connections: [(object: Object, number: gulong)] = []
  private var timer: Timeout?
  /// Whether GTK would have drawn the window without the focus.
  private var hidesBackdrop = false

  /// Begins for a window whose first frame is still to be drawn; nil if it is not on the screen.
  init?(of window: Window) {
    guard let surface = gtk_native_get_surface(window.opaque),
      let clock = gtk_widget_get_frame_clock(window.widget)
    else { return nil }
    self.window = window
    self.surface = Object(Owned(borrowing: surface))
    self.clock = Object(Owned(borrowing: clock))
    connections = [
      (self.clock, self.clock.connect("before-paint") { [weak self] in self?.hideBackdrop() }),
      (self.surface, self.surface.connect("notify::state") { [weak self] in self?.stateChanged() }),
    ]
    timer = Timeout(after: Self.limit) { [weak self] in self?.giveUp() }
  }

  isolated deinit { end() }

  /// Gives the widget that has the focus in a hidden window the states of the focus again.
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

  /// From the focus on, GTK's states are right.
  private func stateChanged() {
    if hasFocus { end() }
  }

  private var hasFocus: Bool {
    gdk_toplevel_get_state(surface.opaque).rawValue & copypasta_GDK_TOPLEVEL_STATE_FOCUSED.rawValue != 0
  }

  private func giveUp() {
    end()
    guard hidesBackdrop, let window else { return }
    gtk_widget_set_state_flags(window.widget, copypasta_GTK_STATE_FLAG_BACKDROP, 0)
  }

  private func end() {
    let ended = connections
    connections = []
    for connection in ended { connection.object.disconnect(connection.number) }
    timer = nil
  }
}
