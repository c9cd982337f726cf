/// What keys do in the history: the one table of them.
///
/// Arrows, Page Up, Page Down, Home and End are the list view's own; Control with a digit is `Widget.onControlDigit`.
enum HistoryKey: CaseIterable {
  // With the row in focus.
  case copy, copyAndDelete, delete, menu
  // Anywhere in the window.
  case undo, paste, close

  /// The keys in GTK's words, the one to tell of first.
  var triggers: [String] {
    switch self {
    case .copy:
      ["Return", "KP_Enter", "ISO_Enter", "space", "KP_Space", "<Control>c", "<Control>Insert"]
    case .copyAndDelete: ["<Control>x", "<Shift>Delete", "<Shift>KP_Delete"]
    case .delete: ["Delete", "KP_Delete"]
    case .menu: ["Menu", "<Shift>F10"]
    case .undo: ["<Control>z"]
    case .paste: ["<Control>v", "<Shift>Insert", "<Shift>KP_Insert"]
    case .close: ["Escape"]
    }
  }
}
