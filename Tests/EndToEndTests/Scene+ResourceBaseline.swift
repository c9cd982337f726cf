import Foundation
import TestSupport
import Testing

extension Scene {
  /// The resources of the idle program, for comparison.
  struct ResourceBaseline {
    let channels: Int
    let kibibytes: Int
    /// The script that watches the window's lower edge.
    let edge: Program
  }

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

  /// Records a first text, so that every connection is open, and then measures the program.
  func resourceBaseline() async throws -> ResourceBaseline {
    try await capture("before")
    try await waitForFirstRow()
    let edge = try await watchEdge()
    return ResourceBaseline(
      channels: try #require(app.program.openChannels),
      kibibytes: try #require(app.program.residentKibibytes),
      edge: edge)
  }

  /// Waits until a message has appeared at the window's lower edge since `watchEdge` was called.
  func expectNotice(at edge: Program, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let isShown = try await eventually { edge.lines.count > 1 }
    #expect(isShown, "no message was shown", sourceLocation: sourceLocation)
  }

  /// Expects that the program has closed its channels and released its memory.
  func expectResources(backTo baseline: ResourceBaseline, sourceLocation: SourceLocation = #_sourceLocation)
    async throws
  {
    let isClosed = try await eventually { (app.program.openChannels ?? 0) <= baseline.channels }
    #expect(isClosed, "channels are left open", sourceLocation: sourceLocation)
    // Allow for a few more rows and pictures, which are far smaller than a refused text.
    let isSmall = try await eventually {
      (app.program.residentKibibytes ?? 0) < baseline.kibibytes + 32 << 10
    }
    #expect(isSmall, "memory is not released", sourceLocation: sourceLocation)
  }

  /// Whether an owner has received all the requests that are expected.
  func hasAskedAll(of owner: ClipboardOwner) async throws -> Bool {
    let metadata = ["TARGETS", "x-kde-passwordManagerHint"]
    let asked = owner.lines.dropFirst()
    // An owner that swaps in a secret must have done so before the test's next copy.
    if owner.program.arguments.last == "SecretAfterHint" { return asked.contains("swapped") }
    return asked.contains { !metadata.contains($0) || $0 == metadata[1] }
  }
}
