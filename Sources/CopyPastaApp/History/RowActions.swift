import ClipHistory
import ClipboardCore
import GtkKit

/// What can be done with a row, each one code path for pointer, keyboard and menu; and what takes it back.
@MainActor
final class RowActions {
  private let store: HistoryStore
  private let clipboard: any SystemClipboard
  private let capture: Capture
  private let list: HistoryList
  private let report: @MainActor (String) -> Void
  private let queue = TaskQueue()
  /// What `undo` brings back.
  let deletions = RecentDeletions()
  /// Calls each time that a clip is on the clipboard.
  var onCopied: (@MainActor () -> Void)?

  init(
    store: HistoryStore, clipboard: any SystemClipboard, capture: Capture, list: HistoryList,
    report: @escaping @MainActor (String) -> Void
  ) {
    self.store = store
    self.clipboard = clipboard
    self.capture = capture
    self.list = list
    self.report = report
  }

  /// Puts a clip's whole text on the clipboard and marks its row.
  func copy(_ id: Int64) {
    queue.add { [self] in
      switch await offer(id) {
      case .offered:
        list.flash(id)
        list.announce(tr("Copied"))
      case .gone: list.remove(id)
      case .failed: break
      }
    }
  }

  /// Puts a clip's whole text on the clipboard, then deletes it; it stays where it could not be copied.
  func copyAndDelete(_ id: Int64) {
    // At once, so that the next key means the next row.
    guard let clip = list.remove(id) else { return }
    queue.add { [self] in
      switch await offer(id) {
      case .offered: await erase(clip, saying: tr("Copied and deleted, press Control Z to undo"))
      case .gone: break
      case .failed: list.restore(clip)
      }
    }
  }

  /// Takes a clip off the list and out of the store, at once.
  ///
  /// It comes back where the store could not do it.
  func delete(_ id: Int64) {
    guard let clip = list.remove(id) else { return }
    queue.add { [self] in await erase(clip, saying: tr("Deleted, press Control Z to undo")) }
  }

  /// A clip's whole text for a drag; it is fetched when another program asks for it.
  func content(of id: Int64) -> DeferredContent {
    DeferredContent(types: TextFormat.mimeTypes) { [store, report] in
      guard let text = try await store.text(of: id) else {
        report(tr("Not copied: another program has deleted this text."))
        throw CancellationError()
      }
      return Bytes(text.bytes)
    }
  }

  /// Brings back the last clip that was deleted, at its old place; again, the one before.
  func undo() {
    queue.add { [self] in
      guard let deleted = deletions.takeNewest() else { return }
      do throws(StoreError) {
        list.restore(try await store.restore(deleted))
        list.focus(deleted.id)
        list.announce(tr("Restored"))
      } catch {
        deletions.add(deleted)
        report(tr("Not restored.") + " " + error.message)
      }
    }
  }

  /// Deletes every clip, for good.
  ///
  /// - Parameter cleared: called when they are gone, before anything else is recorded.
  func clear(_ cleared: @escaping @MainActor () -> Void) {
    queue.add { [self] in
      await capture.pausing { [self] in
        do throws(StoreError) {
          try await store.deleteAll()
          deletions.forget()
          list.removeAll()
          cleared()
        } catch {
          report(tr("Not cleared.") + " " + error.message)
        }
      }
    }
  }

  /// Returns when all that was asked for so far is done.
  func settle() async { await queue.settle() }

  // MARK: -

  private enum Offer { case offered, gone, failed }

  /// Puts a clip's text on the clipboard; says what is in the way.
  private func offer(_ id: Int64) async -> Offer {
    do {
      guard let text = try await store.text(of: id) else {
        report(tr("Not copied: another program has deleted this text."))
        return .gone
      }
      try await clipboard.offer(text)
      onCopied?()
      await capture.noteCopied(text)
      return .offered
    } catch let error as StoreError {
      report(error.message)
    } catch {
      report(tr("Not copied: the clipboard is out of reach."))
    }
    return .failed
  }

  /// Deletes a clip that is off the list already, and holds it for `undo`.
  private func erase(_ clip: Clip, saying words: String) async {
    do throws(StoreError) {
      guard let deleted = try await store.delete(clip.id) else { return }
      deletions.add(deleted)
      list.announce(words)
    } catch {
      list.restore(clip)
      report(tr("Not deleted.") + " " + error.message)
    }
  }
}
