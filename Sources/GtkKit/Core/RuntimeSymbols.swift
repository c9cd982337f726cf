import CGtk
import Glibc

/// Functions that are looked up by their names as the program runs; nil if the library that it runs on lacks them.
///
/// These are functions that GTK has gained since 4.8, with whose headers CopyPasta is built, and functions of a backend
/// that GTK may be built without. Each function has had its signature since it came.
@MainActor
enum RuntimeSymbols {
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

  /// `gtk_accessible_update_platform_state` (4.18): what has the state, and which state may have changed.
  static let accessibleUpdatePlatformState = function(
    "gtk_accessible_update_platform_state", as: (@convention(c) (OpaquePointer, guint) -> Void).self)
  /// `GTK_ACCESSIBLE_PLATFORM_STATE_ACTIVE`.
  static let activeState: guint = 2

  /// The function of a name; `Function` has to be its type in C.
  static func function<Function>(
    _ name: String, as type: Function.Type = Function.self
  ) -> Function? {
    dlsym(nil, name).map { unsafeBitCast($0, to: type) }
  }
}
