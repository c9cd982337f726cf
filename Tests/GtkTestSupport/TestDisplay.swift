import Foundation
import GtkKit
import TestSupport

/// The display of a test process, which GTK can open only once.
@MainActor
public enum TestDisplay {
  /// Suites run concurrently, so they all wait for this task, which starts the display once.
  private static let desktop = Task { @MainActor in
    let desktop = try await VirtualDesktop.start(windowManager: nil)
    // Remove what would make GTK use the developer's locale, theme, scale or desktop.
    for name in ProcessInfo.processInfo.environment.keys
    where ["LC_", "LANGUAGE", "GTK_", "GDK_", "XDG_", "WAYLAND_"].contains(where: name.hasPrefix) {
      unsetenv(name)
    }
    for (name, value) in desktop.environment { setenv(name, value, 1) }
    keepSettingsInMemory()
    Display.preferFastStart()
    guard Display.open() else { throw TestSupportError("GTK cannot open the display of the tests") }
    return desktop
  }

  /// Opens the display, unless it is open.
  public static func open() async throws { _ = try await desktop.value }
}

/// Keeps this process's settings in memory, separate from the user's.
///
/// Call this before creating any settings object, because the first object determines the process's backend.
public func keepSettingsInMemory() { setenv("GSETTINGS_BACKEND", "memory", 1) }
