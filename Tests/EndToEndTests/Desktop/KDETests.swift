import TestSupport
import Testing

/// The shortcut granted by KDE's real portal, which asks the user from KDE 6.4 on.
///
/// The suites for all desktops run on KDE as well.
@Suite(.keepsPictures, .enabled(if: Requirement.kdePortal.isMet, "\(Requirement.kdePortal)"), .tags(.popsUp))
struct KDETests {
  @Test func `on KDE, the shortcut works after a restart without another dialog`() async throws {
    try await KDEScene.runDesktop { desktop in
      let scene = try await KDEScene(on: desktop, asks: VirtualDesktop.portalAsksForShortcuts())
      for round in 1...Scene.rounds { try await scene.use("round \(round)") }
      try await scene.end()
      let again = try await KDEScene(on: desktop, asks: false)
      try await again.use()
      try await again.end()
    }
  }
}

/// The hidden program, which holds its shortcut while another program's window has the focus.
private struct KDEScene {
  let desktop: VirtualDesktop
  private let program: Program

  /// Starts the program, and returns once it holds its shortcut.
  ///
  /// - Parameter asks: whether KDE asks the user first; if so, the test accepts the shortcut.
  init(on desktop: VirtualDesktop, asks: Bool) async throws {
    self.desktop = desktop
    let program = try desktop.start([CopyPasta.programPath, "--background"])
    self.program = program
    if asks { try await desktop.acceptShortcut() }
    try await waitUntil("a shortcut held") {
      if let exit = program.exit { throw TestSupportError("\(exit): \(program.errors)") }
      return try await desktop.holdsKDEShortcut(of: "copypasta")
    }
  }

  /// Runs a test on a private desktop with KDE's portals and a focused window of another program.
  static func runDesktop(_ body: (VirtualDesktop) async throws -> Void) async throws {
    try await VirtualDesktop.with(.kde) { desktop in
      try await desktop.startKDEPortals()
      try desktop.home.set(["shortcut": "'<Control><Super>v'"])
      try await desktop.openOtherWindow()
      try await body(desktop)
    }
  }

  /// Shows the window with the shortcut and hides it again; expects one window and no KDE dialog.
  func use(_ when: String = "") async throws {
    try await desktop.press("ctrl+super+v")
    try await waitUntil("the window active \(when)") {
      try await CopyPasta.readyWindow(on: desktop)?.showsReading() == true
    }
    try await desktop.expectOneWindow()
    #expect(try await desktop.windowCount(ofClass: VirtualDesktop.portalQuestion) == 0)
    try await waitUntil("the other window alone \(when)") {
      // The indicator is drawn before the program has the focus, and until then a press counts as a key repeat.
      try await desktop.press("ctrl+super+v")
      return try await eventually(within: .seconds(3)) { try await desktop.isOnlyWindow("wev") }
    }
  }

  /// Stops the program, expects status 0 and no output, and waits until KDE has released the shortcut.
  func end() async throws {
    #expect(try await program.stop(grace: generousLimit) == .code(0))
    #expect(program.errors == "")
    try await waitUntil("the shortcut released") { try await !desktop.holdsKDEShortcut(of: "copypasta") }
  }
}

extension VirtualDesktop {
  /// Whether this application's window has the focus while CopyPasta and KDE's portal show no window.
  fileprivate func isOnlyWindow(_ application: String) async throws -> Bool {
    for other in [CopyPasta.applicationID, Self.portalQuestion] {
      if try await windowCount(ofClass: other) > 0 { return false }
    }
    return try await window(ofClass: application)?.isActive() == true
  }

  /// Waits for the portal's dialog and accepts the shortcut.
  fileprivate func acceptShortcut() async throws {
    try await waitUntil("the question") {
      try await window(ofClass: Self.portalQuestion)?.isActive() == true
    }
    try await waitUntil("the question answered") {
      try await press("Return")
      // A dialog that is still opening may miss the key, so press the key again.
      return try await eventually(within: .seconds(3)) { try await isOnlyWindow("wev") }
    }
  }
}
