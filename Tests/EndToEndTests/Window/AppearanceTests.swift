import Foundation
import TestSupport
import Testing

/// The window follows the appearance settings of the desktop's portal immediately.
@Suite(.keepsPictures, .tags(.isAccessible)) struct AppearanceTests {
  /// A part of the list without text or pointer.
  private static let ground = Rectangle(x: 60, y: 400, width: 300, height: 100)
  private static let orange = "(0.9, 0.4, 0.0)"

  @Test(arguments: VirtualDesktop.Kind.all)
  func `the window follows the desktop's dark preference, and the next first frame remembers it`(
    kind: VirtualDesktop.Kind
  ) async throws {
    try await VirtualDesktop.with(kind) { desktop in
      let portal = try await TestPortal.start(["color-scheme": "uint32 1"], on: desktop)
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      try await scene.expectGround(isDark: true)
      try await portal.set("color-scheme", to: "uint32 0")
      try await scene.expectGround(isDark: false)
      // An invalid value counts as unset.
      try await portal.set("color-scheme", to: "'dark'")
      try await scene.expectGround(isDark: false)
      try await portal.set("color-scheme", to: "uint32 1")
      try await scene.expectGround(isDark: true)
      try await scene.end()
      // The next start remembers the preference, even if the portal hangs.
      portal.program.signal(SIGSTOP)
      let again = try await scene.relaunch()
      // Take the first picture without waiting.
      #expect(try await again.screenshot().average(in: Self.ground).isDark)
      portal.program.signal(SIGCONT)
      #expect(try await again.app.stop() == .code(0))
    }
  }

  @Test func `without a portal the first start follows GNOME's own setting`() async throws {
    try await VirtualDesktop.with { desktop in
      try desktop.home.set(["shortcut": "''"], desktop: ["color-scheme": "'prefer-dark'"])
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      let picture = try await scene.screenshot()
      #expect(picture.average(in: Self.ground).isDark)
      try desktop.home.set(["shortcut": "''"], desktop: ["color-scheme": "'default'"])
      try await scene.expectGround(isDark: false)
      try await scene.end()
    }
  }

  @Test func `the window follows the contrast preference and the accent colour`() async throws {
    try await VirtualDesktop.with { desktop in
      let portal = try await TestPortal.start([:], on: desktop)
      // An old clip, because the age of a new one changes during the test.
      try await Scene.fillHistory(with: ["one"], on: desktop)
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      try await scene.waitForFirstRow()
      try await scene.parkMouse()
      let usual = try await scene.settledScreenshot()
      try await portal.set("contrast", to: "uint32 1")
      // The digit of the first row, which is dim without high contrast.
      let digit = Rectangle(x: 425, y: 65, width: 35, height: 40)
      try await waitUntil("the digit drawn with more contrast") {
        try await !scene.screenshot().matches(usual, in: digit)
      }
      try await scene.expectGround(isDark: false)
      try await portal.set("color-scheme", to: "uint32 1")
      try await scene.expectGround(isDark: true)
      try await portal.set("contrast", to: "uint32 0")
      try await portal.set("color-scheme", to: "uint32 2")
      try await waitUntil("the digit drawn as before") {
        try await scene.screenshot().matches(usual, in: digit)
      }
      try await portal.set("accent-color", to: Self.orange)
      try await scene.expectTint { $0.red > $0.blue + 15 }
      // A colour out of range counts as unset, and the theme's own accent is blue.
      try await portal.set("accent-color", to: "(2.0, 0.0, 0.0)")
      try await scene.expectTint { $0.blue > $0.red + 15 }
      try await scene.end()
    }
  }

  /// GTK 3 desktops still set this name, which GTK 4 no longer knows.
  @Test func `the theme name HighContrastInverse selects the dark variant of high contrast`() async throws {
    try await VirtualDesktop.with { desktop in
      let right = Scene(
        desktop: desktop,
        app: try await CopyPasta.launch(on: desktop, environment: ["GTK_THEME": "Default:hc-dark"]))
      let ground = try await right.settledScreenshot().mostCommonColour(in: Self.ground)
      try await right.end()
      try desktop.home.setGTK(["gtk-theme-name": "HighContrastInverse"])
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      #expect(try await scene.settledScreenshot().mostCommonColour(in: Self.ground) == ground)
      try await scene.end()
    }
  }

  @Test func `a user's own theme overrides the portal's preferences`() async throws {
    try await VirtualDesktop.with { desktop in
      _ = try await TestPortal.start(
        ["color-scheme": "uint32 1", "contrast": "uint32 1", "accent-color": Self.orange], on: desktop)
      let folder = desktop.home.dataHome + "/themes/Mine/gtk-4.0"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let theme = """
        window, listview { background-color: rgb(10,200,30); color: black; }
        headerbar { min-height: 46px; }
        @define-color theme_selected_bg_color rgb(0,0,255);
        @define-color theme_text_color black;
        @define-color theme_base_color white;
        @define-color success_color green;
        @define-color warning_color orange;
        @define-color error_color red;
        @define-color borders gray;
        """
      try theme.write(toFile: folder + "/gtk.css", atomically: true, encoding: .utf8)
      try desktop.home.setGTK(["gtk-theme-name": "Mine"])
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      // Once the file exists, the program has received the portal's settings.
      let kept = desktop.home.stateHome + "/copypasta/appearance.ini"
      try await waitUntil("the portal's settings received") { FileManager.default.fileExists(atPath: kept) }
      let ground = try await scene.settledScreenshot().mostCommonColour(in: Self.ground)
      #expect(ground == Screenshot.Colour(red: 10, green: 200, blue: 30))
      try await scene.capture("tinted")
      try await scene.waitForFirstRow()
      try await scene.expectTint { $0.blue > $0.red + 30 }
      try await scene.end()
    }
  }
}

extension Scene {
  /// Waits until the list's background is dark, or light if `isDark` is false.
  func expectGround(isDark: Bool) async throws {
    var last: Screenshot.Colour?
    try await waitUntil("the ground \(isDark ? "dark" : "light")") {
      "\(String(describing: last))"
    } _: {
      last = try await screenshot().average(in: Rectangle(x: 60, y: 400, width: 300, height: 20))
      return last?.isDark == isDark
    }
  }

  /// Copies the newest row repeatedly until a tint that satisfies `isRight` is seen.
  fileprivate func expectTint(_ isRight: (Screenshot.Colour) -> Bool) async throws {
    var last: Screenshot.Colour?
    try await waitUntil("the tint", every: .milliseconds(1)) {
      "\(String(describing: last))"
    } _: {
      try await desktop.press("Home", "Return")
      last = try await screenshot().average(in: Rectangle(x: 250, y: 66, width: 120, height: 30))
      return last.map(isRight) == true
    }
  }
}

extension Screenshot.Colour {
  fileprivate var isDark: Bool { red + green + blue < 3 * 100 }
}
