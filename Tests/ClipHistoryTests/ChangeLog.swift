import TestSupport
import Testing

@testable import ClipHistory

/// The changes to a history by a test, and the history content that results from these changes.
struct ChangeLog {
  /// A change that was started but not acknowledged.
  enum Pending: Equatable {
    case nothing, record(text: String), delete(Int64), restore(Int64)
  }

  /// The texts that must be in the history.
  private(set) var live: [Int64: String] = [:]
  /// The texts that must not be in any file.
  private(set) var deleted: [Int64: String] = [:]
  /// The change that has begun last; set this before a change.
  var pending = Pending.nothing

  /// Expects an undamaged history with exactly the expected texts, and no deleted text in its raw files.
  mutating func verify(_ history: TemporaryHistory, _ what: Comment) async throws {
    let store = try history.store(HistoryStore.LockTimeouts(retries: []))
    var found: [Int64: String] = [:]
    for id in try await store.allIDs() {
      found[id] = String(decoding: try #require(try await store.text(of: id)).bytes, as: UTF8.self)
    }
    await store.close()
    settle(found)
    #expect(Set(found.keys) == Set(live.keys), what)
    #expect(found == live, what)
    // Search for all markers with one `grep`; no marker is a prefix of another.
    let markers = deleted.values.map { $0.prefix { $0 != "]" } + "]\n" }.joined()
    let search = try await Program.run(
      ["/bin/grep", "--text", "--fixed-strings", "--only-matching", "--file=-"] + history.files,
      environment: [:], input: Array(markers.utf8))
    #expect(search.exit == .code(1), "\(what): a deleted text is in the files: \(search.text.prefix(200))")
    #expect(try history.isSound(), what)
  }

  /// Ends the pending change.
  ///
  /// - Parameter id: the id of a text that was recorded.
  mutating func acknowledge(_ id: Int64) {
    switch pending {
    case .nothing: break
    case .record(let text): live[id] = text
    case .delete(let id): deleted[id] = live.removeValue(forKey: id)
    case .restore(let id): live[id] = deleted.removeValue(forKey: id)
    }
    pending = .nothing
  }

  /// Determines from `found`, the rows of the history, whether the pending change was completed.
  private mutating func settle(_ found: [Int64: String]) {
    let done: Int64? =
      switch pending {
      case .nothing: nil
      case .record(let text): found.first { live[$0.key] == nil && $0.value == text }?.key
      case .delete(let id): found[id] == nil ? id : nil
      case .restore(let id): found[id] != nil ? id : nil
      }
    if let done { acknowledge(done) } else { pending = .nothing }
  }
}
