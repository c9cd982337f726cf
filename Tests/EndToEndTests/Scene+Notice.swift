import TestSupport
import Testing

extension Scene {
  /// Starts a script that prints a line whenever the window's lower edge looks different.
  ///
  /// A message disappears after a few seconds, so screenshots taken on demand could miss it on a loaded machine.
  func watchEdge() async throws -> Program {
    _ = try await settledScreenshot()
    let frame = try await app.window.frame()
    // The place of messages about refused texts.
    let place = [frame.x + 10, frame.y + frame.height - 50, 400, 40].map(String.init)
    let watcher = try desktop.start(
      ["/usr/bin/python3", Fixture.path("area_watcher.py"), desktop.kind == .x11 ? "x11" : "wayland"] + place)
    try await watcher.waitUntil("the watcher's first picture") { !$0.isEmpty }
    return watcher
  }

  /// Waits until a message has appeared at the window's lower edge since `watchEdge` was called.
  func expectNotice(at edge: Program, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let isShown = try await eventually { edge.lines.count > 1 }
    #expect(isShown, "no message was shown", sourceLocation: sourceLocation)
  }
}
