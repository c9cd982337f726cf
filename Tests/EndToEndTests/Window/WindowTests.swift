import Foundation
import TestSupport
import Testing

/// The window's properties, size and behaviour on the desktop.
@Suite struct WindowTests {
  @Test func `the window has the application's class and a title without clip text`() async throws {
    try await Scene.run { scene in
      try await scene.capture("nothing for a title")
      try await scene.waitForFirstRow()
      #expect(try await scene.app.window.title() == "CopyPasta")
      let answer = try await scene.desktop.run(["xprop", "-id", "\(scene.app.window.id)", "WM_CLASS"]).text
      #expect(answer.hasSuffix("\"\(CopyPasta.applicationID)\""))
    }
  }

  /// Drawing the SVG would load libraries of 8 MiB into each process.
  @Test func `GTK finds an installed PNG icon in every size`() async throws {
    let installed = try TemporaryFolder()
    let stage = [Fixture.checkout + "/meson-helpers/internal/build", "stage", installed.path]
    let staged = try await Program.run(stage, environment: ["PATH": "/usr/bin:/bin"])
    #expect(staged.exit == .code(0) && staged.errors == "")
    let sizes = [16, 22, 24, 32, 48, 64, 128, 256]
    let script = """
      import sys, gi
      gi.require_version('Gtk', '4.0')
      from gi.repository import Gtk
      theme = Gtk.IconTheme()
      theme.add_search_path(sys.argv[1])
      for size in \(sizes):
        icon = theme.lookup_icon(sys.argv[2], None, size, 1, Gtk.TextDirection.LTR, 0)
        print(icon.get_file().get_path().removeprefix(sys.argv[1]))
      """
    try await VirtualDesktop.with { desktop in
      let icons = [
        "/usr/bin/python3", "-c", script, installed.path + "/share/icons", CopyPasta.applicationID,
      ]
      let files = try await desktop.run(icons).text.split(separator: "\n")
      #expect(files == sizes.map { "/hicolor/\($0)x\($0)/apps/\(CopyPasta.applicationID).png" })
    }
  }

  @Test(arguments: [true, false])
  func `the window's size is remembered across a restart`(closedByTheUser: Bool) async throws {
    try await Scene.run { scene in
      let resized = try await scene.desktop.run(
        ["wmctrl", "-i", "-r", "\(scene.app.window.id)", "-e", "0,-1,-1,700,500"])
      #expect(resized.exit == .code(0))
      try await waitUntil("the window resized") { try await scene.hasSize(700, 500) }
      // Wait until the buttons are drawn at the new right edge, because then the program knows its new size.
      try await waitUntil("the window drawn at its new size") {
        try await !scene.screenshot().isPlain(in: Rectangle(x: 600, y: 10, width: 90, height: 30))
      }
      if closedByTheUser {
        try await scene.app.window.close()
        #expect(try await scene.app.program.waitForExit() == .code(0))
      }
      try await scene.end()
      let again = try await scene.relaunch()
      try await waitUntil("the size restored") {
        try await "\(again.app.window.frame())"
      } _: {
        try await again.hasSize(700, 500)
      }
      try await again.end()
    }
  }

  /// A page that cannot scroll would enlarge the window.
  @Test func `a small window keeps its size after the last item is deleted, and the empty page scrolls`()
    async throws
  {
    try await VirtualDesktop.with { desktop in
      try desktop.home.setGTK("gtk-font-name=Sans 20")
      try await Scene.fillHistory(with: ["one"], on: desktop)
      let scene = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
      try await scene.waitForFirstRow()
      _ = try await desktop.run(["wmctrl", "-i", "-r", "\(scene.app.window.id)", "-e", "0,-1,-1,360,300"])
      try await waitUntil("a small window") {
        try await "\(scene.app.window.frame())"
      } _: {
        try await scene.hasSize(360, 300)
      }
      let row = try await scene.settledScreenshot()
      try await desktop.press("Delete")
      let whole = Rectangle(x: 0, y: 60, width: 340, height: 170)
      try await waitUntil("the empty page") { try await !scene.screenshot().matches(row, in: whole) }
      let page = try await scene.settledScreenshot()
      #expect(try await scene.hasSize(360, 300))
      try await desktop.press("Page_Down")
      try await waitUntil("the page scrolled") { try await !scene.screenshot().matches(page, in: whole) }
      #expect(try await scene.hasSize(360, 300))
      try await scene.end()
    }
  }

  @Test func `a row under the moving pointer is highlighted`() async throws {
    try await Scene.run(with: ["old", "new"]) { scene in
      try await scene.parkMouse()
      let before = try await scene.settledScreenshot()
      for x in [140, 150] { try await scene.app.window.moveMouse(x: x, y: 78) }
      try await waitUntil("the hover") {
        try await scene.screenshot().mostCommonColour(in: Scene.firstRow)
          != before.mostCommonColour(in: Scene.firstRow)
      }
    }
  }

  @Test func `stacked combining marks do not draw over another row`() async throws {
    let stack = String(repeating: "x", count: 40) + "a" + String(repeating: "\u{301}", count: 90)
    try await Scene.run(with: [stack, "short"]) { scene in
      try await scene.parkMouse()
      // The place to the right of the first row's text, above the stack of marks.
      let blank = Rectangle(x: 150, y: 62, width: 160, height: 24)
      #expect(try await scene.settledScreenshot().isPlain(in: blank))
    }
  }
}

extension Scene {
  fileprivate func hasSize(_ width: Int, _ height: Int) async throws -> Bool {
    let frame = try await app.window.frame()
    return frame.width == width && frame.height == height
  }
}
