import Foundation
import TestSupport
import Testing

extension Scene {
  /// The program when it has nothing to do, for comparing.
  struct ResourceBaseline {
    let channels: Int
    let kibibytes: Int
    /// The program that watches the window's lower edge.
    let edge: Program
  }

  /// Watches the window's lower edge from now on: the program writes a line for each other look.
  ///
  /// A line that is shown there goes after some seconds, in which a loaded machine may not get round to looking.
  func watchEdge() async throws -> Program {
    _ = try await settledScreenshot()
    let frame = try await app.window.frame()
    // Where it says what it refused.
    let place = [frame.x + 10, frame.y + frame.height - 50, 400, 40].map(String.init)
    let watcher = try desktop.start(
      ["/usr/bin/python3", Fixture.path("area_watcher.py"), desktop.kind == .x11 ? "x11" : "wayland"] + place)
    try await waitUntil("the first picture", seen: { watcher.errors }) { !watcher.lines.isEmpty }
    return watcher
  }

  /// Records a first text, after which every connection is made, and takes the measures.
  func resourceBaseline() async throws -> ResourceBaseline {
    try await capture("before")
    try await waitForFirstRow()
    let edge = try await watchEdge()
    return ResourceBaseline(
      channels: try #require(app.program.openChannels),
      kibibytes: try #require(app.program.residentKibibytes),
      edge: edge)
  }

  /// Waits until a line at the window's lower edge says something, or has done so since it is watched.
  func expectNotice(at edge: Program, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let isShown = try await eventually { edge.lines.count > 1 }
    #expect(isShown, "no line was shown", sourceLocation: sourceLocation)
  }

  /// Expects that nothing was left open and nothing kept in memory, and that the interface went on.
  func expectResources(backTo baseline: ResourceBaseline, sourceLocation: SourceLocation = #_sourceLocation)
    async throws
  {
    let isClosed = try await eventually { (app.program.openChannels ?? 0) <= baseline.channels }
    #expect(isClosed, "something is left open", sourceLocation: sourceLocation)
    // A few rows and pictures more; far from a text that was refused.
    let isSmall = try await eventually {
      (app.program.residentKibibytes ?? 0) < baseline.kibibytes + 32 << 10
    }
    #expect(isSmall, "memory kept", sourceLocation: sourceLocation)
  }

  /// Whether an owner was asked for all that it will be asked for.
  func hasAskedAll(of owner: ClipboardOwner) async throws -> Bool {
    let questions = ["TARGETS", "x-kde-passwordManagerHint"]
    let asked = owner.lines.dropFirst()
    // An owner that copies a secret in between must not do so after the test's next copy.
    if ["SecretBeforeText", "SecretAfterTargets", "SecretAfterHint"].contains(owner.program.arguments.last) {
      return asked.contains("swapped")
    }
    if owner.program.arguments.last == "Mute" { return asked.contains("TARGETS") }
    return asked.contains { !questions.contains($0) || $0 == questions[1] }
  }
}
