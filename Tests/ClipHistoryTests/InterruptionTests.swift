import CSQLite
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClipHistory

/// Kills and failing system calls at each step of a recovery.
@Suite(.serialized, .tags(.recovers))
struct InterruptionTests {
  enum Kind: CaseIterable {
    case damaged, damagedWithLog
  }

  /// Creates a history of 300 rows that has to be recovered.
  private static func history(_ kind: Kind) throws -> TemporaryHistory {
    let history = try ForeignHistory(Layout(), isOpen: kind == .damagedWithLog).history
    history.markDamaged()
    return history
  }

  /// Opens the history as the next start would, and expects all rows and no second copy of them.
  private static func expectComplete(_ history: TemporaryHistory, _ what: Comment) async throws {
    do {
      try await history.store().close()
    } catch StoreError.damaged {
      _ = try await history.recovered()
    }
    #expect(try history.previews().count == ForeignHistory.rowCount, what)
    let store = try history.store()
    #expect(try await store.allIDs() == Array(1...Int64(ForeignHistory.rowCount)), what)
    let copies = try history.names().filter { $0.contains("rescue") || $0.contains("unfinished") }
    #expect(copies == [], what)
    let aside = try history.names().filter { $0.hasPrefix("history-damaged-") && $0.hasSuffix(".sqlite3") }
    #expect(aside.count <= 1, what)
    // Clearing also removes every copy that was made of the history.
    try await store.deleteAll()
    await store.close()
    #expect(try history.names() == ["history.sqlite3"], what)
  }

  @Test(arguments: Kind.allCases)
  func `the start after a killed recovery has all rows and no second copy`(_ kind: Kind) async throws {
    let history = try Self.history(kind)
    let states = try await history.copies(before: [.rename, .unlink, .sync]) {
      _ = try await history.recovered()
    }
    #expect(states.count >= 10)
    for (number, state) in states.enumerated() {
      try await Self.expectComplete(state, "\(kind), state \(number)")
    }
    try await Self.expectComplete(history, "\(kind), at the end")
  }

  @Test func `a kill while an abandoned recovery is removed leaves no copy of a text`() async throws {
    let history = TemporaryHistory()
    try await history.record("Xq7!one")
    let unfinished = history.location.unfinishedRecovery
    for path in unfinished.files { try Data("Xq7!".utf8).write(to: URL(filePath: path)) }
    let states = try await history.copies(before: [.unlink]) { HistoryRecovery.abandon(history.location) }
    #expect(states.count >= 3)
    for state in states {
      try await state.store().close()
      #expect(try !state.names().contains { $0.contains("rescue") })
    }
  }

  @Test(arguments: Kind.allCases)
  func `a failed system call in a recovery loses nothing and leaves no copy`(_ kind: Kind) async throws {
    // The next start removes a copy that could not be removed.
    for (calls, copyLimit): ([FileCalls.Kind], Int) in [([.rename, .sync], 0), ([.unlink], 1)] {
      var (failing, isReached) = (0, true)
      while isReached {
        failing += 1
        let history = try Self.history(kind)
        let reached = Mutex(0)
        let isFailed = try await FileCalls.observe(history.location.folder, kinds: calls) {
          [failing] call in
          reached.withLock { $0 = call.number }
          return call.number == failing ? EIO : 0
        } during: {
          do throws(StoreError) {
            _ = try await HistoryRecovery().recover(history.location)
            return false
          } catch {
            return true
          }
        }
        isReached = reached.withLock { $0 } >= failing
        let what: Comment = "\(kind), \(calls), call \(failing)"
        if isFailed, FileManager.default.fileExists(atPath: history.location.database) {
          let copies = try history.names().filter { $0.contains("rescue") }
          #expect(copies.count <= copyLimit, "\(what.rawValue): \(copies)")
        }
        try await Self.expectComplete(history, what)
      }
      #expect(failing > 3)
    }
  }
}

extension TemporaryHistory {
  /// Runs `body`, and returns copies of the folder as a kill before each of these system calls would have left it.
  func copies(
    before kinds: [FileCalls.Kind] = FileCalls.Kind.allCases, during body: () async throws -> Void
  ) async throws -> [TemporaryHistory] {
    let copies = Mutex<[TemporaryHistory]>([])
    try await FileCalls.observe(location.folder, kinds: kinds) { [self] _ in
      do {
        let copy = try snapshot()
        copies.withLock { $0.append(copy) }
      } catch { Issue.record(error) }
      return 0
    } during: {
      try await body()
    }
    return copies.withLock { $0 }
  }
}
