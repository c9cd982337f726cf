import Foundation
import TestSupport
import Testing

/// The window as the desktop sees it.
@Suite struct WindowTests {
  @Test func `it has its title and its class`() async throws {
    try await Scene.run { scene in
      #expect(try await scene.app.window.title() == "CopyPasta")
      let answer = try await scene.desktop.run(["xprop", "-id", "\(scene.app.window.id)", "WM_CLASS"]).text
      #expect(answer.hasSuffix("\"\(CopyPasta.applicationID)\""))
    }
  }

  /// A theme whose icons are SVGs only needs those libraries all the same.
  @Test(.enabled(if: Self.themeHasPictures, "the theme has its icons as SVG only"))
  func `an installed program shows its icon without what draws an SVG`() async throws {
    let installed = try TemporaryFolder()
    let program = installed.path + "/copypasta"
    // A program that this process had open for writing could not be started while it starts another one.
    for command in [
      ["cp", CopyPasta.programPath, program],
      [Fixture.checkout + "/meson-helpers/internal/stage", installed.path],
    ] {
      let result = try await Program.run(command, environment: ["PATH": "/usr/bin:/bin"])
      #expect(result.exit == .code(0) && result.errors == "")
    }
    try await VirtualDesktop.with { desktop in
      let app = try desktop.start([program])
      let window = try await waitFor("a window") {
        if let exit = app.exit { throw TestSupportError("\(exit): \(app.errors)") }
        return try await CopyPasta.readyWindow(on: desktop)
      }
      try await waitUntil("the window's icon") {
        let icon = try await desktop.run(["xprop", "-id", "\(window.id)", "-len", "4", "_NET_WM_ICON"])
        return icon.text.hasPrefix("_NET_WM_ICON(CARDINAL)")
      }
      let maps = try await desktop.run(["cat", "/proc/\(app.processID)/maps"]).text
      #expect(maps.contains("libgdk_pixbuf") && !maps.contains("svg"))
      #expect(try await app.stop(grace: generousLimit) == .code(0))
      #expect(app.errors == "")
    }
  }

  private static let themeHasPictures = FileManager.default.fileExists(
    atPath: "/usr/share/icons/Adwaita/16x16/actions/open-menu-symbolic.symbolic.png")

  @Test func `the title says nothing of a clip`() async throws {
    try await Scene.run { scene in
      try await scene.capture("nothing for a title")
      try await scene.waitForFirstRow()
      #expect(try await scene.app.window.title() == "CopyPasta")
    }
  }

  @Test(arguments: [true, false])
  func `its size is remembered over a relaunch`(closedByTheUser: Bool) async throws {
    try await Scene.run { scene in
      let resized = try await scene.desktop.run(
        ["wmctrl", "-i", "-r", "\(scene.app.window.id)", "-e", "0,-1,-1,700,500"])
      #expect(resized.exit == .code(0))
      try await waitUntil("the window resized") { try await scene.hasSize(700, 500) }
      // Drawn at its new size, it knows it.
      _ = try await scene.settledScreenshot()
      if closedByTheUser {
        try await scene.app.window.close()
        #expect(try await scene.app.program.waitForExit() == .code(0))
      }
      try await scene.end()
      let again = try await scene.relaunch()
      #expect(try await eventually { try await again.hasSize(700, 500) })
      try await again.end()
    }
  }

  @Test func `the mark in the header says whether it reads`() async throws {
    try await Scene.run { scene in
      #expect(try await eventually { try await scene.isMarkGreen() })
      _ = try await scene.desktop.openOtherWindow()
      #expect(try await eventually { try await !scene.isMarkGreen() })
      try await scene.app.window.activate()
      #expect(try await eventually { try await scene.isMarkGreen() })
    }
  }

  @Test func `a second launch presents the window of the first`() async throws {
    try await Scene.run { scene in
      _ = try await scene.desktop.openOtherWindow()
      try await scene.app.window.activate()
      try await scene.app.window.minimise()
      let second = try await scene.desktop.run([CopyPasta.programPath])
      #expect(second.exit == .code(0))
      #expect(second.errors == "")
      try await waitUntil("the window presented") {
        guard try await scene.app.window.isVisible() else { return false }
        return try await scene.app.window.isActive()
      }
      let windows = try await scene.desktop.run(["wmctrl", "-lx"]).text
      #expect(windows.split(separator: "\n").count { $0.contains(CopyPasta.applicationID) } == 1)
      try await scene.capture("after")
    }
  }

  @Test func `an idle window uses no processor time`() async throws {
    try await Scene.run { scene in
      for text in ["one", "two", "three"] { try await scene.capture(text) }
      try await scene.waitForFirstRow()
      _ = try await scene.settledScreenshot()
      let before = try #require(scene.app.program.processorTime)
      // A measurement over time, which nothing but time can end.
      try await Task.sleep(for: .seconds(3))
      let after = try #require(scene.app.program.processorTime)
      #expect(after - before < .milliseconds(100))
    }
  }
}

extension Scene {
  fileprivate func hasSize(_ width: Int, _ height: Int) async throws -> Bool {
    let frame = try await app.window.frame()
    return frame.width == width && frame.height == height
  }

  /// Whether something green is at the left of the header.
  fileprivate func isMarkGreen() async throws -> Bool {
    let picture = try await screenshot()
    return (8..<90).contains { x in
      (8..<45).contains { y in
        let colour = picture.colour(x: x, y: y)
        return colour.green > colour.red + 60
      }
    }
  }
}
