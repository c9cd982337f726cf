import ClipHistory
import ClipboardCore

/// The user's actions; pointer, keys, menus and touch call the same method for an action.
///
/// An action names a clip. If the list shows another file by the time the action runs, it only shows a message.
extension HistorySession {
  /// Runs an action on a clip of the file number `file` after the earlier actions.
  private func act(in file: Int, _ action: @escaping @MainActor () async -> Void) {
    queue.add { [self] in
      if file == fileNumber { await action() } else { events.notify(.failed(.gone)) }
    }
  }

  // MARK: - Copying

  /// Puts a clip's whole text on the clipboard.
  ///
  /// - Parameters:
  ///   - file: The `fileNumber` when a window of the text's own was opened.
  ///   - copied: Called after the copy by that window, which announces it.
  func copy(_ id: Clip.ID, in file: Int? = nil, copied: (@MainActor () -> Void)? = nil) {
    let press = clipboard.takePress()
    act(in: file ?? fileNumber) { [self] in
      guard await offerText(of: id, press) == nil else { return }
      events.notify(.done(.copied, id, isAnnounced: copied == nil))
      copied?()
    }
  }

  /// Puts a part of a clip's text on the clipboard, and then calls `copied`.
  ///
  /// Like any copy from the history, the part is not recorded.
  func copy(part: [UInt8], copied: @escaping @MainActor () -> Void = {}) {
    let press = clipboard.takePress()
    queue.add { [self] in
      if let failure = await offer(part, press) { events.notify(.failed(failure)) } else { copied() }
    }
  }

  /// Puts the command to bind on the clipboard, after the actions that were requested before.
  ///
  /// - Returns: The error message if that failed; nil otherwise.
  func copy(command: String) async -> String? {
    let press = clipboard.takePress()
    // The copy has to be stored, so that it is not recorded if a clipboard manager offers it again.
    open(mayRecover: false)
    let failure = await withCheckedContinuation { copied in
      queue.add { [self] in copied.resume(returning: await offer(Array(command.utf8), press)) }
    }
    return failure?.message
  }

  /// Whether the clipboard accepts a copy without a press; otherwise tells the user to press a key first.
  func mayCopy() -> Bool {
    if clipboard.needsPress { events.notify(.failed(.notPressed)) }
    return !clipboard.needsPress
  }

  /// Puts a clip's whole text on the clipboard, and deletes the clip if that succeeded.
  func copyAndDelete(_ id: Clip.ID) {
    let press = clipboard.takePress()
    takeOut(id) { [self] clip in
      switch await offerText(of: id, press) {
      case nil: await erase(clip, announcing: .copiedAndDeleted)
      case .gone: break
      case .failed: model.restore(clip)
      }
    }
  }

  // MARK: - Deleting

  /// Removes a clip from the list immediately, and deletes it; if that fails, puts it back into the list.
  func delete(_ id: Clip.ID) {
    takeOut(id) { [self] clip in await erase(clip, announcing: .deleted) }
  }

  /// Removes a row immediately, so that the next key acts on the next row, and then runs an action on its clip.
  private func takeOut(_ id: Clip.ID, _ action: @escaping @MainActor (Clip) async -> Void) {
    guard let clip = model.remove(id) else { return }
    deletions.pending += 1
    act(in: fileNumber) { await action(clip) }
    queue.add { [deletions] in deletions.pending -= 1 }
  }

  /// Undoes the newest deletion that has not been undone yet, or tells the user that there is none.
  func undo() {
    queueUndo {
      if $0.deletions.count == 0 { $0.events.notify(.failed(.nothingToUndo)) }
      await $0.restoreNewest()
    }
  }

  /// Restores all deletions that the undo bar offers.
  func undoAll() { queueUndo { while await $0.restoreNewest() {} } }

  /// Queues an undo; holds the deletions until it ends, because earlier actions may take longer than the undo time.
  private func queueUndo(_ undo: @escaping @MainActor (HistorySession) async -> Void) {
    deletions.pending += 1
    queue.add { [self] in
      await undo(self)
      deletions.pending -= 1
    }
  }

  /// Restores the last deletion; returns false if there is none or if restoring it fails.
  @discardableResult
  private func restoreNewest() async -> Bool {
    guard let deleted = deletions.removeNewest() else { return false }
    do throws(StoreError) {
      model.restore(try await store.restore(deleted))
      didWrite()
      // The item may be expired.
      expire()
      events.notify(.done(.restored, deleted.id, isAnnounced: true))
      return true
    } catch {
      deletions.add(deleted)
      report(error, as: .notRestored(error))
      return false
    }
  }

  /// Deletes all clips, and reports how many; a failure is also shown.
  func clear(_ done: @escaping @MainActor (Result<Int, StoreError>) -> Void = { _ in }) {
    // First record what waits for a lock, because it must not appear after the deletion.
    if intake.captures.obstacle == .locked { intake.captures.resume() }
    queue.add { [self] in
      // First add to the list the clips that are on disk but not in the list yet: the deletion deletes them, and their
      // rows would otherwise appear after it. The queue records nothing new until the deletion is done.
      intake.flush()
      do throws(StoreError) {
        if let obstacle = intake.captures.obstacle { throw obstacle }
        let count = try await store.deleteAll()
        deletions.forget()
        model.removeAll()
        didChange()
        done(.success(count))
      } catch {
        report(error, as: .notCleared(error))
        done(.failure(error))
      }
    }
  }

  /// Deletes a clip that was removed from the list, and keeps it for `undo`.
  private func erase(_ clip: Clip, announcing event: HistoryEvent) async {
    do throws(StoreError) {
      let deleted = try await store.delete(clip.id)
      // While this action waited in the queue, reading the list again may have added the row again.
      model.remove(clip.id)
      guard let deleted else { return events.notify(.failed(.gone)) }
      deletions.add(deleted, wasCopied: event == .copiedAndDeleted)
      didChange()
      events.notify(.done(event, deleted.id, isAnnounced: true))
    } catch {
      model.restore(clip)
      report(error, as: .notDeleted(error))
    }
  }

  /// Call this after writing a change by the user.
  ///
  /// The write shows that an earlier obstacle is gone, and a retention question that is shown needs a new count.
  private func didChange() {
    didWrite()
    if question != nil { expire() }
  }

  // MARK: - Reading and offering

  /// Reads a clip's whole text, for a window to show.
  func show(_ id: Clip.ID) {
    act(in: fileNumber) { [self] in
      guard case .success(let text) = await text(of: id), let position = model.position(of: id) else {
        return
      }
      events.notify(.text(model.clip(at: position), text, file: fileNumber))
    }
  }

  /// Why an action on a clip failed, which the user has been shown.
  private enum ActionFailure: Error { case gone, failed }

  private func text(of id: Clip.ID) async -> Result<ClipText, ActionFailure> {
    do throws(StoreError) {
      if let text = try await store.text(of: id) { return .success(text) }
      events.notify(.failed(.gone))
      model.remove(id)
      return .failure(.gone)
    } catch {
      report(error, as: .notRead(error))
      return .failure(.failed)
    }
  }

  /// Puts a clip's whole text on the clipboard; returns nil if that succeeded.
  private func offerText(of id: Clip.ID, _ press: CopyPress) async -> ActionFailure? {
    switch await text(of: id) {
    case .failure(let failure): return failure
    case .success(let text):
      guard let failure = await offer(text, press, of: id) else { return nil }
      events.notify(.failed(failure))
      return .failed
    }
  }

  /// Puts a text that is not a clip's whole text on the clipboard; returns why that failed.
  private func offer(_ text: [UInt8], _ press: CopyPress) async -> HistoryFailure? {
    do throws(ClipText.Refusal) {
      return await offer(try ClipText(validating: text), press, of: nil)
    } catch {
      // Unreachable: every part of a valid text is valid.
      return .clipboardUnavailable
    }
  }

  private func offer(_ text: ClipText, _ press: CopyPress, of id: Clip.ID?) async -> HistoryFailure? {
    do throws(TransferError) {
      try await intake.copy(text, of: id, press)
      return nil
    } catch {
      return error == .ownershipLost ? .clipboardTaken : .clipboardUnavailable
    }
  }
}
