import ClipHistory
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct ClipboardWatcherTests {
  private let clipboard = FakeClipboard()
  private let scratch: Scratch
  private let outcomes = Outcomes()
  private let watcher: ClipboardWatcher

  init() throws {
    scratch = try Scratch()
    let recorder = CaptureRecorder(store: scratch.store, now: { 1_000_000 }) { [outcomes] in
      outcomes.all.append($0)
    }
    // Long enough that no slow machine runs into it.
    watcher = ClipboardWatcher(clipboard, into: recorder, graceTime: .seconds(300))
  }

  private func text(_ text: String) -> ClipboardContent { .text(Array(text.utf8)) }

  private func eventuallyTexts(_ texts: [String]) async throws -> Bool {
    try await eventually { try scratch.texts() == texts }
  }

  @Test func nothingIsReadWhileInactive() async throws {
    clipboard.copy(text("before"))
    #expect(clipboard.reads == 0)
    watcher.isActive = true
    #expect(try await eventuallyTexts(["before"]))
    watcher.isActive = false
    clipboard.copy(text("meanwhile"))
    clipboard.copy(text("after"))
    #expect(clipboard.reads == 1)
    watcher.isActive = true
    #expect(try await eventuallyTexts(["after", "before"]))
    #expect(clipboard.reads == 2)
  }

  @Test func eachOfferIsReadWhileActive() async throws {
    clipboard.content = .noText
    watcher.isActive = true
    for text in ["a", "b", "a"] {
      clipboard.copy(self.text(text))
      #expect(try await eventually { try scratch.texts().first == text })
    }
    #expect(try scratch.texts() == ["a", "b", "a"])
  }

  /// An owner may serve nobody else until a transfer is over, so it is not left in the middle of one.
  @Test func aTransferGoesOnWhenTheWindowBecomesInactiveAndNothingElseIsAskedFor() async throws {
    watcher.isActive = true
    #expect(try await eventually { clipboard.isWaiting })
    watcher.isActive = false
    clipboard.copy(text("meanwhile"))
    clipboard.answer(text("asked for before"))
    #expect(try await eventuallyTexts(["asked for before"]))
    #expect(clipboard.reads == 1 && clipboard.cancelled == 0)
  }

  @Test func anOwnerThatNeverAnswersIsGivenUpForTheNextOne() async throws {
    let recorder = CaptureRecorder(store: scratch.store, now: { 1_000_000 }) { _ in }
    let clipboard = FakeClipboard()
    let watcher = ClipboardWatcher(clipboard, into: recorder, graceTime: .milliseconds(1))
    watcher.isActive = true
    #expect(try await eventually { clipboard.isWaiting })
    clipboard.copy(text("good"))
    try await pump("the end of the first transfer") { clipboard.cancelled == 1 }
    #expect(try await eventuallyTexts(["good"]))
    #expect(clipboard.cancelled == 1)
  }

  @Test func anOfferThatIsReplacedWhileItIsReadIsStillRecorded() async throws {
    watcher.isActive = true
    #expect(try await eventually { clipboard.isWaiting })
    clipboard.copy(text("second"))
    clipboard.answer(text("first"))
    #expect(try await eventuallyTexts(["second", "first"]))
    #expect(clipboard.cancelled == 0)
  }

  @Test func whatIsNoTextIsIgnoredWithoutAWord() async throws {
    clipboard.content = .noText
    watcher.isActive = true
    for content: ClipboardContent in [.noText, .secret, .own, .text([])] { clipboard.copy(content) }
    clipboard.copy(text("text"))
    #expect(try await eventuallyTexts(["text"]))
    #expect(outcomes.refusals.isEmpty)
  }

  @Test func whatIsNoValidTextIsRefusedWithAWord() async throws {
    clipboard.content = .noText
    watcher.isActive = true
    clipboard.copy(.text([0xE9]))
    #expect(try await eventually { outcomes.refusals.last == .content(.notUTF8) })
    clipboard.copy(.text([0x61, 0, 0x62]))
    #expect(try await eventually { outcomes.refusals.last == .content(.containsNUL) })
    clipboard.copy(text("good"))
    #expect(try await eventuallyTexts(["good"]))
  }

  @Test func aWatcherIsLetGo() {
    weak var gone: ClipboardWatcher?
    do {
      let recorder = CaptureRecorder(store: scratch.store, now: { 0 }) { _ in }
      let watcher = ClipboardWatcher(FakeClipboard(), into: recorder)
      gone = watcher
    }
    #expect(gone == nil)
  }
}

@MainActor
private final class Outcomes {
  var all: [CaptureOutcome] = []
  var refusals: [CaptureRefusal] {
    all.compactMap { if case .refused(let refusal) = $0 { refusal } else { nil } }
  }
}
