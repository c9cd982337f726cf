import ClipHistory
import Glibc
import GtkKit

extension StoreError {
  /// One line that says what failed and what the user can do.
  var message: String {
    switch self {
    case .folderUnusable(_, ENAMETOOLONG):
      tr(
        "Couldn’t open the history: the path of its folder is too long. Set XDG_DATA_HOME to a shorter path."
      )
    case .folderUnusable(let path, let code):
      tr("Couldn’t use the history’s folder “%s” (%s). Check its owner, permissions and disk.")
        .filled(with: path, systemMessage(code))
    case .cannotOpen(let path, _):
      tr("Couldn’t open “%s”. Check its owner and permissions.")
        .filled(with: path)
    case .irregular(let path):
      tr(
        "Couldn’t open the history: “%s” is a symbolic link, a pipe or a folder, which CopyPasta does not use. Move it away."
      )
      .filled(with: path)
    case .noLocks(let path):
      tr(
        "Couldn’t open the history: the file system of “%s” has no file locks. Move the history to a local disk."
      )
      .filled(with: path)
    case .noSharedMemory(let path):
      tr(
        "The history can’t be changed: programs can’t share memory on the file system of “%s”. Move it to a local disk."
      )
      .filled(with: path)
    case .readOnly:
      tr("The history can’t be changed: its file or folder is read-only.")
    case .damaged:
      tr("The history file is damaged. CopyPasta recovers every readable item.")
    case .foreign:
      tr("The history file belongs to another app. CopyPasta left it unchanged.")
    case .newerSchema:
      tr("The history was written by a newer version of CopyPasta. Update CopyPasta to open it.")
    case .replaced:
      tr("The history file was replaced. The list was reloaded.")
    case .locked:
      tr("Another app is using the history file. Try again when it is done.")
    case .openElsewhere:
      tr(
        "The history is open on another computer that shares its folder. Quit CopyPasta there, then try again."
      )
    case .diskFull:
      tr("The disk is full. Free up some space, then try again.")
    case .cannotBeRecovered:
      tr(
        "The history file is damaged and can’t be repaired: no new file can be written next to it. Check the folder and the disk."
      )
    case .clipUnreadable:
      tr("This item is in a damaged part of the history file, and can’t be read.")
    case .alreadyThere:
      tr("This item is already in the history.")
    case .failed(let code):
      tr("Couldn’t use the history file (SQLite error %s).").filled(with: String(code))
    }
  }
}

extension StoreError {
  /// A one-line message that says why the open history cannot be changed.
  var reasonForReadOnly: String {
    switch self {
    case .readOnly, .noSharedMemory: message
    case .locked: tr("New copies will be added once another app releases the history file.")
    default: tr("The history can’t be changed right now.") + " " + message
    }
  }
}

extension HistoryRecovery.Outcome {
  /// How many items were recovered, and whether some were lost.
  var message: String {
    let recovered = trn(
      "The history was damaged and has been repaired: %s item recovered.",
      "The history was damaged and has been repaired: %s items recovered.", clipCount
    ).filled(with: Format.number(clipCount))
    return isIncomplete ? recovered + " " + HistoryFailure.unread.message : recovered
  }
}

extension HistoryCheck {
  /// One line that says what was found, and what the next start does about it.
  var message: String {
    guard !isSound else {
      return trn(
        "No problems found. %s item, %s.", "No problems found. %s items, %s.", clipCount
      ).filled(with: Format.number(clipCount), Format.size(fileSize))
    }
    var parts = [tr("The history file is damaged.")]
    if unreadableCount > 0 {
      let unreadable = trn("%s item could not be read.", "%s items could not be read.", unreadableCount)
      parts.append(unreadable.filled(with: Format.number(unreadableCount)))
    }
    if wrongCount > 0 {
      let wrong = trn(
        "%s item has a wrong time, size or place.", "%s items have a wrong time, size or place.", wrongCount)
      parts.append(wrong.filled(with: Format.number(wrongCount)))
    }
    parts.append(
      tr(
        "When it next starts, CopyPasta recovers every readable item and keeps the damaged file under another name."
      ))
    return parts.joined(separator: " ")
  }
}

/// An operation on the history that failed, with the reason.
enum HistoryFailure: Equatable {
  /// A text, or a part of the list, could not be read.
  case notRead(StoreError)
  /// Items of a damaged history could not be read.
  case unread
  /// The text to copy or show is no longer in the history.
  case gone
  case clipboardUnavailable
  /// Another program has copied something since the press.
  case clipboardTaken
  /// The compositor would refuse the copy, because nothing was pressed in the window since the last copy elsewhere.
  case notPressed
  case notDeleted(StoreError)
  /// No deletion can be undone any more.
  case nothingToUndo
  case notRestored(StoreError)
  case notCleared(StoreError)
  case notExpired(StoreError)
  case notRecorded(CaptureOutcome)

  /// Whether a change of the history failed.
  var concernsWriting: Bool {
    switch self {
    case .notDeleted, .notRestored, .notCleared, .notExpired, .notRecorded(.failed), .notRecorded(.waiting):
      true
    case .notRead, .unread, .gone, .clipboardUnavailable, .clipboardTaken, .notPressed, .nothingToUndo,
      .notRecorded:
      false
    }
  }

  /// What failed, in one line, and what the user can do; empty if the list shows it.
  var message: String { [consequence, reason].compactMap(\.self).joined(separator: " ") }

  /// What the user asked for and did not get; nil if `reason` says it all.
  var consequence: String? {
    switch self {
    case .notRead, .notRecorded(.waiting): nil
    case .unread: tr("Some items could not be read.")
    case .gone: tr("This item is no longer in the history.")
    case .clipboardUnavailable: tr("Couldn’t copy: the clipboard is unavailable.")
    case .clipboardTaken: tr("Couldn’t copy: another app has copied something since.")
    case .notPressed: tr("Couldn’t copy: first press a key or click in this window.")
    case .notDeleted: tr("Couldn’t delete the item.")
    case .nothingToUndo: tr("Nothing to undo. A deleted item can be restored for a few seconds.")
    case .notRestored: tr("Couldn’t restore the item.")
    case .notCleared: tr("Couldn’t clear the history.")
    case .notExpired: tr("Couldn’t delete older items.")
    case .notRecorded(let outcome): outcome.message
    }
  }

  /// Why the history could not be read or changed; nil if that is not the reason.
  var reason: String? {
    switch self {
    case .notRead(let error), .notDeleted(let error), .notRestored(let error), .notCleared(let error),
      .notExpired(let error), .notRecorded(.failed(let error)):
      error.message
    case .notRecorded(.waiting(let error)): error.reasonForReadOnly
    case .unread, .gone, .clipboardUnavailable, .clipboardTaken, .notPressed, .nothingToUndo, .notRecorded:
      nil
    }
  }
}

extension CaptureOutcome {
  /// A one-line message for the user, without the text itself and without a failure's reason; nil if the list shows the
  /// outcome.
  fileprivate var message: String? {
    switch self {
    case .recorded, .ignored, .nothingToRecord, .waiting: nil
    case .overflow:
      tr("This copy is lost: too many others wait for another app, which is using the history file.")
    case .invalid(.empty): tr("Couldn’t add this copy: its text is empty.")
    case .invalid(.notUTF8), .invalid(.containsNUL): tr("This copy is not plain text.")
    case .unread(.timedOut), .unread(.ownerGone), .unread(.refused), .unread(.unavailable):
      tr("Couldn’t read the copied text. Copy it again.")
    case .unread(.tooLarge(let limit)):
      // In MiB, as in the setting.
      tr("Skipped a copy: it is larger than %s MiB.").filled(with: String(limit >> 20))
    case .unread(.ownershipLost): tr("A copy may be missing. Copy it again.")
    case .unread(.cancelled):
      tr("Nothing was added: the window or the clipboard changed before the text was read. Try again.")
    case .failed: tr("Couldn’t add this copy.")
    case .noText: tr("The clipboard has no text.")
    case .secret: tr("Skipped a copy: a password manager marked it as secret.")
    }
  }
}

/// A completed action that a screen reader announces.
enum HistoryEvent {
  case copied, copiedAndDeleted, deleted, restored

  /// Whether a clip's whole text was put on the clipboard.
  var isCopy: Bool { self == .copied || self == .copiedAndDeleted }

  var message: String {
    switch self {
    case .copied: tr("Copied")
    case .copiedAndDeleted: tr("Copied and deleted, press Control Z to undo")
    case .deleted: tr("Deleted, press Control Z to undo")
    case .restored: tr("Restored")
    }
  }
}
