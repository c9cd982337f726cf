import ClipHistory
import GtkKit

/// What can be done with a row: copy and delete, each one code path for pointer, keyboard and menu.
@MainActor
final class RowActions {
  private let store: HistoryStore
  private let clipboard: any SystemClipboard
  private let recorder: CaptureRecorder
  private let list: HistoryList
  private let report: @MainActor (String) -> Void
  private let queue = TaskQueue()
  /// Calls each time that a clip is on the clipboard.
  var onCopied: (@MainActor () -> Void)?

  init(
    store: HistoryStore, clipboard: any SystemClipboard, recorder: CaptureRecorder, list: HistoryList,
    report: @escaping @MainActor (String) -> Void
  ) {
    self.store = store
    self.clipboard = clipboard
    self.recorder = recorder
    self.list = list
    self.report = report
  }

  /// Puts a clip's whole text on the clipboard and marks its row.
  func copy(_ id: Int64) {
    queue.add { [self] in
      do {
        guard let text = try await store.text(of: id) else {
          list.remove(id)
          report(tr("Not copied: another program has deleted this text."))
          return
        }
        try await clipboard.offer(text)
        list.flash(id)
        onCopied?()
        recorder.noteCopied(text)
      } catch let error as StoreError {
        report(error.message)
      } catch {
        report(tr("Not copied: the clipboard is out of reach."))
      }
    }
  }

  /// Returns when all that was asked for so far is done.
  func settle() async { await queue.settle() }

  /// Takes a clip off the list and out of the store, at once.
  ///
  /// It comes back where the store could not do it.
  func delete(_ id: Int64) {
    guard let clip = list.remove(id) else { return }
    queue.add { [self] in
      do throws(StoreError) {
        try await store.delete(id)
      } catch {
        list.restore(clip)
        report(tr("Not deleted.") + " " + error.message)
      }
    }
  }
}
