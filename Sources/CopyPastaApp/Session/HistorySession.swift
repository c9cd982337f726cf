import ClipHistory
import ClipboardCore

/// Implements the user's actions on the history; pointer, keys, menus and touch call the same method for an action.
///
/// The controller owns the list model and is independent of its view. A clip is on disk before it is in the list.
@MainActor
final class HistorySession {
  /// The clips, newest first; notifies its views of changes.
  let model: HistoryListModel
  /// The view of the list, which registers itself here.
  weak var view: (any HistoryView)?
  private weak var delegate: (any HistoryDelegate)?
  private let store: HistoryStore
  private let clipboard: any SystemClipboard
  private let now: @Sendable () -> Int64
  private lazy var recorder = ClipboardRecorder(into: store, queue: queue, now: now, report: arrivals.add)
  /// Reads what other programs copy, and delivers it to the recorder.
  private lazy var source = clipboard.makeSource(deliver: recorder.take)
  /// Carries the outcomes of captures to the main thread.
  private lazy var arrivals = BurstMailbox<CaptureOutcome>(
    deliver: weakly(self) { $0.show($1, areOnClipboard: !$0.clipboard.isOffering) })
  /// The clip that is on the clipboard, if that is known without reading the clipboard.
  ///
  /// It is known while this program offers the clip, or if the clip was the last to be captured from the clipboard and
  /// the clipboard has been followed ever since.
  private(set) var onClipboard: Clip.ID? {
    didSet { if onClipboard != oldValue { view?.markOnClipboard(onClipboard) } }
  }
  private var offerLosses: ListenerToken?
  let deletions: RecentDeletions
  /// Runs everything that changes the history or the clipboard, except deletions of expired items, in the order of
  /// requests and captures.
  private let queue = TaskQueue()
  /// Runs the reads of pasted and dropped texts separately, so that a slow program does not block `queue`.
  private let transfers = TaskQueue()
  /// Runs the deletions of expired items separately, because they can take a long time and must not delay captures or
  /// copies.
  private let retentionQueue = TaskQueue()
  private var isClosed = false
  /// The last failure to delete expired items, stored so that it is shown only once.
  private var retentionFailure: StoreError?

  /// - Parameters:
  ///   - now: Returns the time in microseconds since 1970 UTC.
  ///   - firstPageSize: How many clips to read first, see `HistoryListModel`.
  ///   - undoTime: How long deletions can be undone.
  /// - Throws: `StoreError` if the clips cannot be read.
  init(
    _ store: HistoryStore, _ reader: HistoryReader, _ clipboard: any SystemClipboard,
    now: @escaping @Sendable () -> Int64, firstPageSize: Int, undoTime: Duration = .seconds(8),
    delegate: any HistoryDelegate
  ) throws(StoreError) {
    self.store = store
    self.clipboard = clipboard
    self.now = now
    self.delegate = delegate
    deletions = RecentDeletions(heldFor: undoTime) { [weak delegate] in
      delegate?.showDeletions($0, wasCopied: $1)
    }
    model = try HistoryListModel(reader: reader, firstPageSize: firstPageSize) { [weak delegate] error in
      delegate?.show(error, as: .notRead(error))
    }
    offerLosses = clipboard.offerLosses.add(weakly(self) { $0.onClipboard = nil })
  }

  // MARK: - Copying and deleting

  /// Puts a clip's whole text on the clipboard, and calls `copied` or, if it is nil, announces the copy in the list.
  func copy(_ id: Clip.ID, copied: (@MainActor () -> Void)? = nil) {
    queue.add { [self] in
      switch await offer(id) {
      case .offered(let text):
        view?.flash(id)
        if let copied { copied() } else { view?.announce(.copied) }
        noteCopied(text, of: id)
      case .gone: model.remove(id)
      case .failed: break
      }
    }
  }

  /// Whether the clipboard accepts a copy without a press; otherwise tells the user to press a key first.
  func mayCopy() -> Bool {
    if clipboard.needsPress { delegate?.show(.notPressed) }
    return !clipboard.needsPress
  }

  /// Puts a clip's whole text on the clipboard, and deletes the clip if that succeeded.
  func copyAndDelete(_ id: Clip.ID) {
    // Remove the row immediately, so that the next key acts on the next row.
    guard let clip = model.remove(id) else { return }
    queue.add { [self] in
      switch await offer(id) {
      case .offered(let text):
        noteCopied(text, of: id)
        await erase(clip, announcing: .copiedAndDeleted)
      case .gone: break
      case .failed: model.restore(clip)
      }
    }
  }

  /// Removes a clip from the list immediately, and deletes it; if that fails, puts it back into the list.
  func delete(_ id: Clip.ID) {
    guard let clip = model.remove(id) else { return }
    queue.add { [self] in await erase(clip, announcing: .deleted) }
  }

  /// Undoes the newest deletion that has not been undone yet; its items return to their old places.
  func undo() { queueUndo { await $0.restoreNewest() } }

  /// Restores all deletions that the undo bar offers.
  func undoAll() { queueUndo { while await $0.restoreNewest() {} } }

  /// Queues an undo; holds the deletions until it ends, because earlier actions may take longer than the undo time.
  private func queueUndo(_ undo: @escaping @MainActor (HistorySession) async -> Void) {
    deletions.pendingUndos += 1
    queue.add { [self] in
      await undo(self)
      deletions.pendingUndos -= 1
    }
  }

  /// Restores the last deletion; returns false if there is none or if restoring it fails.
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
      delegate?.show(error, as: .notRestored(error))
      return false
    }
  }

  /// Deletes all clips, and reports how many; a failure is also shown.
  func clear(_ report: @escaping @MainActor (Result<Int, StoreError>) -> Void = { _ in }) {
    queue.add { [self] in
      // First add to the list the clips that are on disk but not in the list yet: the deletion deletes them, and their
      // rows would otherwise appear after it. The queue records nothing new until the deletion is done.
      arrivals.flush()
      do throws(StoreError) {
        let count = try await store.deleteAll()
        deletions.forget()
        model.removeAll()
        report(.success(count))
      } catch {
        delegate?.show(error, as: .notCleared(error))
        report(.failure(error))
      }
    }
  }

  /// Deletes expired items or asks about them, concurrently with all other actions.
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
        // Show the same failure only once, although this runs each hour.
        if !isClosed, error != retentionFailure { delegate?.show(error, as: .notExpired(error)) }
        retentionFailure = error
      }
    }
  }

  func show(_ id: Clip.ID) {
    queue.add { [self] in
      do throws(StoreError) {
        guard let text = try await store.text(of: id) else {
          showGone()
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

  /// Converts a text off the main thread, because up to 1 MiB is converted.
  @concurrent private static func shown(_ text: ClipText) async -> ShownText { ShownText(text) }

  /// Puts a part of a clip's text on the clipboard, and then calls `copied`.
  ///
  /// Like any copy from the history, the part is not recorded.
  func copy(part: [UInt8], copied: @escaping @MainActor () -> Void = {}) {
    queue.add { [self] in
      do throws(ClipText.Refusal) {
        let text = try ClipText(validating: part)
        guard await offer(text) else { return }
        copied()
        noteCopied(text)
      } catch {
        // Unreachable: every part of a valid text is valid.
        delegate?.show(.clipboardUnavailable)
      }
    }
  }

  /// Returns a clip's whole text, for the program to which the user drags the clip.
  ///
  /// - Throws: `StoreError`; `CancellationError` if the clip no longer exists, after showing the user a message.
  func text(of id: Clip.ID) async throws -> ClipText {
    guard let text = try await store.text(of: id) else {
      showGone()
      throw CancellationError()
    }
    return text
  }

  // MARK: - Recording

  /// Whether the clipboard is followed and copies in other programs are recorded.
  var isReading = false {
    didSet {
      guard isReading != oldValue else { return }
      if !isReading, !clipboard.isOffering { onClipboard = nil }
      source.follow(isReading)
    }
  }

  /// - Parameter limit: The size of the largest text that is recorded, in bytes.
  func setSizeLimit(_ limit: Int) { source.limits.bytes = limit }

  /// Records the clipboard's text at the user's request, even if its row was deleted.
  func paste() {
    transfers.add { [self] in
      // First finish any pending copy from the history, so that its text is on the clipboard.
      await queue.drain()
      do throws(TransferError) {
        switch try await source.readNewest() {
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

  /// Whether the history could only be opened for reading.
  var isReadOnly: Bool { store.obstacle != nil }

  func resumesWriting() async -> Bool { await store.resumesWriting() }

  /// Adds the clips that are older than the first page to the list, after the first page was shown.
  func loadRest() async {
    guard model.mayHaveMore else { return }
    do throws(StoreError) {
      model.addOlder(try await store.ids(olderThan: model.oldestOfFirstPage))
    } catch {
      delegate?.show(error, as: .notRead(error))
    }
  }

  /// Waits for the user's actions and the captures so far, but not for reads in progress.
  func drainActions() async { await queue.drain() }

  /// Waits until all captures and requests so far are on disk.
  func drain() async {
    await transfers.drain()
    await queue.drain()
    await recorder.drain(after: source)
    arrivals.flush()
  }

  /// Waits until all requested deletions of expired items have ended.
  func drainRetention() async { await retentionQueue.drain() }

  /// Stops reading the clipboard permanently, and cancels a read in progress.
  func endReading() { source.close() }

  /// Finishes all work on the history, and closes it.
  func close() async {
    isClosed = true
    endReading()
    await drain()
    await store.close()
  }

  // MARK: -

  private enum Offer {
    case offered(ClipText), gone, failed
  }

  /// Shows that a row's clip does not exist, or reopens the history if the clip may have a new id.
  ///
  /// An import assigns new ids. It runs only while no store has the history open for writing, and may have finished
  /// since this store was opened for reading.
  private func showGone() {
    if isReadOnly { delegate?.reopen(because: .replaced, as: .gone) } else { delegate?.show(.gone) }
  }

  private func offer(_ id: Clip.ID) async -> Offer {
    do throws(StoreError) {
      guard let text = try await store.text(of: id) else {
        showGone()
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

  /// Puts a text on the clipboard; returns false after showing the user why that failed.
  private func offer(_ text: ClipText) async -> Bool {
    do throws(TransferError) {
      try await clipboard.offer(text)
      return true
    } catch {
      delegate?.show(error == .ownershipLost ? .clipboardTaken : .clipboardUnavailable)
      return false
    }
  }

  /// Stores that a text is on the clipboard, so that it is not recorded.
  ///
  /// - Parameter id: The clip whose row to mark, if `text` is its whole text; nil for a part of a text.
  private func noteCopied(_ text: ClipText, of id: Clip.ID? = nil) {
    // If a clipboard manager has taken over the text, this program would not notice a later copy in another program.
    onClipboard = clipboard.isOffering ? id : nil
    recorder.noteCopied(text, after: source)
  }

  /// Deletes a clip that was removed from the list, and keeps it for `undo`.
  private func erase(_ clip: Clip, announcing event: HistoryEvent) async {
    do throws(StoreError) {
      guard let deleted = try await store.delete(clip.id) else { return isReadOnly ? showGone() : () }
      deletions.add(deleted, wasCopied: event == .copiedAndDeleted)
      view?.announce(event)
    } catch {
      model.restore(clip)
      delegate?.show(error, as: .notDeleted(error))
    }
  }

  /// Records a pasted or dropped text, and focuses the newest row, which has that text even if it was a duplicate.
  private func record(_ bytes: [UInt8], fromClipboard: Bool) {
    queue.add { [self] in
      let outcome = await recorder.recordExplicitly(bytes, fromClipboard: fromClipboard)
      // First add earlier captures to the list, because the list is in the order of recording.
      arrivals.flush()
      // A row may have been copied since the text was read.
      show([outcome], areOnClipboard: fromClipboard && (clipboard.offeredText?.bytes ?? bytes) == bytes)
      if outcome.isInHistory { view?.focusNewest() }
    }
  }

  /// Shows the outcomes of captures, in their order.
  ///
  /// - Parameter areOnClipboard: Whether the last text is still on the clipboard; false for dropped texts.
  private func show(_ outcomes: [CaptureOutcome], areOnClipboard: Bool) {
    model.insertNewest(
      outcomes.compactMap { outcome -> Clip? in if case .recorded(let clip) = outcome { clip } else { nil } })
    for outcome in outcomes {
      delegate?.showSecret(outcome == .secret)
      switch outcome {
      case .recorded(let clip): if areOnClipboard, isReading { onClipboard = clip.id }
      case .ignored, .nothingToRecord, .secret: break
      case .failed(let error): delegate?.show(error, as: .notRecorded(outcome))
      case .invalid, .unread, .noText: delegate?.show(.notRecorded(outcome))
      }
      if areOnClipboard, outcome.isOfAnotherText { onClipboard = nil }
    }
  }
}
