import ClipHistory
import ClipboardCore

/// Does what the user can do with the history, whether by pointer, key, menu or touch: each is one method here.
///
/// The controller owns the list of clips, and knows nothing of how that looks. A clip that comes into the list is on
/// disk by then.
@MainActor
final class HistoryController {
  /// The clips, newest first; its views hear from it which of them came and went.
  let model: HistoryListModel
  /// The view of the list, which sets itself here.
  weak var view: (any HistoryView)?
  private weak var delegate: (any HistoryDelegate)?
  private let store: HistoryStore
  private let clipboard: any SystemClipboard
  private let now: @Sendable () -> Int64
  private lazy var recorder = ClipboardRecorder(into: store, queue: queue, now: now, tell: arrivals.add)
  /// What other programs copy, on its way into the history.
  private lazy var source = clipboard.makeSource(deliver: recorder.take)
  /// The outcomes of captures, on their way to the main thread.
  private lazy var arrivals = BurstMailbox<CaptureOutcome>(deliver: weakly(self) { $0.show($1) })
  /// The clip that is on the clipboard, as far as that is known without asking for anything: this program offers it, or
  /// it was recorded last, and every copy has been noticed since.
  private(set) var onClipboard: Clip.ID? {
    didSet { if onClipboard != oldValue { view?.markOnClipboard(onClipboard) } }
  }
  private var offerLosses: ListenerToken?
  /// Deletions that can be undone.
  let deletions: RecentDeletions
  /// Everything that changes the history or the clipboard, in the order in which it was asked for or captured.
  private let queue = TaskQueue()
  /// Takes what other programs hand over; a program that is slow at it keeps nothing in `queue` waiting.
  private let transfers = TaskQueue()
  /// Looks for expired items, which may take as long as many deletions; neither captures nor copies wait for that.
  private let retentionQueue = TaskQueue()
  private var isClosed = false
  /// Why expired items could not be deleted the last time.
  private var retentionFailure: StoreError?

  /// - Parameters:
  ///   - now: The time, in microseconds since 1970 UTC.
  ///   - firstPageSize: How many clips are read at once, see `HistoryListModel`.
  ///   - undoTime: How long deletions can be undone.
  /// - Throws: If the clips cannot be read.
  init(
    _ store: HistoryStore, _ reader: HistoryReader, _ clipboard: any SystemClipboard,
    now: @escaping @Sendable () -> Int64, firstPageSize: Int, undoTime: Duration = .seconds(8),
    delegate: any HistoryDelegate
  ) throws(StoreError) {
    self.store = store
    self.clipboard = clipboard
    self.now = now
    self.delegate = delegate
    deletions = RecentDeletions(heldFor: undoTime) { [weak delegate] in delegate?.showDeletions($0) }
    model = try HistoryListModel(reader: reader, firstPageSize: firstPageSize) { [weak delegate] error in
      delegate?.show(error, as: .notRead(error))
    }
    offerLosses = clipboard.offerLosses.add(weakly(self) { $0.onClipboard = nil })
  }

  // MARK: - Copying and deleting

  /// Puts a clip's whole text on the clipboard; `copied` is called when it is there.
  func copy(_ id: Clip.ID, copied: @escaping @MainActor () -> Void = {}) {
    queue.add { [self] in
      switch await offer(id) {
      case .offered(let text):
        // A clipboard manager may have taken the text over: another copy would not be noticed then.
        onClipboard = clipboard.isOffering ? id : nil
        view?.flash(id)
        view?.announce(.copied)
        copied()
        recorder.noteCopied(text, after: source)
      case .gone: model.remove(id)
      case .failed: break
      }
    }
  }

  /// Puts a clip's whole text on the clipboard, then deletes the clip; a clip that could not be copied stays.
  func copyAndDelete(_ id: Clip.ID) {
    // At once, so that the next key means the next row.
    guard let clip = model.remove(id) else { return }
    queue.add { [self] in
      switch await offer(id) {
      case .offered(let text):
        onClipboard = clipboard.isOffering ? id : nil
        recorder.noteCopied(text, after: source)
        await erase(clip, saying: .copiedAndDeleted)
      case .gone: break
      case .failed: model.restore(clip)
      }
    }
  }

  /// Takes a clip off the list at once, and deletes it; the clip comes back if that fails.
  func delete(_ id: Clip.ID) {
    guard let clip = model.remove(id) else { return }
    queue.add { [self] in await erase(clip, saying: .deleted) }
  }

  /// Brings back the last clip that was deleted, at its old place; again, the one before.
  func undo() { queue.add { [self] in await restoreNewest() } }

  /// Brings back every clip that the undo bar names.
  func undoAll() { queue.add { [self] in while await restoreNewest() {} } }

  /// Restores the last deletion; false if there is none, or if it failed.
  @discardableResult
  private func restoreNewest() async -> Bool {
    guard let deleted = deletions.removeNewest() else { return false }
    do throws(StoreError) {
      model.restore(try await store.restore(deleted))
      view?.focus(deleted.id)
      view?.announce(.restored)
      return true
    } catch {
      deletions.add(deleted)
      delegate?.show(.notRestored(error))
      return false
    }
  }

  /// Deletes every clip, for good.
  func clear() {
    queue.add { [self] in
      // A text that was recorded before goes with the others; nothing is recorded before this is over.
      arrivals.flush()
      do throws(StoreError) {
        try await store.deleteAll()
        deletions.forget()
        model.removeAll()
      } catch {
        delegate?.show(.notCleared(error))
      }
    }
  }

  /// Deletes what is older than the user wants to keep, or asks, while everything else continues.
  func expire(by retention: Retention) {
    retentionQueue.add { [self] in
      do throws(StoreError) {
        try await retention.run(on: store) { [weak delegate] in
          delegate?.ask(about: $0)
        } deleted: { [model, deletions] expired, ids in
          deletions.forget(where: expired.includes)
          model.remove(ids)
        }
        retentionFailure = nil
      } catch {
        // The same failure is shown once, not each hour.
        if !isClosed, error != retentionFailure { delegate?.show(error, as: .notExpired(error)) }
        retentionFailure = error
      }
    }
  }

  /// Shows a clip's text in a window of its own.
  func show(_ id: Clip.ID) {
    queue.add { [self] in
      do throws(StoreError) {
        guard let text = try await store.text(of: id) else {
          delegate?.show(.gone)
          model.remove(id)
          return
        }
        let shown = await Self.shown(text)
        if let position = model.position(of: id) { delegate?.show(shown, of: model.clip(at: position)) }
      } catch {
        delegate?.show(.notRead(error))
      }
    }
  }

  /// Off the main thread: a MiB is taken apart.
  @concurrent private static func shown(_ text: ClipText) async -> ShownText { ShownText(text) }

  /// Puts a part of a text on the clipboard, which is not recorded, as no text is that comes from the history; `copied`
  /// is called when it is there.
  func copy(part: [UInt8], copied: @escaping @MainActor () -> Void = {}) {
    queue.add { [self] in
      do throws(ClipText.Refusal) {
        let text = try ClipText(validating: part)
        guard await offer(text) else { return }
        onClipboard = nil
        view?.announce(.copied)
        copied()
        recorder.noteCopied(text, after: source)
      } catch {
        // No part of a text is refused.
        delegate?.show(.clipboardUnavailable)
      }
    }
  }

  /// A clip's whole text, for a program that it is dragged to.
  ///
  /// - Throws: `StoreError`; `CancellationError` if the clip has gone, which the user is told.
  func text(of id: Clip.ID) async throws -> ClipText {
    guard let text = try await store.text(of: id) else {
      delegate?.show(.gone)
      throw CancellationError()
    }
    return text
  }

  // MARK: - Recording

  /// Whether the clipboard is followed, and what comes is recorded.
  var isReading = false {
    didSet {
      guard isReading != oldValue else { return }
      if !isReading, !clipboard.isOffering { onClipboard = nil }
      source.follow(isReading)
    }
  }

  /// Sets the largest text that is recorded, in bytes.
  func setSizeLimit(_ limit: Int) { source.limits.bytes = limit }

  /// Records the clipboard's text on purpose, also if its row was deleted.
  func paste() {
    transfers.add { [self] in
      // A text that was copied out of the history just before is on the clipboard then.
      await queue.drain()
      do throws(TransferError) {
        switch try await clipboardContent() {
        case .text(let bytes): record(bytes, fromClipboard: true)
        case .own: if let text = clipboard.offeredText { record(text.bytes, fromClipboard: true) }
        case .noText: delegate?.show(.notRecorded(.noText))
        case .secret: delegate?.show(.notRecorded(.secret))
        }
      } catch {
        delegate?.show(.notRecorded(.unread(error)))
      }
    }
  }

  /// Records on purpose what another program dropped.
  func record(_ drop: any DroppedText) {
    transfers.add { [self] in
      do throws(TransferError) {
        let bytes = try await source.text(of: drop)
        drop.finish(accepted: true)
        record(bytes, fromClipboard: false)
      } catch {
        drop.finish(accepted: false)
        delegate?.show(.notRecorded(.unread(error)))
      }
    }
  }

  // MARK: - The file

  /// Whether the history could only be opened to read.
  var isReadOnly: Bool { store.obstacle != nil }

  /// Tries to write again; see `HistoryStore.resumesWriting`.
  func resumesWriting() async -> Bool { await store.resumesWriting() }

  /// Adds the clips older than those of the first page to the list, for which that need not wait.
  func loadRest() async {
    guard model.mayHaveMore else { return }
    do throws(StoreError) {
      model.addOlder(try await store.ids(olderThan: model.oldestOfFirstPage))
    } catch {
      delegate?.show(error, as: .notRead(error))
    }
  }

  /// Returns when all that was captured and asked for so far is on disk.
  func drain() async {
    await transfers.drain()
    await queue.drain()
    await recorder.drain(after: source)
    arrivals.flush()
  }

  /// Returns when the looks for expired items that were asked for so far are over.
  func drainRetention() async { await retentionQueue.drain() }

  /// Reads nothing any more, and gives up what is being read.
  func endReading() { source.close() }

  /// Ends all that uses the history, and closes it.
  func close() async {
    isClosed = true
    endReading()
    await drain()
    await store.close()
  }

  // MARK: -

  private enum Offer {
    case offered(ClipText)
    case gone, failed
  }

  private func offer(_ id: Clip.ID) async -> Offer {
    do throws(StoreError) {
      guard let text = try await store.text(of: id) else {
        delegate?.show(.gone)
        return .gone
      }
      guard await offer(text) else { return .failed }
      delegate?.copied()
      return .offered(text)
    } catch {
      delegate?.show(.notRead(error))
      return .failed
    }
  }

  /// Puts a text on the clipboard; false if the user was told why not.
  private func offer(_ text: ClipText) async -> Bool {
    do throws(TransferError) {
      try await clipboard.offer(text)
      return true
    } catch .ownershipLost {
      delegate?.show(.clipboardTaken)
    } catch {
      delegate?.show(.clipboardUnavailable)
    }
    return false
  }

  /// Deletes a clip that is off the list already, and holds it for `undo`.
  private func erase(_ clip: Clip, saying event: HistoryEvent) async {
    do throws(StoreError) {
      guard let deleted = try await store.delete(clip.id) else { return }
      deletions.add(deleted)
      view?.announce(event)
    } catch {
      model.restore(clip)
      delegate?.show(.notDeleted(error))
    }
  }

  /// The content of the clipboard; a copy at this very moment counts as what was meant.
  private func clipboardContent() async throws(TransferError) -> ClipboardContent {
    var attempts = 5
    while true {
      do throws(TransferError) {
        return try await source.readNow()
      } catch {
        attempts -= 1
        guard attempts > 0, error == .cancelled || error == .ownershipLost else { throw error }
      }
    }
  }

  /// Records a text that was handed over, and shows it at the top, also if it was the newest clip already.
  private func record(_ bytes: [UInt8], fromClipboard: Bool) {
    queue.add { [self] in
      let outcome = await recorder.recordExplicitly(bytes, fromClipboard: fromClipboard)
      // The list has the order of recording.
      arrivals.flush()
      switch outcome {
      case .recorded, .ignored: view?.focusNewest()
      default: break
      }
      show([outcome], fromClipboard: fromClipboard)
    }
  }

  /// Shows what became of texts that were to be recorded, in their order.
  ///
  /// - Parameter fromClipboard: whether the texts are on the clipboard, and were not dropped.
  private func show(_ outcomes: [CaptureOutcome], fromClipboard: Bool = true) {
    model.insertNewest(
      outcomes.compactMap { outcome -> Clip? in if case .recorded(let clip) = outcome { clip } else { nil } })
    for outcome in outcomes {
      delegate?.showSecret(outcome == .secret)
      switch outcome {
      case .recorded(let clip): if fromClipboard, isReading { onClipboard = clip.id }
      case .ignored, .nothingToRecord, .secret: break
      case .failed(let error): delegate?.show(error, as: .notRecorded(outcome))
      case .invalid, .unread, .noText: delegate?.show(.notRecorded(outcome))
      }
      if fromClipboard, outcome.isOfAnotherText { onClipboard = nil }
    }
  }
}

extension HistoryDelegate {
  /// Has the history opened anew if that mends it, and tells the user otherwise.
  func show(_ error: StoreError, as failure: HistoryFailure) {
    switch error {
    case .damaged, .replaced: reopen(because: error)
    default: show(failure)
    }
  }
}
