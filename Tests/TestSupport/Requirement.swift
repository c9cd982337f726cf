import Foundation

/// Something that a test needs and that a container, a chroot or a small system may lack.
///
/// Each requirement is tried, once in a test process, because a user id or an installed file does not tell what is
/// allowed. The summary of `meson-helpers/test` counts the tests that were left out for each reason.
///
///     @Test(.enabled(if: Requirement.fileMonitors.isMet, "\(Requirement.fileMonitors)"))
public struct Requirement: CustomStringConvertible, Sendable {
  /// Why tests are left out if the requirement is not met.
  public let description: String
  /// Whether the attempt succeeded.
  public let isMet: Bool

  /// A user whom permissions restrict: the tests' own one, or one to whom root can switch and whom `TMPDIR` lets in.
  public static let restrictedUser = Requirement(
    "root cannot become another user here, or TMPDIR does not let that user in",
    trying: """
      [ "$(id -u)" != 0 ] || {
        file=$(mktemp) && trap 'rm "$file"' EXIT && chown 65534:65534 "$file" &&
          setpriv --reuid=65534 --regid=65534 --clear-groups test -w "$file"
      }
      """)

  /// Shared memory, without which sway and wev cannot draw.
  public static let walIndex = Requirement(
    "/dev/shm is not writable", trying: "file=$(mktemp -p /dev/shm) && rm \"$file\"")

  /// Noticing changes of a settings file, for which a user has 128 instances by default.
  public static let fileMonitors = Requirement(
    "all of the user's inotify instances are used",
    trying: "/usr/bin/python3 -c 'import ctypes; exit(ctypes.CDLL(None).inotify_init1(0) < 0)'")

  /// GNOME's compositor.
  public static let gnomeShell = program("gnome-shell")
  /// A small stacking compositor.
  public static let labwc = program("labwc")
  /// KDE's compositor.
  public static let kwin = program("kwin_wayland")
  /// KDE's compositor and portal.
  public static let kdePortal = Requirement(
    "KDE's portal is not installed",
    trying: """
      command -v kwin_wayland && cd /usr/share/dbus-1/services &&
        ls org.freedesktop.impl.portal.desktop.kde.service org.freedesktop.portal.Desktop.service
      """)
  /// The settings schema of GNOME's own shortcuts.
  public static let gnomeShortcuts = Requirement(
    "gnome-settings-daemon is not installed",
    trying: "ls /usr/share/glib-2.0/schemas/org.gnome.settings-daemon.plugins.media-keys.gschema.xml")

  private static func program(_ name: String) -> Requirement {
    Requirement("\(name) is not installed", trying: "command -v \(name)")
  }

  /// Runs a shell script, which succeeds if the requirement is met.
  private init(_ reason: String, trying script: String) {
    description = reason
    isMet = succeeds(
      ["/bin/sh", "-c", script],
      environment: [
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "TMPDIR": NSTemporaryDirectory(),
      ])
  }
}
