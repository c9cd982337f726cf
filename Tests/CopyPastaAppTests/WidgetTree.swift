import CGtk
import ClipHistory
import GtkKit
import GtkTestSupport

@testable import CopyPastaApp

/// Opens the display of the tests, on which all windows have the program's style.
@MainActor
func openDisplay() async throws {
  try await TestDisplay.open()
  _ = ProgramStyle.ofTests
}

extension ProgramStyle {
  /// Never released, because that would change the sizes of the widgets of other tests, at any moment.
  static let ofTests = ProgramStyle()
}

/// A widget and all its descendants that have the given type, in GTK's order.
@MainActor
func widgets(
  _ type: GType = gtk_widget_get_type(), in widget: UnsafeMutablePointer<GtkWidget>
) -> [UnsafeMutablePointer<GtkWidget>] {
  var found = copypasta_is_a(widget, type) != 0 ? [widget] : []
  var next = gtk_widget_get_first_child(widget)
  while let child = next {
    found += widgets(type, in: child)
    next = gtk_widget_get_next_sibling(child)
  }
  return found
}

/// The texts of a widget's labels, in GTK's order.
@MainActor
func labelTexts(in widget: UnsafeMutablePointer<GtkWidget>) -> [String] {
  widgets(gtk_label_get_type(), in: widget).map { String(cString: gtk_label_get_text(OpaquePointer($0))) }
}

/// All windows of this process.
@MainActor
func toplevels() -> [UnsafeMutablePointer<GtkWidget>] {
  let all = gtk_window_get_toplevels()
  return (0..<g_list_model_get_n_items(all)).compactMap { position in
    guard let item = g_list_model_get_object(all, position) else { return nil }
    defer { g_object_unref(item) }
    return UnsafeMutableRawPointer(item).assumingMemoryBound(to: GtkWidget.self)
  }
}

extension AppServices {
  /// The services of a program that saves no state, with one shortcut backend.
  @MainActor
  static func keepingNothing(
    at location: HistoryLocation = HistoryLocation(folder: "/proc/none"),
    _ way: FakeShortcut, on windowSystem: any WindowSystem = makeWindowSystem(),
    preferences: Preferences? = nil,
    now: @escaping @Sendable () -> Int64 = { 0 }, clock: (@Sendable () -> ClockReading)? = nil
  ) -> AppServices {
    let preferences = preferences ?? Preferences(schema: nil)
    return AppServices(
      windowSystem: windowSystem, location: location,
      windowState: KeyFile(path: "/proc/none", group: "window"),
      hints: Hints(keptIn: KeyFile(path: "/proc/none", group: "hints")),
      now: now, clock: clock,
      preferences: { preferences }, shortcuts: { [way] })
  }
}
