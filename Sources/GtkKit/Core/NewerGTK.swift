import CGtk
import Glibc

/// What GTK has gained since 4.8, with whose headers CopyPasta is built; nil where the library that it runs on is older.
///
/// Each function is looked up by its name, and has had its signature since it came.
@MainActor
enum NewerGTK {
  /// `gtk_list_view_scroll_to` (4.12): the list, a position, flags, and how to scroll.
  static let listViewScrollTo = function(
    "gtk_list_view_scroll_to", as: (@convention(c) (OpaquePointer, guint, guint, OpaquePointer?) -> Void).self
  )
  /// `GTK_LIST_SCROLL_FOCUS`.
  static let listScrollFocus: guint = 1

  /// `gtk_accessible_announce` (4.14): what says it, the words, and how urgent they are.
  static let accessibleAnnounce = function(
    "gtk_accessible_announce", as: (@convention(c) (OpaquePointer, UnsafePointer<CChar>, guint) -> Void).self)
  /// `GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM`.
  static let mediumPriority: guint = 1

  private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    dlsym(nil, name).map { unsafeBitCast($0, to: type) }
  }
}
