import ClipHistory
import GtkKit
import TestSupport
import Testing

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
    store = try Self.store(at: location)
    reader = try HistoryReader(location: location)
  }

  /// Makes a history with these texts, oldest first.
  convenience init(_ first: String, _ others: String...) async throws {
    try await self.init([first] + others)
  }

  convenience init(_ texts: [String]) async throws {
    try self.init()
    for text in texts { try await record(text) }
  }

  static func store(at location: HistoryLocation) throws -> HistoryStore {
    let store = HistoryStore(at: location) { key, text in Checksum.hmacSHA256(key: key, of: text.bytes) }
    if case .unavailable(let error) = store.initialAccess { throw error }
    return store
  }

  /// Closes the history, for a test that needs it alone.
  func close() async {
    reader.close()
    await store.close()
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

  /// Another program's connection to the history, after it has run these statements.
  @discardableResult
  func foreign(_ sql: String) throws -> ForeignConnection {
    let connection = try ForeignConnection(location.database)
    try connection.execute(sql)
    return connection
  }

  /// Runs `body` while another program locks the history's file.
  func whileLocked(_ body: () async throws -> Void) async throws {
    let lock = try foreign("BEGIN IMMEDIATE")
    try await body()
    lock.close()
  }
}
