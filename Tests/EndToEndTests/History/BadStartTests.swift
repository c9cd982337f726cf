import Foundation
import TestSupport
import Testing

/// Starts with an unusable history: the window opens, one line is logged, and no file is overwritten.
@Suite(.keepsPictures, .tags(.keepsPrivate)) struct BadStartTests {
  private static let marker = "Zq7-not-for-a-log"

  @Test func `an unusable data folder, or a file in its place, is reported and left unchanged`() async throws
  {
    try await VirtualDesktop.with(accessibility: true) { desktop in
      let reader = ScreenReader(desktop: desktop)
      let file = URL(fileURLWithPath: desktop.home.dataHome + "/copypasta")
      try Data(Self.marker.utf8).write(to: file)
      for dataHome in ["/proc/no-such-folder", desktop.home.dataHome] {
        let app = try await CopyPasta.launch(on: desktop, environment: ["XDG_DATA_HOME": dataHome])
        let page = try await waitFor("the page in place of the history") {
          try await reader.tree().all.first { $0.name == "History Not Available" }
        }
        #expect(page.description.contains("folder"), "\(page.description)")
        let owner = try await ClipboardOwner.start(offering: .text(Self.marker), on: desktop)
        try await desktop.press("Home", "Return", "Delete", "Menu")
        try await desktop.copy("after")
        #expect(try await owner.program.waitForExit() == .code(0))
        #expect(owner.contentRequests == [], "read although there is no history")
        let scene = Scene(desktop: desktop, app: app)
        let other = try await scene.openDragging("source", Self.marker)
        try await scene.drag(from: (150, 100, other.window), to: (200, 300, app.window))
        try await other.program.waitUntil("the end of the drag") { $0.last == "done" }
        #expect(other.program.lines.first == "refused")
        try await scene.close(other)
        #expect(try await app.window.isVisible())
        #expect(try await app.stop() == .code(0))
        let lines = app.errors.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 2 && lines.last == "", "\(app.errors)")
        #expect(!app.errors.contains(Self.marker))
      }
      #expect(try Data(contentsOf: file) == Data(Self.marker.utf8))
    }
  }
}
