import Foundation

/// A tray host as users have one: xfce4-panel at the top of the screen, with nothing on it but its tray.
///
///     let panel = try await TrayPanel.start(on: desktop)
///     try await panel.waitForIcon()
///     try await panel.clickIcon()
public final class TrayPanel: Sendable {
  /// Where the first icon is.
  private static let icon = Rectangle(x: 2, y: 6, width: 22, height: 24)
  /// A part of the menu below the icon, which is longer than its words.
  private static let menu = Rectangle(x: 4, y: 44, width: 90, height: 70)

  private let desktop: VirtualDesktop
  private let program: Program

  private init(desktop: VirtualDesktop, program: Program) {
    self.desktop = desktop
    self.program = program
  }

  /// Starts the panel, for the first time or again.
  public static func start(on desktop: VirtualDesktop) async throws -> TrayPanel {
    try await startSettings(on: desktop)
    let program = try desktop.start(["xfce4-panel", "--disable-wm-check"], environment: withoutFatalWarnings)
    return TrayPanel(desktop: desktop, program: program)
  }

  /// Ends the panel, and returns once it is gone.
  public func stop() async throws { try await program.stop() }

  /// Waits until the panel shows an icon.
  public func waitForIcon() async throws {
    try await waitUntil("an icon in the tray\n\(program.errors)") { try await isShown(Self.icon) }
  }

  /// Waits until the panel shows no icon.
  public func waitForNoIcon() async throws {
    try await waitUntil("no icon in the tray") { try await !isShown(Self.icon) }
  }

  /// Clicks on the icon with the primary button.
  public func clickIcon() async throws { try await click(button: 1) }

  /// Opens the icon's menu, and chooses the entry at a position, from 1, by the keyboard.
  ///
  /// Nothing else may be where the menu comes up.
  public func chooseFromMenu(entry: Int) async throws {
    try await click(button: 3)
    try await waitUntil("the icon's menu") { try await isShown(Self.menu) }
    for _ in 1...entry { try await desktop.press("Down") }
    try await desktop.press("Return")
    try await waitUntil("no menu") { try await !isShown(Self.menu) }
  }

  private func click(button: Int) async throws {
    // As fast as a user can: what comes within less than 60 ms is taken for one press.
    try await Task.sleep(for: .milliseconds(150))
    try await desktop.click(
      x: Self.icon.x + Self.icon.width / 2, y: Self.icon.y + Self.icon.height / 2, button: button)
  }

  private func isShown(_ rectangle: Rectangle) async throws -> Bool {
    try await !Screenshot.take(on: desktop).isPlain(in: rectangle)
  }

  /// The panel's libraries warn of much that is not ours.
  private static let withoutFatalWarnings = ["G_DEBUG": ""]

  /// Starts what the panel has its settings from, unless it runs already.
  private static func startSettings(on desktop: VirtualDesktop) async throws {
    let folder = desktop.home.configHome + "/xfce4/xfconf/xfce-perchannel-xml"
    guard !FileManager.default.fileExists(atPath: folder) else { return }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Fixture.path("xfce4-panel.xml"), toPath: folder + "/xfce4-panel.xml")
    _ = try desktop.start(
      ScratchHome.command(ofService: "org.xfce.Xfconf"), environment: withoutFatalWarnings)
    try await desktop.run(["gdbus", "wait", "--session", "--timeout=20", "org.xfce.Xfconf"]).succeeded()
  }
}
