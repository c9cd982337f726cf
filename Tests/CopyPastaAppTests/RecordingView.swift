import ClipHistory

@testable import CopyPastaApp

/// A view and delegate without a display, which records every call.
@MainActor
final class RecordingView: HistoryView, HistoryDelegate {
  private(set) var flashes: [Clip.ID] = []
  /// The rows that were focused; nil means the newest row.
  private(set) var focuses: [Clip.ID?] = []
  /// The clips that were marked as being on the clipboard; nil means none.
  private(set) var clipsOnClipboard: [Clip.ID?] = []
  private(set) var deletionCounts: [Int] = []
  private(set) var events: [HistoryEvent] = []
  private(set) var failures: [HistoryFailure] = []
  private(set) var reasonsToReopen: [StoreError] = []
  /// The failures that were reported together with `reasonsToReopen`.
  private(set) var failuresBeforeReopening: [HistoryFailure] = []
  /// How many times a skipped secret was reported.
  private(set) var secretCount = 0
  private(set) var showsSecret = false
  /// The expired items that the user was asked about, one entry for each question; nil where a question was withdrawn.
  private(set) var confirmations: [ExpiredClips?] = []
  /// The texts that were shown, with their clips.
  private(set) var shown: [(text: ShownText, id: Clip.ID)] = []
  /// Called when a text was put on the clipboard.
  var onCopied: (@MainActor () -> Void)?
  /// Called with the number of deletions that can be undone.
  var onDeletions: (@MainActor (Int) -> Void)?

  func ask(about expired: ExpiredClips?) { confirmations.append(expired) }

  func show(_ text: ShownText, of clip: Clip) { shown.append((text, clip.id)) }

  func markOnClipboard(_ id: Clip.ID?) { clipsOnClipboard.append(id) }

  func flash(_ id: Clip.ID) { flashes.append(id) }

  func focus(_ id: Clip.ID) { focuses.append(id) }

  func focusNewest() { focuses.append(nil) }

  func showDeletions(_ count: Int, wasCopied: Bool) {
    deletionCounts.append(count)
    onDeletions?(count)
  }

  func copied() { onCopied?() }

  func announce(_ event: HistoryEvent) { events.append(event) }

  func showSecret(_ isSecret: Bool) {
    if isSecret { secretCount += 1 }
    showsSecret = isSecret
  }

  func show(_ failure: HistoryFailure) { failures.append(failure) }

  func reopen(because error: StoreError, as failure: HistoryFailure) {
    reasonsToReopen.append(error)
    failuresBeforeReopening.append(failure)
  }
}

extension HistorySession {
  /// The clips in the list, newest first.
  var ids: [Clip.ID] { (0..<model.count).map(model.id(at:)) }
  var texts: [String] { (0..<model.count).map { model.clip(at: $0).preview } }
}
