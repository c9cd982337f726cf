import ClipHistory
import GtkKit
import TestSupport

@testable import CopyPastaApp

/// A history in a temporary folder.
@MainActor
final class Scratch {
  let folder: TemporaryFolder
  let location: HistoryLocation
  let history: History

  init() throws {
    folder = try TemporaryFolder()
    location = HistoryLocation(folder: folder.path + "/copypasta")
    history = try History(at: location)
  }

  var store: HistoryStore { history.store }

  /// The texts in the history, newest first.
  func texts() throws -> [String] { try history.reader.newestPage(limit: 1000).map(\.preview) }

  /// Records a text as a capture would.
  @discardableResult
  func record(_ text: String) async throws -> Clip? {
    let outcome = try await store.record(ClipText(validating: Array(text.utf8)), at: Format.now)
    guard case .recorded(let clip) = outcome else { return nil }
    return clip
  }
}
