import CGtk
import Glibc

/// The desktop that the program runs in, as its session tells.
public enum Desktop {
  /// Its names, the most particular one first (`$XDG_CURRENT_DESKTOP`): `["ubuntu", "GNOME"]`.
  public static var names: [String] {
    variable("XDG_CURRENT_DESKTOP").split(separator: ":").map(String.init)
  }

  /// Whether it is a Wayland session; an X server in it is for programs that know nothing else.
  public static var isWayland: Bool {
    !variable("WAYLAND_DISPLAY").isEmpty || variable("XDG_SESSION_TYPE") == "wayland"
  }

  /// Whether the program runs in Flatpak, where the files that it sees are not the desktop's.
  public static var isFlatpak: Bool { access("/.flatpak-info", F_OK) == 0 }

  private static func variable(_ name: String) -> String {
    g_getenv(name).map { String(cString: $0) } ?? ""
  }
}
