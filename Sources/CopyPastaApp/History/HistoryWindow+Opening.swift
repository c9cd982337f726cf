import ClipHistory
import GtkKit

/// How the window comes to its history, also one that is damaged or out of reach at first.
extension HistoryWindow {
  /// Shows the history, or says why it cannot be shown.
  func openHistory(rescuing: Bool = true) {
    do throws(StoreError) {
      let content = try HistoryContent(environment, height: window.defaultSize.height) { [notice] in
        notice.show($0)
      }
      show(content)
    } catch .damaged where rescuing {
      show(StatusPage.rescuing)
      Task { [weak self] in await self?.rescue() }
    } catch {
      show(error)
    }
  }

  /// Tries once more, each time that the user comes back to the window: the cause may be gone.
  func openHistoryAgain() {
    guard failure != nil else { return }
    guard isActive else {
      triesAgain = true
      return
    }
    guard triesAgain else { return }
    triesAgain = false
    environment.forgetHistory()
    openHistory()
  }

  /// Opens the history anew, which rescues it where it is damaged.
  func reopenHistory(_ error: StoreError) {
    guard let broken = content else { return }
    content = nil
    mark.isReading = false
    Task { [weak self] in
      // Its rows are on the screen until something else is.
      defer { withExtendedLifetime(broken) {} }
      await broken.close()
      guard let self else { return }
      environment.forgetHistory()
      notice.show(error.message)
      openHistory()
    }
  }

  /// Off the main thread: it may take some seconds.
  private func rescue() async {
    do throws(StoreError) {
      let outcome = try await environment.rescueHistory()
      openHistory(rescuing: false)
      if let outcome { notice.show(outcome.message, forLong: true) }
    } catch {
      show(error)
    }
  }

  private func show(_ content: HistoryContent) {
    self.content = content
    failurePage = nil
    failure = nil
    // Not at once: whoever found it broken still uses it.
    content.onBroken = { [weak self] error in Task { self?.reopenHistory(error) } }
    content.onCopied = { [weak self] in self?.copied.forEach { $0() } }
    content.connectKeys(of: window)
    pages.replace(with: content.root)
    content.isShown = isShown
    // At the start that waits for the first frame.
    guard isDrawn else { return }
    content.focusNewest()
    completeContent()
  }

  private func show(_ error: StoreError) {
    if error != failure { complain(error.message) }
    failure = error
    show(StatusPage.failure(error.message))
  }

  private func show(_ page: StatusPage) {
    failurePage = page
    pages.replace(with: page.root)
    if isDrawn { page.focus() }
  }
}
