import CGtk
import Glibc

/// Scrolling as GTK knows it from 4.12 on, looked up at run time.
enum ListScrolling {
  private typealias ScrollTo = @convention(c) (OpaquePointer, guint, guint, OpaquePointer?) -> Void

  /// Brings a row into view and gives it the keyboard; answers false where GTK is older.
  ///
  /// From 4.12 on a row that has just come has no widget yet, which could have it.
  @MainActor
  static func focus(gtkListView list: OpaquePointer, _ position: Int) -> Bool {
    guard let symbol = dlsym(nil, "gtk_list_view_scroll_to") else { return false }
    let focusFlag: guint = 1
    // The symbol has had this signature since it came, in 4.12.
    unsafeBitCast(symbol, to: ScrollTo.self)(list, guint(position), focusFlag, nil)
    return true
  }
}
