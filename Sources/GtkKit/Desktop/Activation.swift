import CGtk

/// Proof that the user asked for a window; without it a window manager may refuse the window the focus.
public enum Activation: Equatable, Sendable {
  /// The activation that GTK knows by itself, such as the token that came with a call over D-Bus.
  case ambient
  /// An activation token of Wayland, or a startup id of X11.
  case token(String)
  /// When the user pressed the key or button: the X server's time, in milliseconds.
  case time(UInt32)

  /// The activation that this program was started with.
  ///
  /// Call it before GTK starts, which takes the variable away. GTK 4.8 knows the name `DESKTOP_STARTUP_ID` only, so a
  /// token under the newer name is given that one too.
  public static func ofThisLaunch() -> Activation {
    let values = [g_getenv("XDG_ACTIVATION_TOKEN"), g_getenv("DESKTOP_STARTUP_ID")].compactMap(\.self)
    guard let token = values.map({ String(cString: $0) }).first(where: { $0 != "" }) else { return .ambient }
    g_setenv("DESKTOP_STARTUP_ID", token, 0)
    // A token counts once: programs that this one starts must not inherit it.
    g_unsetenv("XDG_ACTIVATION_TOKEN")
    return .token(token)
  }
}
