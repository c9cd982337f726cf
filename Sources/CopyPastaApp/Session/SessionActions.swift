import ClipHistory
import ClipboardCore

/// The user's actions; pointer, keys, menus and touch call the same method for an action.
///
/// An action concerns the clip that was in the row when the user acted. If the list shows another file by the time it
/// runs, a copy looks for the same clip there, and a deletion only shows a message.
extension HistorySession {
  // MARK: - Copying

  /// Puts a clip's whole text on the clipboard.
  func copy(_ id: Clip.ID) {
    guard let seen = seen(id) else { return showGone() }
    let press = clipboard.takePress()
    queue.add { [self] in
      switch await offer(seen, press) {
      case .offered(let id): events.notify(.done(.copied, id, isAnnounced: true))
      case .gone: remove(seen)
      case .failed: break
      }
    }
  }

  /// Puts a text that another window shows on the clipboard, and calls `copied`.
  ///
  /// If the file was replaced since the text was shown, the same text is copied, or none.
  func copy(_ seen: SeenClip, copied: @escaping @MainActor () -> Void) {
    let press = clipboard.takePress()
    queue.add { [self] in
      guard case .offered(let id) = await offer(seen, press) else { return }
      events.notify(.done(.copied, id, isAnnounced: false))
      copied()
    }
  }

  /// Puts a part of a clip's text on the clipboard, and then calls `copied`.
  ///
  /// Like any copy from the history, the part is not recorded.
  func copy(part: [UInt8], copied: @escaping @MainActor () -> Void = {}) {
    let press = clipboard.takePress()
    queue.add { [self] in
      do throws(ClipText.Refusal) {
        let text = try ClipText(validating: part)
        guard await offer(text, press) else { return }
        copied()
      } catch {
        // Unreachable: every part of a valid text is valid.
        events.notify(.failed(.clipboardUnavailable))
      }
    }
  }

  /// Puts the command to bind on the clipboard, after the actions that were requested before.
  ///
  /// - Returns: The error message if that failed; nil otherwise.
  func copy(command: String) async -> String? {
    let press = clipboard.takePress()
    // The copy has to be stored, so that it is not recorded if a clipboard manager offers it again.
    open(mayRecover: false)
    return await withCheckedContinuation { result in
      queue.add { [self] in
        do {
          try await intake.copy(ClipText(validating: Array(command.utf8)), press)
          result.resume(returning: nil)
        } catch TransferError.ownershipLost {
          result.resume(returning: HistoryFailure.clipboardTaken.message)
        } catch {
          result.resume(returning: HistoryFailure.clipboardUnavailable.message)
        }
      }
    }
  }

  /// Whether the clipboard accepts a copy without a press; otherwise tells the user to press a key first.
  func mayCopy() -> Bool {
    if clipboard.needsPress { events.notify(.failed(.notPressed)) }
    return !clipboard.needsPress
  }

  /// Puts a clip's whole text on the clipboard, and deletes the clip if that succeeded.
  func copyAndDelete(_ id: Clip.ID) {
    // Remove the row immediately, so that the next key acts on the next row.
    guard let clip = model.remove(id) else { return }
    let seen = SeenClip(clip: clip, fileNumber: fileNumber)
    deletions.pending += 1
    let press = clipboard.takePress()
    queue.add { [self] in
      defer { deletions.pending -= 1 }
      guard isPresent(seen) else { return }
      switch await offer(seen, press) {
      case .offered:
        await erase(seen, announcing: .copiedAndDeleted)
      case .gone: break
      case .failed: model.restore(clip)
      }
    }
  }

  // MARK: - Deleting

  /// Removes a clip from the list immediately, and deletes it; if that fails, puts it back into the list.
  func delete(_ id: Clip.ID) {
    guard let clip = model.remove(id) else { return }
    let seen = SeenClip(clip: clip, fileNumber: fileNumber)
    deletions.pending += 1
    queue.add { [self] in
      defer { deletions.pending -= 1 }
      if isPresent(seen) { await erase(seen, announcing: .deleted) }
    }
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
    if intake.obstacle == .locked { intake.resume() }
    queue.add { [self] in
      // First add to the list the clips that are on disk but not in the list yet: the deletion deletes them, and their
      // rows would otherwise appear after it. The queue records nothing new until the deletion is done.
      intake.flush()
      do throws(StoreError) {
        if let obstacle = intake.obstacle { throw obstacle }
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
  private func erase(_ seen: SeenClip, announcing event: HistoryEvent) async {
    do throws(StoreError) {
      var deleted = try await store.delete(seen.clip.id)
      if deleted == nil, let id = try await changedID(of: seen) {
        deleted = try await store.delete(id)
        model.remove(id)
      }
      // While this action waited in the queue, reading the list again may have added the row again.
      remove(seen)
      // Another program may have deleted the clip.
      guard let deleted else { return }
      deletions.add(deleted, wasCopied: event == .copiedAndDeleted)
      didChange()
      events.notify(.done(event, deleted.id, isAnnounced: true))
    } catch {
      model.restore(seen.clip)
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

  // MARK: - Reading

  /// The clip in a row, for an action that runs later; nil if the list does not have it.
  func seen(_ id: Clip.ID) -> SeenClip? {
    model.position(of: id).map { SeenClip(clip: model.clip(at: $0), fileNumber: fileNumber) }
  }

  /// Returns a clip's whole text, for the program to which the user drags the clip.
  ///
  /// - Throws: `StoreError`; `CancellationError` if the clip no longer exists, after showing the user a message.
  func text(of seen: SeenClip) async throws -> ClipText {
    do throws(StoreError) {
      if let found = try await find(seen) { return found.text }
    } catch {
      report(error, as: .notRead(error))
      throw error
    }
    showGone()
    throw CancellationError()
  }

  /// Reads a clip's whole text, for a window to show.
  func show(_ id: Clip.ID) {
    guard var seen = seen(id) else { return showGone() }
    queue.add { [self] in
      do throws(StoreError) {
        guard let (text, id) = try await find(seen) else {
          showGone()
          return remove(seen)
        }
        seen.hash = await Self.hash(of: text)
        if model.position(of: id) != nil { events.notify(.text(seen, text)) }
      } catch {
        report(error, as: .notRead(error))
      }
    }
  }

  /// Returns the text of a clip and its present id; nil if the history no longer has the clip.
  private func find(_ seen: SeenClip) async throws(StoreError) -> (text: ClipText, id: Clip.ID)? {
    if seen.fileNumber == fileNumber, let text = try await store.text(of: seen.clip.id) {
      return (text, seen.clip.id)
    }
    guard let id = try await changedID(of: seen), let text = try await store.text(of: id) else { return nil }
    return (text, id)
  }

  /// Returns the id of a clip in another file that the list shows now, or after an import has changed the ids; nil if it
  /// has kept its id, or is gone.
  private func changedID(of seen: SeenClip) async throws(StoreError) -> Clip.ID? {
    // An import can run only while this session cannot write.
    if seen.fileNumber == fileNumber, obstacle != nil { try await updateModel() }
    let id = try model.presentID(of: seen.clip)
    return seen.fileNumber == fileNumber && id == seen.clip.id ? nil : id
  }

  @concurrent private static func hash(of text: ClipText) async -> Int { text.bytes.hashValue }

  /// Whether the list still shows the file from which the action has removed a row; shows a message otherwise.
  private func isPresent(_ seen: SeenClip) -> Bool {
    guard seen.fileNumber != fileNumber else { return true }
    events.notify(.failed(.gone))
    return false
  }

  /// Removes the row of a clip that is gone, unless the list shows another file, where its id is another clip's.
  private func remove(_ seen: SeenClip) {
    if seen.fileNumber == fileNumber { model.remove(seen.clip.id) }
  }

  private func showGone() { events.notify(.failed(.gone)) }

  // MARK: - Offering

  private enum Offer {
    case offered(Clip.ID), gone, failed
  }

  private func offer(_ seen: SeenClip, _ press: CopyPress) async -> Offer {
    do throws(StoreError) {
      guard let (text, id) = try await find(seen) else {
        showGone()
        return .gone
      }
      if let hash = seen.hash, await Self.hash(of: text) != hash {
        events.notify(.failed(.gone))
        return .failed
      }
      guard await offer(text, press, of: id) else { return .failed }
      events.notify(.offered)
      return .offered(id)
    } catch {
      report(error, as: .notRead(error))
      return .failed
    }
  }

  /// Puts a text on the clipboard; returns false after showing the user why that failed.
  ///
  /// - Parameter id: The clip whose whole text it is; nil for a part of a text.
  private func offer(_ text: ClipText, _ press: CopyPress, of id: Clip.ID? = nil) async -> Bool {
    do throws(TransferError) {
      try await intake.copy(text, of: id, press)
      return true
    } catch {
      events.notify(.failed(error == .ownershipLost ? .clipboardTaken : .clipboardUnavailable))
      return false
    }
  }
}

/// A clip as the user saw it when an action began.
struct SeenClip {
  let clip: Clip
  /// The number of the file that `clip.id` refers to; see `HistorySession.fileNumber`.
  let fileNumber: Int
  /// The hash of the whole text if another window shows it; only that text may then be copied.
  var hash: Int?
}
