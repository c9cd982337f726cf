import Foundation
import TestSupport
import Testing

/// The shortcut that KDE's real portal gives the program, after a question from KDE 6.4 on.
///
/// The suites of every desktop run on KDE, too.
@Suite(
  .enabled(
    if: VirtualDesktop.missingForKDEPortal.isEmpty,
    "KDE is not here: no \(VirtualDesktop.missingForKDEPortal.joined(separator: ", "))")
)
struct KDETests {
  @Test func `the shortcut works after a restart without another question`() async throws {
    try await KDEScene.runDesktop { desktop in
      let scene = try await KDEScene(on: desktop, asks: VirtualDesktop.portalAsksForShortcuts())
      for round in 1...Scene.rounds { try await scene.use("round \(round)") }
      try await scene.end()
      let again = try await KDEScene(on: desktop, asks: false)
      try await again.use()
      try await again.end()
    }
  }

  @Test(.enabled("it asks from 6.4 on") { try VirtualDesktop.portalAsksForShortcuts() })
  func `a refusal is remembered at the next start, and keys set in KDE's settings work`() async throws {
    try await KDEScene.runDesktop { desktop in
      let calls = try desktop.start(
        ["dbus-monitor"]
          + ["GlobalShortcuts", "Session"].map { "type=method_call,interface=org.freedesktop.portal.\($0)" })
      func count(_ method: String) -> Int { calls.lines.count { $0.hasSuffix("member=\(method)") } }
      for start in 1...2 {
        let program = try desktop.start([CopyPasta.programPath, "--background"])
        if start == 1 { try await desktop.answerPortal(with: "Escape") }
        try await waitUntil("session \(start) closed") { count("Close") == start }
        let no = desktop.home.stateHome + "/copypasta/shortcut.ini"
        try await waitUntil("a no that is kept") { FileManager.default.fileExists(atPath: no) }
        #expect(count("BindShortcuts") == 1)
        #expect(try await desktop.isOnlyWindow("wev"))
        #expect(try await program.stop(grace: generousLimit) == .code(0))
        #expect(program.errors == "")
      }
      try await desktop.setKDEShortcut(of: CopyPasta.applicationID, action: "toggle-history")
      let scene = try await KDEScene(on: desktop, asks: false)
      try await scene.use()
      try await scene.end()
    }
  }
}

/// The program, hidden, its shortcut held, while another program's window has the focus.
private struct KDEScene {
  let desktop: VirtualDesktop
  private let program: Program

  /// Starts the program, and returns once it has its shortcut.
  ///
  /// - Parameter asks: whether KDE asks for it first, and is told yes.
  init(on desktop: VirtualDesktop, asks: Bool) async throws {
    self.desktop = desktop
    let program = try desktop.start([CopyPasta.programPath, "--background"])
    self.program = program
    if asks { try await desktop.answerPortal(with: "Return") }
    try await waitUntil("a shortcut held") {
      if let exit = program.exit { throw TestSupportError("\(exit): \(program.errors)") }
      return try await desktop.holdsKDEShortcut(of: "copypasta")
    }
  }

  /// Runs a test on a desktop of its own with the portals, where another program's window has the focus.
  static func runDesktop(_ body: (VirtualDesktop) async throws -> Void) async throws {
    try await VirtualDesktop.with(.kde) { desktop in
      try await desktop.startKDEPortals()
      try desktop.home.set(["shortcut": "'<Control><Super>v'"])
      try await desktop.openOtherWindow()
      try await body(desktop)
    }
  }

  /// Presses the shortcut, with which the window has the focus, and presses it again, with which the other window is
  /// alone; nothing else is on the screen, neither a second window, nor a question of KDE's.
  func use(_ when: String = "") async throws {
    try await desktop.press("ctrl+super+v")
    // Before it knows that it is active, a press counts as a repetition of the one that showed it.
    try await waitUntil("the window active \(when)") {
      try await CopyPasta.readyWindow(on: desktop)?.showsReading() == true
    }
    try await desktop.expectOneWindow()
    #expect(try await desktop.windowCount(ofClass: VirtualDesktop.portalQuestion) == 0)
    try await desktop.press("ctrl+super+v")
    try await waitUntil("the other window alone \(when)") { try await desktop.isOnlyWindow("wev") }
  }

  /// Ends the program, with status 0, and without a word of GTK or its own; returns once KDE has its shortcut back.
  func end() async throws {
    #expect(try await program.stop(grace: generousLimit) == .code(0))
    #expect(program.errors == "")
    try await waitUntil("the shortcut given back") { try await !desktop.holdsKDEShortcut(of: "copypasta") }
  }
}

extension VirtualDesktop {
  /// Whether the window of this application has the focus, and neither the program nor KDE's portal has one.
  fileprivate func isOnlyWindow(_ application: String) async throws -> Bool {
    for other in [CopyPasta.applicationID, Self.portalQuestion] {
      if try await windowCount(ofClass: other) > 0 { return false }
    }
    return try await window(ofClass: application)?.isActive() == true
  }

  /// Waits for the portal's question, and answers it by a key.
  fileprivate func answerPortal(with key: String) async throws {
    try await waitUntil("the question") {
      try await window(ofClass: Self.portalQuestion)?.isActive() == true
    }
    try await waitUntil("the question answered") {
      try await press(key)
      // A dialog that is just coming up may miss a key, which a user presses again then.
      return try await eventually(within: .seconds(3)) { try await isOnlyWindow("wev") }
    }
  }
}
