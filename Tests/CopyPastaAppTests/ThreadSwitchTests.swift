import ClipHistory
import ClipboardCore
import GtkKit
import GtkTestSupport
import SerialQueue
import TestSupport
import Testing
import X11Kit

@testable import CopyPastaApp

/// The number of times a text changes threads, measured in a separate process.
///
/// The trace contains the steps on CopyPasta's own queues. Each step that the main thread awaits returns to the main
/// thread.
@MainActor
@Suite struct ThreadSwitchTests {
  @Test func `on X11, a captured text passes through one thread between the reader and the main thread`()
    async
  {
    await #expect(processExitsWith: .success) { try await SwitchScene.countOnX11() }
  }

  @Test func `on Wayland, a captured text passes through one thread between the read and the list`() async {
    await #expect(processExitsWith: .success) { try await SwitchScene.countOnWayland() }
  }
}

/// A history that records from a clipboard.
@MainActor
private struct SwitchScene {
  let session: HistorySession
  private let scratch: Scratch
  private let log: SessionLog

  init(_ clipboard: any SystemClipboard) throws {
    scratch = try Scratch()
    session = .make(at: scratch.location, clipboard)
    log = SessionLog(of: session)
    session.attention = .active
  }

  func waitForRows(_ count: Int) async throws {
    try await pump("a row") { session.model.count == count }
  }

  /// Copies the oldest row, and waits for its flash.
  func copyOldest() async throws {
    session.copy(session.ids[session.model.count - 1])
    try await pump("the flash") { !log.ids(of: .copied).isEmpty }
  }

  /// The queues on which steps began while `body` ran; consecutive steps on one queue count once.
  func steps(of body: () async throws -> Void) async throws -> [String] {
    await session.drain()
    stepTrace.withLock { $0 = [] }
    try await body()
    let steps = stepTrace.withLock { $0.take() } ?? []
    return steps.enumerated().filter { $0 == 0 || $1 != steps[$0 - 1] }.map {
      $1.split(separator: ".").last.map(String.init) ?? $1
    }
  }

  static func countOnX11() async throws {
    try await VirtualDesktop.with { desktop in
      let display = try #require(desktop.environment["DISPLAY"])
      let other = try SelectionOwner(display: display)
      let scene = try SwitchScene(X11Clipboard(display: display))
      try await other.offer(Array("first".utf8))
      try await scene.waitForRows(1)
      let steps = try await scene.steps {
        try await other.offer(Array("second".utf8))
        try await scene.waitForRows(2)
      }
      // The other selection owner runs in this process too, so skip its steps, which come first.
      let last = try #require(steps.lastIndex(of: "selection-owner"))
      #expect(steps[(last + 1)...] == ["selection-reader", "history"], "\(steps)")
      let copySteps = try await scene.steps { try await scene.copyOldest() }
      // Reading the text and offering it each leave the main thread and return: four switches. The copy is then noted
      // on the reader's queue.
      #expect(copySteps.starts(with: ["history", "selection-owner"]), "\(copySteps)")
      #expect(Set(copySteps.dropFirst(2)).isSubset(of: ["selection-reader", "history"]), "\(copySteps)")
      await scene.session.drain()
    }
  }

  static func countOnWayland() async throws {
    let device = FakeDevice()
    let scene = try SwitchScene(GdkClipboard(device))
    device.copy(sending: "first", isEnded: true)
    try await scene.waitForRows(1)
    let steps = try await scene.steps {
      device.copy(sending: "second", isEnded: true)
      try await scene.waitForRows(2)
    }
    // Each wait for GDK passes through the thread of the main actor's tasks.
    #expect(steps.filter { $0 != "tasks" } == ["history"] && steps.last == "history", "\(steps)")
    let copySteps = try await scene.steps { try await scene.copyOldest() }
    #expect(copySteps == ["history"], "\(copySteps)")
    await scene.session.drain()
  }
}
