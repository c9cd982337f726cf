import ClipHistory
import ClipboardCore
import Foundation
import GtkKit
import TestSupport
import Testing

@testable import CopyPastaApp

/// The failures after which the window opens the history again.
@MainActor
@Suite(.serialized) struct ReopeningTests {
  /// The user's action on the history.
  enum Action: Sendable, CaseIterable {
    case cut, delete, clear, undo
  }

  private let clipboard = FakeClipboard()
  private let view = RecordingView()

  private func controller(of history: History) throws -> HistoryController {
    let controller = try HistoryController(
      history.store, history.reader, clipboard, now: { Format.now }, firstPageSize: 30,
      undoTime: .seconds(3600), delegate: view)
    controller.view = view
    return controller
  }

  private func run(_ action: Action, on id: Clip.ID, of controller: HistoryController) async {
    switch action {
    case .cut: controller.copyAndDelete(id)
    case .delete: controller.delete(id)
    case .clear: controller.clear()
    case .undo: controller.undo()
    }
    await controller.drain()
  }

  @Test(arguments: Action.allCases)
  func `a change of a history whose file was replaced reopens the history`(_ action: Action) async throws {
    let scratch = try Scratch()
    for text in ["one", "two"] { try await scratch.record(text) }
    let controller = try controller(of: scratch.history)
    let ids = controller.ids
    controller.delete(ids[1])
    await controller.drain()
    try FileManager.default.removeItem(atPath: scratch.location.folder)
    await run(action, on: ids[0], of: controller)
    #expect(view.reasonsToReopen.first == .replaced)
    #expect(view.failures.isEmpty)
    await controller.close()
  }
}
