import TestSupport
import Testing

extension Scene {
  /// How long a press of the shortcut may take before the test repeats it.
  ///
  /// The time is generous: if the first press is only late, the second press undoes the effect of the first.
  static let timeOfOnePress = Duration.seconds(10)

  /// Opens another program's window and hides CopyPasta; returns once the other window has the focus.
  ///
  /// The program keeps running, as if a tray icon or a shortcut required it.
  func hideBehindOtherWindow() async throws -> DesktopWindow {
    let other = try await openOtherWindow()
    #expect(try await shownWindow() != nil, "a launched window stays visible when it loses the focus")
    // The toggle raises the window to the front.
    try await toggle()
    try await waitUntilActive()
    // The program keeps running because it owns the clipboard.
    try await desktop.press("Home", "Return")
    try await waitUntil("the other window active") { try await other.isActive() }
    try await waitUntil("the text offered") { try await desktop.paste() != nil }
    return other
  }

  /// Shows or hides the window with `--toggle`.
  func toggle() async throws {
    let result = try await desktop.copypasta("--toggle")
    #expect(result.exit == .code(0) && result.errors == "", "\(result)")
  }

  /// Binds the key of `toggleByKey` to `--toggle` in the desktop.
  ///
  /// X11 and KDE are left out: ShortcutTests and KDETests press the program's own shortcut there.
  func bindToggleKey() async throws {
    let command = [CopyPasta.programPath, "--toggle"]
    switch desktop.kind {
    case .x11, .kde: break
    case .wayland: try await desktop.bindInSway("ctrl+super+v", to: command)
    case .gnome: try await desktop.bindInGnome("<Control><Super>v", to: command)
    case .labwc: try desktop.bindInLabwc(to: command)
    }
  }

  /// Shows or hides the window with the key of `bindToggleKey`.
  func toggleByKey() async throws {
    if [.x11, .kde].contains(desktop.kind) { return try await toggle() }
    try await desktop.press("ctrl+super+v")
  }

  /// The program's window; nil while it is hidden.
  func shownWindow() async throws -> DesktopWindow? {
    try await desktop.window(ofClass: CopyPasta.applicationID)
  }

  /// Waits until the program's window has the focus and the program has noticed.
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
