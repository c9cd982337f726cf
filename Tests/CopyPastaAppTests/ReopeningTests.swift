import ClipHistory
import ClipboardCore
import Foundation
import GtkKit
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp

/// The failures after which the window opens the history again.
@MainActor
@Suite(.serialized) struct ReopeningTests {
  /// The user's action on the history.
  enum Action: Sendable, CaseIterable {
    case copy, cut, delete, show, drag, clear, undo

    static let ofRows = [copy, cut, delete, show, drag]
  }

  private let clipboard = FakeClipboard()
  private let view = RecordingView()

  private func controller(of history: History) throws -> HistorySession {
    let controller = try HistorySession(
      history.store, history.reader, clipboard, now: { Format.now }, firstPageSize: 30,
      undoTime: .seconds(3600), delegate: view)
    controller.view = view
    return controller
  }

  private func run(_ action: Action, on id: Clip.ID, of controller: HistorySession) async {
    switch action {
    case .copy: controller.copy(id)
    case .cut: controller.copyAndDelete(id)
    case .delete: controller.delete(id)
    case .show: controller.show(id)
    case .drag: await #expect(throws: CancellationError.self) { try await controller.text(of: id) }
    case .clear: controller.clear()
    case .undo: controller.undo()
    }
    await controller.drain()
  }

  @Test(arguments: [Action.cut, .delete, .clear, .undo])
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
    // The user learns what failed.
    let words = action == .clear ? "Couldn’t clear" : action == .undo ? "Couldn’t restore" : "Couldn’t delete"
    #expect(view.failuresBeforeReopening.first?.message?.hasPrefix(words) == true)
    #expect(view.failures.isEmpty)
    await controller.close()
  }

  /// The list was read before the import, which assigns new ids to the clips.
  @Test(arguments: Action.ofRows)
  func `an action on a row from before an import reopens the history`(_ action: Action) async throws {
    let folder = try TemporaryFolder()
    let location = HistoryLocation(folder: folder.path + "/copypasta")
    let before = try History(at: location)
    for text in ["one", "two"] {
      _ = try await before.store.record(ClipText(validating: Array(text.utf8)), at: Format.now)
    }
    before.reader.close()
    await before.store.close()

    var pending: HistoryImport? = try HistoryImport(location, at: Format.now)
    let history = try History(at: location)
    #expect(history.store.obstacle == .locked)
    let controller = try controller(of: history)
    _ = try pending?.add(ClipText(validating: Array("older".utf8)), capturedAt: Format.now - 60_000_000)
    try pending?.finish()
    pending = nil
    await run(action, on: controller.ids[0], of: controller)
    #expect(view.reasonsToReopen == [.replaced])
    #expect(view.failures.isEmpty && view.events.isEmpty && clipboard.offered.isEmpty)
    await controller.close()
    #expect(
      try HistoryReader(location: location).newestPage(limit: 9).map(\.preview) == ["two", "one", "older"])
  }

  /// A reader that takes no locks, as on a full disk, drops the locks of the process's other connections when it closes.
  ///
  /// Another program would then remove the log while this program writes to it.
  @Test func `the old reader is closed before the history is reopened`() async throws {
    try await TestDisplay.open()
    let folder = try TemporaryFolder()
    let location = HistoryLocation(folder: folder.path + "/copypasta")
    var descriptors: [Int] = []
    func open() -> Result<History, StoreError> {
      descriptors.append(descriptorCount(below: location.folder))
      return Result { () throws(StoreError) in try History(at: location) }
    }
    let window = HistoryWindow(
      .keepingNothing(showing: open(), FakeShortcut()), showText: { _ in }, closed: {})
    #expect(descriptorCount(below: location.folder) > 0)
    window.reopen()
    try await pump("the history opened again") { descriptors.count == 2 }
    #expect(descriptors == [0, 0])
    window.destroy()
  }
}

/// The number of this process's open descriptors for files in a folder.
private func descriptorCount(below folder: String) -> Int {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
  return names.count { name in
    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
    return target?.hasPrefix(folder) == true
  }
}
