import Foundation

/// A real tray host: xfce4-panel at the top of the screen, with only its tray.
///
///     let panel = try await TrayPanel.start(on: desktop)
///     try await panel.waitForIcon()
///     try await panel.clickIcon()
public final class TrayPanel: Sendable {
  /// The position of the first icon.
  private static let icon = Rectangle(x: 2, y: 6, width: 22, height: 24)
  /// A part of the icon's menu, which is drawn if the menu is open.
  private static let menu = Rectangle(x: 4, y: 44, width: 90, height: 70)

  private let desktop: VirtualDesktop

  private init(desktop: VirtualDesktop) { self.desktop = desktop }

  /// Starts the panel.
  public static func start(on desktop: VirtualDesktop) async throws -> TrayPanel {
    try await startSettings(on: desktop)
    _ = try desktop.start(["xfce4-panel", "--disable-wm-check"], environment: withoutFatalWarnings)
    return TrayPanel(desktop: desktop)
  }

  /// Waits until the panel shows an icon.
  public func waitForIcon() async throws {
    try await waitUntil("an icon in the tray") { try await isShown(Self.icon) }
  }

  /// Waits until the panel shows no icon.
  public func waitForNoIcon() async throws {
    try await waitUntil("no icon in the tray") { try await !isShown(Self.icon) }
  }

  /// Clicks on the icon with the primary button.
  public func clickIcon() async throws { try await click(button: 1) }

  /// Opens the icon's menu, and chooses the entry at a position, counted from 1, with the keyboard.
  ///
  /// No window may be visible in the area of the menu before the call.
  public func chooseFromMenu(entry: Int) async throws {
    try await click(button: 3)
    try await waitUntil("the icon's menu") { try await isShown(Self.menu) }
    for _ in 1...entry { try await desktop.press("Down") }
    try await desktop.press("Return")
    try await waitUntil("no menu") { try await !isShown(Self.menu) }
  }

  private func click(button: Int) async throws {
    // Wait as long as between quick clicks of a user, because presses within 60 ms count as one.
    try await Task.sleep(for: .milliseconds(150))
    try await desktop.click(
      x: Self.icon.x + Self.icon.width / 2, y: Self.icon.y + Self.icon.height / 2, button: button)
  }

  private func isShown(_ rectangle: Rectangle) async throws -> Bool {
    try await !Screenshot.take(on: desktop).isPlain(in: rectangle)
  }

  /// The panel's libraries print unrelated warnings, which must not end it.
  private static let withoutFatalWarnings = ["G_DEBUG": ""]

  /// Starts xfconf, from which the panel reads its settings.
  private static func startSettings(on desktop: VirtualDesktop) async throws {
    let folder = desktop.home.configHome + "/xfce4/xfconf/xfce-perchannel-xml"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Fixture.path("xfce4-panel.xml"), toPath: folder + "/xfce4-panel.xml")
    _ = try desktop.start(
      ScratchHome.command(ofService: "org.xfce.Xfconf"), environment: withoutFatalWarnings)
    try await desktop.run(["gdbus", "wait", "--session", "--timeout=20", "org.xfce.Xfconf"]).succeeded()
  }
}
