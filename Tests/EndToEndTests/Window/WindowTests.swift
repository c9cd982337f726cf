import Foundation
import TestSupport
import Testing

/// The window's properties, size and behaviour on the desktop.
@Suite(.keepsPictures) struct WindowTests {
  /// Drawing the SVG would load libraries of 8 MiB into each process.
  @Test func `an icon is installed as PNG in every size`() async throws {
    let installed = try TemporaryFolder()
    let stage = [Fixture.checkout + "/meson-helpers/internal/build", "stage", installed.path]
    let staged = try await Program.run(stage, environment: ["PATH": "/usr/bin:/bin"])
    #expect(staged.exit == .code(0) && staged.errors == "")
    for size in [16, 22, 24, 32, 48, 64, 128, 256] {
      let icon = "/share/icons/hicolor/\(size)x\(size)/apps/\(CopyPasta.applicationID).png"
      #expect(FileManager.default.fileExists(atPath: installed.path + icon), "\(icon)")
    }
  }

  @Test(arguments: [true, false])
  func `the window's size is remembered across a restart`(closedByTheUser: Bool) async throws {
    try await Scene.run(with: ["one"]) { scene in
      try await scene.wmctrl("-e", "0,-1,-1,700,500")
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

  /// GTK forgets that a window is maximized when the window is hidden.
  @Test
  func
    `a maximized window is maximized when it is shown again and after a restart, and keeps its other size`()
    async throws
  {
    try await Scene.run(with: ["one"]) { scene in
      let small = try await scene.app.window.frame()
      try await scene.wmctrl("-b", "add,maximized_vert,maximized_horz")
      try await waitUntil("the window maximized") { try await scene.app.window.frame().width > small.width }
      let whole = try await scene.app.window.frame()
      // The program keeps running because it owns the clipboard.
      try await scene.desktop.press("Return")
      try await waitUntil("the text offered") { try await scene.desktop.paste() != nil }
      for _ in 1...2 {
        try await scene.toggle()
        try await waitUntil("no window") { try await scene.desktop.copyPastaWindowCount() == 0 }
        try await scene.toggle()
        try await waitUntil("the window maximized again") {
          guard let window = try await CopyPasta.readyWindow(on: scene.desktop) else { return false }
          let frame = try await window.frame()
          return frame.width == whole.width && frame.height == whole.height
        }
      }
      try await scene.end()
      let again = try await scene.relaunch()
      try await waitUntil("a maximized window") { try await again.hasSize(whole.width, whole.height) }
      try await again.wmctrl("-b", "remove,maximized_vert,maximized_horz")
      try await waitUntil("the size from before") { try await again.hasSize(small.width, small.height) }
      try await again.end()
    }
  }

  @Test func `the window has its title and class`() async throws {
    try await Scene.run { scene in
      #expect(try await scene.app.window.title() == "CopyPasta")
      let answer = try await scene.desktop.run(["xprop", "-id", "\(scene.app.window.id)", "WM_CLASS"]).text
      #expect(answer.hasSuffix("\"\(CopyPasta.applicationID)\""))
    }
  }

  @Test func `stacked marks are drawn only in their own row, and the hovered row is tinted`() async throws {
    let stack = String(repeating: "x", count: 40) + "a" + String(repeating: "\u{301}", count: 90)
    try await Scene.run(with: [stack, "short"]) { scene in
      try await scene.parkMouse()
      // The place to the right of the first row's text, above the stack of marks.
      let blank = Rectangle(x: 150, y: 62, width: 160, height: 24)
      let before = try await scene.settledScreenshot()
      #expect(before.isPlain(in: blank))
      for x in [140, 150] { try await scene.app.window.moveMouse(x: x, y: 78) }
      try await waitUntil("the hover") {
        try await scene.screenshot().mostCommonColour(in: Scene.firstRow)
          != before.mostCommonColour(in: Scene.firstRow)
      }
    }
  }
}

extension Scene {
  fileprivate func wmctrl(_ change: String...) async throws {
    try await desktop.run(["wmctrl", "-i", "-r", "\(app.window.id)"] + change).succeeded()
  }

  fileprivate func hasSize(_ width: Int, _ height: Int) async throws -> Bool {
    let frame = try await app.window.frame()
    return frame.width == width && frame.height == height
  }
}
