import ClipHistory
import GtkKit
import SerialQueue

extension HistoryWindow: HistoryDelegate {
  func showDeletions(_ count: Int, wasCopied: Bool) { body.showDeletions(count, wasCopied: wasCopied) }

  func copied() { copies.notify() }

  func show(_ text: ShownText, of clip: Clip) {
    guard isShown else { return }
    showText(
      TextWindow(text, capturedAt: clip.capturedAt, in: parentOfDialogs?.size, state: services.windowState) {
        // Use the controller that the text came from: a history opened later may have a different text with that id.
        [weak self, weak controller] _, copied in
        if let controller { controller.copy(clip.id, copied: copied) } else { self?.show(.gone) }
      } copyPart: { [weak self] in
        self?.controller?.copy(part: $0, copied: $1)
      })
  }

  func showSecret(_ isSecret: Bool) {
    if isSecret { readingIndicator.showSecret() } else { readingIndicator.hideSecret() }
  }

  func show(_ failure: HistoryFailure) {
    if let message = failure.message { showNotice(message) }
  }

  func ask(about expired: ExpiredClips?) {
    retentionBar.show(expired, canKeep: services.preferences.isWritable(.retentionPeriod))
  }

  func reopen(because error: StoreError, as failure: HistoryFailure) {
    switch failure {
    case .gone, .notDeleted, .notRestored, .notCleared: reopen(showing: failure.message)
    default: reopen(showing: error.message)
    }
  }

  func reopen(showing message: String? = nil) {
    guard let list else { return }
    state = .opening
    followActivity()
    // Defer: our caller is still running inside the controller.
    Task.unpooled { [self] in
      await list.controller.close()
      services.forgetHistory()
      if let message { showNotice(message) }
      openHistory()
    }
  }
}
