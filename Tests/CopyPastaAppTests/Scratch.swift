import ClipHistory
import GtkKit
import TestSupport

@testable import CopyPastaApp

/// A history in a temporary folder.
@MainActor
final class Scratch {
  let folder: TemporaryFolder
  let location: HistoryLocation
  let store: HistoryStore
  let reader: HistoryReader

  init() throws {
    folder = try TemporaryFolder()
    location = HistoryLocation(folder: folder.path + "/copypasta")
    store = try HistoryStore(location: location) { key, text in
      Checksum.hmacSHA256(key: key, of: text.bytes)
    }
    reader = try HistoryReader(location: location)
  }

  /// The texts in the history, newest first.
  func texts() throws -> [String] { try reader.newestPage(limit: 1000).map(\.preview) }

  /// Records a text as a capture would.
  @discardableResult
  func record(_ text: String, at time: Int64? = nil) async throws -> Clip? {
    let outcome = try await store.record(ClipText(validating: Array(text.utf8)), at: time ?? Format.now)
    guard case .recorded(let clip) = outcome else { return nil }
    return clip
  }
}
