import Foundation
import TestSupport
import Testing

/// The program in a sandbox that allows only what the Flatpak manifest allows.
@Suite(.enabled(if: Requirement.sandboxes.isMet, "\(Requirement.sandboxes)"))
struct FlatpakTests {
  @Test func `the sandboxed program captures, copies and keeps a text`() async throws {
    try await VirtualDesktop.with { desktop in
      let scene = Scene(desktop: desktop, app: try await Self.launch(on: desktop))
      for text in ["older", "newest"] { try await scene.capture(text) }
      try await desktop.press("Home", "Down", "Return")
      try await scene.expectClipboard("older")
      #expect(try await scene.history.texts() == ["newest", "older"])
      // No history exists outside the sandbox's folder.
      #expect(!FileManager.default.fileExists(atPath: desktop.home.dataHome + "/copypasta"))
      try await Self.quit(scene)
      let again = Scene(desktop: desktop, app: try await Self.launch(on: desktop))
      #expect(try await again.history.texts() == ["newest", "older"])
      try await Self.quit(again)
    }
  }

  @Test func `the portal's shortcut hides and shows the sandboxed program's window`() async throws {
    try await VirtualDesktop.with(.wayland) { desktop in
      let portal = try await TestPortal.start(on: desktop).program
      let scene = Scene(
        desktop: desktop, app: try await Self.launch(on: desktop, with: "shortcut='<Control><Super>v'"))
      try await portal.waitUntil("the shortcut bound") { $0.contains("BindShortcuts") }
      try await waitUntil("the window hidden by the shortcut") {
        portal.signal(SIGUSR1)
        return try await eventually(within: Scene.timeOfOnePress) { try await scene.shownWindow() == nil }
      }
      portal.signal(SIGUSR1)
      try await scene.waitUntilActive()
      try await Self.quit(scene)
    }
  }

  // MARK: Helpers

  private static let sandbox = Fixture.path("sandbox.py")

  /// Ends the program with `--quit`, because a signal would kill the sandbox together with the program.
  private static func quit(_ scene: Scene) async throws {
    let quit = try await scene.desktop.run([sandbox, CopyPasta.programPath, "--quit"])
    #expect(quit.exit == .code(0) && quit.errors == "")
    #expect(try await scene.app.program.waitForExit() == .code(0))
    #expect(scene.app.errors == "")
  }

  private static func home(on desktop: VirtualDesktop) -> String {
    "\(desktop.home.path)/.var/app/\(CopyPasta.applicationID)"
  }

  private static func launch(
    on desktop: VirtualDesktop, with setting: String = "shortcut=''"
  ) async throws -> CopyPasta {
    let folder = home(on: desktop) + "/config/glib-2.0/settings"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try "[org/copypasta/CopyPasta]\n\(setting)\n".write(
      toFile: folder + "/keyfile", atomically: true, encoding: .utf8)
    // Put the schemas where an installed program finds them, because the tests' own folder is outside the sandbox.
    let schemas =
      (CopyPasta.programPath as NSString).deletingLastPathComponent + "/share/glib-2.0/schemas"
    try await compileSettingsSchemas(Fixture.checkout + "/data", into: schemas)
    return try await CopyPasta.launch(
      on: desktop, through: [sandbox],
      environment: ["XDG_DATA_HOME": home(on: desktop) + "/data"])
  }
}
