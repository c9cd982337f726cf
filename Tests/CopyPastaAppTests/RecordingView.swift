import ClipHistory

@testable import CopyPastaApp

/// A view without a display: it holds the list, and writes down all that it is told.
@MainActor
final class RecordingView: HistoryView {
  /// The list, newest first.
  private(set) var clips: [Clip]
  private(set) var flashes: [Clip.ID] = []
  /// What had the focus; nil stands for the newest row.
  private(set) var focuses: [Clip.ID?] = []
  private(set) var deletionCounts: [Int] = []
  private(set) var events: [HistoryEvent] = []
  private(set) var failures: [HistoryFailure] = []
  private(set) var reasonsToReopen: [StoreError] = []
  /// How often it was told that a secret was left out.
  private(set) var secretCount = 0
  private(set) var questions: [Expiry.Question] = []
  /// Whether the user can be asked.
  var isThere = true
  /// Called when a text is on the clipboard.
  var onCopied: (@MainActor () -> Void)?

  init(_ clips: [Clip]) { self.clips = clips }

  var texts: [String] { clips.map(\.preview) }

  func position(of id: Clip.ID) -> Int? { clips.firstIndex { $0.id == id } }

  func insert(_ clip: Clip) { clips.insert(clip, at: 0) }

  func remove(_ id: Clip.ID) -> Clip? { position(of: id).map { clips.remove(at: $0) } }

  func remove(_ ids: [Clip.ID]) { clips.removeAll { ids.contains($0.id) } }

  func ask(_ question: Expiry.Question) -> Bool {
    questions.append(question)
    return isThere
  }

  func removeAll() { clips = [] }

  func restore(_ clip: Clip) { clips.insert(clip, at: clips.firstIndex { $0.id < clip.id } ?? clips.count) }

  func flash(_ id: Clip.ID) { flashes.append(id) }

  func focus(_ id: Clip.ID) { focuses.append(id) }

  func focusNewest() { focuses.append(nil) }

  func showDeletions(_ count: Int) { deletionCounts.append(count) }

  func copied() { onCopied?() }

  func announce(_ event: HistoryEvent) { events.append(event) }

  func leftOutSecret() { secretCount += 1 }

  func say(_ failure: HistoryFailure) { failures.append(failure) }

  func reopen(because error: StoreError) { reasonsToReopen.append(error) }
}
