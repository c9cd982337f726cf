import Foundation
import GtkKit
import TestSupport

/// One display for the widgets of a test process, which GTK can open only once.
@MainActor
public enum TestDisplay {
  /// Suites run beside each other: all wait for the one that comes first.
  private static let desktop = Task { @MainActor in
    let desktop = try await VirtualDesktop.start(windowManager: nil)
    for (name, value) in desktop.environment { setenv(name, value, 1) }
    // Tests of settings run beside this, and the first settings of a process say where all of them are kept.
    setenv("GSETTINGS_BACKEND", "memory", 1)
    Display.preferFastStart()
    guard Display.open() else { throw TestSupportError("GTK cannot open the display of the tests") }
    return desktop
  }

  /// Opens it, unless it is open.
  public static func open() async throws { _ = try await desktop.value }
}
