import Glibc

/// What the program is shut in by.
public enum Sandbox {
  /// Whether it runs in Flatpak, where the files that it sees are not the desktop's.
  public static var isFlatpak: Bool { access("/.flatpak-info", F_OK) == 0 }
}
