import CGtk
import Glibc

/// Functions that are looked up by name at run time; nil if the library lacks them.
///
/// CopyPasta must compile with the headers of GTK 4.8. These functions were added later, or belong to backends that a
/// build of GTK may lack. Their signatures have not changed since they were added.
@MainActor
enum RuntimeSymbols {
  /// `gtk_list_view_scroll_to` (4.12); parameters: list, position, flags, scroll info.
  static let listViewScrollTo = function(
    "gtk_list_view_scroll_to", as: (@convention(c) (OpaquePointer, guint, guint, OpaquePointer?) -> Void).self
  )
  /// `GTK_LIST_SCROLL_FOCUS`.
  static let listScrollFocus: guint = 1

  /// `gtk_accessible_announce` (4.14); parameters: accessible, message, priority.
  static let accessibleAnnounce = function(
    "gtk_accessible_announce", as: (@convention(c) (OpaquePointer, UnsafePointer<CChar>, guint) -> Void).self)
  /// `GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM`.
  static let mediumPriority: guint = 1

  /// `gtk_accessible_update_platform_state` (4.18); parameters: accessible, state that may have changed.
  static let accessibleUpdatePlatformState = function(
    "gtk_accessible_update_platform_state", as: (@convention(c) (OpaquePointer, guint) -> Void).self)
  /// `GTK_ACCESSIBLE_PLATFORM_STATE_ACTIVE`.
  static let activeState: guint = 2

  /// Looks up a function; `Function` must be its C type.
  static func function<Function>(
    _ name: String, as type: Function.Type = Function.self
  ) -> Function? {
    dlsym(nil, name).map { unsafeBitCast($0, to: type) }
  }
}
