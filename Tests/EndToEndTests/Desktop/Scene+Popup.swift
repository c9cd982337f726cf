import TestSupport
import Testing

extension Scene {
  /// How long a press of the shortcut is given before it counts as one that came too early, and is repeated: a press that
  /// is only late would undo the one that follows it.
  static let timeOfOnePress = Duration.seconds(10)

  /// Opens a window of another program, hides the program's own, and returns once the other one has the focus.
  ///
  /// The program stays, as if a tray icon or a shortcut kept it.
  func hideBehindOtherWindow() async throws -> DesktopWindow {
    let other = try await openOtherWindow()
    try await toggle()
    try await waitUntilActive()
    // An offer of its own keeps it.
    try await desktop.press("Home", "Return")
    try await waitUntil("an offer") { try await desktop.paste() != nil }
    try await toggle()
    try await waitUntil("the other window active") { try await other.isActive() }
    return other
  }

  /// Shows or hides the window as `--toggle` does.
  func toggle() async throws {
    let result = try await desktop.copypasta("--toggle")
    #expect(result.exit == .code(0) && result.errors == "", "\(result)")
  }

  /// Has the desktop run `--toggle` for the key that `toggleByKey` presses; ShortcutTests press the program's own on X11,
  /// KDETests that of KDE's portal.
  func bindToggleKey() async throws {
    let command = [CopyPasta.programPath, "--toggle"]
    switch desktop.kind {
    case .x11, .kde: break
    case .wayland: try await desktop.bindInSway("ctrl+super+v", to: command)
    case .gnome: try await desktop.bindInGnome("<Control><Super>v", to: command)
    case .labwc: try desktop.bindInLabwc(to: command)
    }
  }

  /// Shows or hides the window by that key.
  func toggleByKey() async throws {
    if [.x11, .kde].contains(desktop.kind) { return try await toggle() }
    try await desktop.press("ctrl+super+v")
  }

  /// The program's window; nil while it is hidden.
  func shownWindow() async throws -> DesktopWindow? {
    try await desktop.window(ofClass: CopyPasta.applicationID)
  }

  /// Waits until the program's window has the focus, and knows it.
  func waitUntilActive(_ when: String = "") async throws {
    try await waitUntil("the window active \(when)") {
      try await "\(shownWindow() == nil ? "hidden" : "shown"), “\(activeTitle() ?? "nothing")” active"
    } _: {
      try await CopyPasta.readyWindow(on: desktop)?.showsReading() == true
    }
  }

  /// The title of the window that has the focus.
  func activeTitle() async throws -> String? { try await desktop.activeWindow()?.title() }
}
