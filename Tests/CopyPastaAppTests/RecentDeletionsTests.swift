import ClipHistory
import GtkKit
import TestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct RecentDeletionsTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `each change is reported, and the message says if the only item was copied`() async throws {
    var words: [String] = []
    let deletions = RecentDeletions(
      heldFor: .seconds(3600),
      changed: {
        words.append($0.count > 0 ? $0.message : "")
      })
    let clips = try await deleted(["one", "two"])
    deletions.add(clips[0], wasCopied: true)
    deletions.add(clips[1])
    _ = deletions.removeNewest()
    for _ in 1...2 { deletions.forget() }
    _ = deletions.removeNewest()
    deletions.add(clips[1])
    #expect(words == ["Copied and deleted", "2 items deleted", "Copied and deleted", "", "Deleted"])
  }

  /// They are held during another program's lock, which prevents an undo.
  @Test func `recent deletions are forgotten after their time limit, unless they are held`() async throws {
    var count = 0
    let deletions = RecentDeletions(heldFor: .milliseconds(30), changed: { count = $0.count })
    deletions.isHeld = true
    for clip in try await deleted(["one", "two"]) { deletions.add(clip) }
    #expect(!MainLoop.run(until: { count == 0 }, atMost: .milliseconds(100)))
    #expect(count == 2)
    deletions.isHeld = false
    #expect(MainLoop.run(until: { count == 0 }, atMost: .seconds(20)))
    #expect(deletions.removeNewest() == nil)
  }

  @Test func `recent deletions beyond the size limit are dropped, except the newest`() async throws {
    var count = 0
    let deletions = RecentDeletions(heldFor: .seconds(3600), sizeLimit: 8, changed: { count = $0.count })
    let clips = try await deleted(["12345", "123", "1234567890"])
    deletions.add(clips[0])
    deletions.add(clips[1])
    #expect(count == 2)
    deletions.add(clips[2])
    #expect(count == 1)
    #expect(deletions.removeNewest() == clips[2])
  }

  @Test func `an undo restores the item even if earlier actions outlast the undo time`() async throws {
    let clips = [try await scratch.record("one"), try await scratch.record("two")].compactMap(\.self)
    let session = HistorySession.make(at: scratch.location, undoTime: .milliseconds(1))
    let log = SessionLog(of: session)
    // This timer fires after a timer of 1 ms that was started before.
    log.onEvent = {
      guard case .done(.copied, _, _) = $0 else { return }
      var isOver = false
      let timer = Timeout(after: .milliseconds(20)) { isOver = true }
      withExtendedLifetime(timer) { _ = MainLoop.run(until: { isOver }, atMost: generousLimit) }
    }
    session.delete(clips[0].id)
    session.copy(clips[1].id)
    session.undo()
    await session.drain()
    #expect(session.texts == ["two", "one"])
    #expect(session.deletions.count == 0)
  }

  private func deleted(_ texts: [String]) async throws -> [DeletedClip] {
    var clips: [DeletedClip] = []
    for text in texts {
      let clip = try #require(try await scratch.record(text))
      clips.append(try #require(try await scratch.store.delete(clip.id)))
    }
    return clips
  }
}
