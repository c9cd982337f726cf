import GtkKit
import X11Kit

/// What differs between X11 and Wayland; chosen once, when the display is open.
@MainActor
protocol WindowSystem {
  func makeClipboard() -> any SystemClipboard

  /// Creates the grab of the global shortcut; nil if no press would reach it.
  func makeKeyGrab() -> KeyGrabShortcut?

  /// Whether panels and task switchers show the icon that a window sets.
  var showsWindowIcons: Bool { get }

  /// Whether one of these windows has the focus, ignoring keyboard grabs by desktop shortcuts.
  func isFocusIn(_ windows: [Window]) async -> Bool

  /// Brings to the user the shown windows that are on another workspace or iconified.
  ///
  /// If they were only presented, a window manager might just mark them as urgent, or take the user to their workspace.
  /// A newly mapped window appears on the current workspace with the focus.
  func bringHere(_ windows: [Window], _ activation: Activation) async
}

/// Returns the window system of the open display.
@MainActor
func makeWindowSystem() -> any WindowSystem {
  if case .x11(let name) = Display.backend { X11WindowSystem(display: name) } else { WaylandWindowSystem() }
}

private struct X11WindowSystem: WindowSystem {
  let display: String

  func makeClipboard() -> any SystemClipboard { X11Clipboard(display: display) }

  /// Under Xwayland the server grants the grab, but reports no press while a Wayland window has the focus.
  func makeKeyGrab() -> KeyGrabShortcut? { Desktop.isWayland ? nil : KeyGrabShortcut(display: display) }

  var showsWindowIcons: Bool { true }

  /// Asks the X server, because while a desktop shortcut is held down, its key grab makes the window appear to lose the
  /// focus.
  func isFocusIn(_ windows: [Window]) async -> Bool {
    let focus = InputFocus(display: display)
    for number in windows.compactMap(\.x11Number) where await focus.isIn(number) { return true }
    return false
  }

  func bringHere(_ windows: [Window], _ activation: Activation) async {
    let placement = WindowPlacement(display: display)
    for window in windows {
      guard let number = window.x11Number, await placement.isAway(number) else { continue }
      window.unmap()
      await placement.waitUntilReleased(number)
      if window.isVisible { window.mapAgain(activation) }
    }
  }
}

private struct WaylandWindowSystem: WindowSystem {
  func makeClipboard() -> any SystemClipboard {
    // Unreachable: without a display, `CopyPasta.start` exits with a message first.
    guard let clipboard = Clipboard.ofDisplay else { preconditionFailure("no display") }
    return GdkClipboard(clipboard)
  }

  func makeKeyGrab() -> KeyGrabShortcut? { nil }

  /// False, because compositors use the desktop file's icon, and setting one would make GTK 4.24 redraw the header bar.
  var showsWindowIcons: Bool { false }

  func isFocusIn(_ windows: [Window]) async -> Bool {
    windows.contains { $0.isFocusedByCompositor && !$0.isWithoutKeyboard }
  }

  /// Maps every window again: a program cannot find out where its windows are, and sway marks a presented window only
  /// as urgent, even with a token.
  func bringHere(_ windows: [Window], _ activation: Activation) async {
    for window in windows {
      window.unmap()
      window.mapAgain(activation)
    }
  }
}
