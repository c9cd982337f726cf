import Foundation
import GtkKit
import TestSupport

/// The display for the widgets of a test process, which GTK can open only once.
@MainActor
public enum TestDisplay {
  /// Suites run beside each other: all wait for the one that comes first.
  private static let desktop = Task { @MainActor in
    let desktop = try await VirtualDesktop.start(windowManager: nil)
    for (name, value) in desktop.environment { setenv(name, value, 1) }
    keepSettingsInMemory()
    Display.preferFastStart()
    guard Display.open() else { throw TestSupportError("GTK cannot open the display of the tests") }
    return desktop
  }

  /// Opens it, unless it is open.
  public static func open() async throws { _ = try await desktop.value }
}

/// Keeps the settings of this process in memory, not among the user's own.
///
/// The first settings that a process makes say where all of them are kept: whatever makes some calls this before.
public func keepSettingsInMemory() { setenv("GSETTINGS_BACKEND", "memory", 1) }
