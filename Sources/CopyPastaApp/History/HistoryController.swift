import ClipHistory
import ClipboardCore

/// What can be done with the history, whether by pointer, key, menu or touch: each is one method here.
///
/// It knows nothing of how the history looks: what it does shows in its view, and is on disk by then.
@MainActor
final class HistoryController {
  private let store: HistoryStore
  private let clipboard: any SystemClipboard
  private let capture: Capture
  private let deletions: RecentDeletions
  private weak var view: (any HistoryView)?
  /// Everything that changes the history or the clipboard, in the order in which it was asked for or captured.
  private let queue = TaskQueue()
  /// What other programs hand over; one that is slow at it keeps nothing in `queue` waiting.
  private let transfers = TaskQueue()
  private var isClosed = false
  /// Why texts that are too old could not be deleted the last time.
  private var expiryFailure: StoreError?

  /// - Parameter now: The time, in microseconds since 1970 UTC.
  init(
    _ store: HistoryStore, _ clipboard: any SystemClipboard, now: @escaping @Sendable () -> Int64,
    view: any HistoryView
  ) {
    self.store = store
    self.clipboard = clipboard
    self.view = view
    capture = Capture(clipboard.source, into: store, queue: queue, now: now) { [weak view] outcomes in
      for outcome in outcomes { view?.show(outcome) }
    }
    deletions = RecentDeletions { [weak view] count in view?.showDeletions(count) }
  }

  // MARK: - Copying and deleting

  /// Puts a clip's whole text on the clipboard.
  func copy(_ id: Clip.ID) {
    queue.add { [self] in
      switch await offer(id) {
      case .offered(let text):
        view?.flash(id)
        view?.announce(.copied)
        await capture.noteCopied(text)
      case .gone: view?.remove(id)
      case .failed: break
      }
    }
  }

  /// Puts a clip's whole text on the clipboard, then deletes it; it stays if it could not be copied.
  func copyAndDelete(_ id: Clip.ID) {
    // At once, so that the next key means the next row.
    guard let clip = view?.remove(id) else { return }
    queue.add { [self] in
      switch await offer(id) {
      case .offered(let text):
        await capture.noteCopied(text)
        await erase(clip, saying: .copiedAndDeleted)
      case .gone: break
      case .failed: view?.restore(clip)
      }
    }
  }

  /// Takes a clip off the list at once, and deletes it; it comes back if that fails.
  func delete(_ id: Clip.ID) {
    guard let clip = view?.remove(id) else { return }
    queue.add { [self] in await erase(clip, saying: .deleted) }
  }

  /// Brings back the last clip that was deleted, at its old place; again, the one before.
  func undo() {
    queue.add { [self] in
      guard let deleted = deletions.takeNewest() else { return }
      do throws(StoreError) {
        view?.restore(try await store.restore(deleted))
        view?.focus(deleted.id)
        view?.announce(.restored)
      } catch {
        deletions.add(deleted)
        view?.say(.notRestored(error))
      }
    }
  }

  /// Keeps what can be undone for longer: the user has noticed the offer.
  func prolongUndo() { deletions.prolong() }

  /// Lets go of what can be undone.
  func forgetDeletions() { deletions.forget() }

  /// Deletes every clip, for good.
  func clear() {
    queue.add { [self] in
      // What was recorded before goes with the others; nothing is recorded before this is over.
      capture.tellNow()
      do throws(StoreError) {
        try await store.deleteAll()
        deletions.forget()
        view?.removeAll()
      } catch {
        view?.say(.notCleared(error))
      }
    }
  }

  /// Deletes what is older than the user wants to keep, beside all else that is done.
  func expire(by expiry: Expiry) async {
    do throws(StoreError) {
      try await expiry.run(on: store) { [weak view] in
        view?.ask($0) ?? false
      } gone: { [weak view, deletions] limit, ids in
        deletions.forget(before: limit)
        view?.remove(ids)
      }
      expiryFailure = nil
    } catch {
      // Nor is the same said each hour.
      if !isClosed, error != expiryFailure { view?.show(error, as: .notExpired(error)) }
      expiryFailure = error
    }
  }

  /// A clip's whole text, for a program that it is dragged to.
  ///
  /// - Throws: `StoreError`; `CancellationError` if the clip has gone, which the view is told.
  func text(of id: Clip.ID) async throws -> ClipText {
    guard let text = try await store.text(of: id) else {
      view?.say(.gone)
      throw CancellationError()
    }
    return text
  }

  // MARK: - Recording

  /// Whether the clipboard is followed, and what comes is recorded.
  var isReading = false {
    didSet { if isReading != oldValue { capture.follow(isReading) } }
  }

  /// The largest text that is recorded, in bytes.
  var sizeLimit: Int {
    get { capture.limits.bytes }
    set { capture.limits.bytes = newValue }
  }

  /// Records the clipboard's text on purpose, also if its row was deleted.
  func paste() {
    transfers.add { [self] in
      // What was copied out of the history just before is on the clipboard then.
      await queue.settle()
      do throws(TransferError) {
        switch try await clipboardContent() {
        case .text(let bytes): record(bytes, fromClipboard: true)
        case .own: if let text = clipboard.offeredText { record(text.bytes, fromClipboard: true) }
        case .noText: view?.say(.notRecorded(.noText))
        case .secret: view?.say(.notRecorded(.secret))
        }
      } catch {
        view?.say(.notRecorded(.unread(error)))
      }
    }
  }

  /// Records on purpose what another program dropped.
  func take(_ drop: any DroppedText) {
    transfers.add { [self] in
      do throws(TransferError) {
        let bytes = try await drop.read(within: capture.limits)
        drop.finish(accepted: true)
        record(bytes, fromClipboard: false)
      } catch {
        drop.finish(accepted: false)
        view?.say(.notRecorded(.unread(error)))
      }
    }
  }

  // MARK: - The file

  /// The ids of all clips older than this one, ascending; nil if they could not be read, which the view is told.
  func ids(olderThan id: Clip.ID) async -> [Clip.ID]? {
    do throws(StoreError) {
      return try await store.ids(olderThan: id)
    } catch {
      failedToRead(error)
      return nil
    }
  }

  /// A part of the list could not be read.
  func failedToRead(_ error: StoreError) { view?.show(error, as: .notRead(error)) }

  /// Returns when all that was captured and asked for so far is on disk.
  func settle() async {
    await transfers.settle()
    await queue.settle()
    await capture.settle()
  }

  /// Reads nothing any more, and gives up what is being read.
  func endReading() { capture.close() }

  /// Ends all that uses the history, and closes it.
  func close() async {
    isClosed = true
    endReading()
    await settle()
    await store.close()
  }

  // MARK: -

  private enum Offer {
    case offered(ClipText)
    case gone, failed
  }

  private func offer(_ id: Clip.ID) async -> Offer {
    do {
      guard let text = try await store.text(of: id) else {
        view?.say(.gone)
        return .gone
      }
      try await clipboard.offer(text)
      view?.copied()
      return .offered(text)
    } catch let error as StoreError {
      view?.say(.notRead(error))
    } catch TransferError.overtaken {
      view?.say(.clipboardTaken)
    } catch {
      view?.say(.clipboardUnavailable)
    }
    return .failed
  }

  /// Deletes a clip that is off the list already, and holds it for `undo`.
  private func erase(_ clip: Clip, saying event: HistoryEvent) async {
    do throws(StoreError) {
      guard let deleted = try await store.delete(clip.id) else { return }
      deletions.add(deleted)
      view?.announce(event)
    } catch {
      view?.restore(clip)
      view?.say(.notDeleted(error))
    }
  }

  /// What the clipboard holds; a copy at this very moment counts as what was meant.
  private func clipboardContent() async throws(TransferError) -> ClipboardContent {
    for _ in 1..<5 {
      do throws(TransferError) {
        return try await clipboard.source.read(within: capture.limits, onPurpose: true)
      } catch .cancelled {
        continue
      } catch .overtaken {
        continue
      }
    }
    return try await clipboard.source.read(within: capture.limits, onPurpose: true)
  }

  /// Records a text that was handed over, and shows it at the top, also if it was the newest clip already.
  private func record(_ bytes: [UInt8], fromClipboard: Bool) {
    queue.add { [self] in
      let outcome = await capture.recordExplicitly(bytes, fromClipboard: fromClipboard)
      // The list has the order of recording.
      capture.tellNow()
      switch outcome {
      case .recorded, .ignored: view?.focusNewest()
      default: break
      }
      view?.show(outcome)
    }
  }
}

extension HistoryView {
  /// Shows what became of a text that was to be recorded.
  fileprivate func show(_ outcome: CaptureOutcome) {
    switch outcome {
    case .recorded(let clip): insert(clip)
    case .ignored: break
    case .failed(let error): show(error, as: .notRecorded(outcome))
    case .secret: leftOutSecret()
    case .invalid, .unread, .noText: say(.notRecorded(outcome))
    }
  }

  /// Has the history opened anew if that mends it, and tells the user otherwise.
  fileprivate func show(_ error: StoreError, as failure: HistoryFailure) {
    switch error {
    case .damaged, .replaced: reopen(because: error)
    default: say(failure)
    }
  }
}
