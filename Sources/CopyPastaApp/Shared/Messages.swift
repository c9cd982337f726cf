import ClipHistory
import Glibc
import GtkKit

extension StoreError {
  /// What failed and what the user can do, in one line.
  var message: String {
    switch self {
    case .folderUnusable(_, ENAMETOOLONG):
      tr(
        "The history cannot be kept: the path of its folder is too long. Set XDG_DATA_HOME to a folder with a shorter path."
      )
    case .folderUnusable(let path, let code):
      tr("The history’s folder “%s” cannot be used (%s). Check its owner, its permissions and its disk.")
        .filled(with: path, String(cString: strerror(code)))
    case .cannotOpen(let path, _):
      tr("The history cannot be kept: “%s” cannot be used. Check its owner and its permissions.")
        .filled(with: path)
    case .irregular(let path):
      tr(
        "The history cannot be kept: “%s” is a symbolic link or a pipe, which CopyPasta does not follow. Move it away."
      )
      .filled(with: path)
    case .unsuitableFileSystem(let path):
      tr(
        "The history cannot be kept: the file system of “%s” has no file locks. Put the history on a local disk."
      )
      .filled(with: path)
    case .readOnly:
      tr("The history cannot be changed: its file or folder is read-only.")
    case .damaged:
      tr(
        "The history’s file is damaged. At its next start, CopyPasta carries over every text that can be read."
      )
    case .foreign:
      tr("The history’s file belongs to another program. CopyPasta left the file unchanged.")
    case .newerSchema:
      tr("The history was written by a newer CopyPasta. Update CopyPasta to open it.")
    case .replaced:
      tr("The history’s file was removed or replaced. The list shows the history that is there now.")
    case .locked:
      tr("Another program is using the history’s file. Try again when that program is done.")
    case .openElsewhere:
      tr(
        "The history is open on another computer that shares its folder. Quit CopyPasta there, then try again."
      )
    case .diskFull:
      tr("The disk is full. Free some space, then try again.")
    case .cannotBeRecovered:
      tr(
        "The history’s file is damaged and cannot be rescued: no new file can be written beside it. Check the folder and the disk."
      )
    case .alreadyThere:
      tr("The text is in the history already.")
    case .failed(let code):
      tr("The history’s file could not be used (SQLite error %s).").filled(with: String(code))
    }
  }
}

extension StoreError {
  /// That the history can only be read, and why, in one line.
  var reasonForReadOnly: String {
    self == .readOnly ? message : tr("The history cannot be changed for now.") + " " + message
  }
}

extension HistoryRecovery.Outcome {
  /// How many texts were recovered and lost, and the name of the damaged file.
  var message: String {
    let name = damagedFile.split(separator: "/").last.map(String.init) ?? damagedFile
    let kept = trn(
      "The history’s file was damaged. %s text was carried over; the damaged file was kept as “%s”.",
      "The history’s file was damaged. %s texts were carried over; the damaged file was kept as “%s”.",
      clipCount
    ).filled(with: Format.number(clipCount), name)
    guard lostCount > 0 else { return kept }
    let lost = trn("%s text could not be read.", "%s texts could not be read.", lostCount)
    return kept + " " + lost.filled(with: Format.number(lostCount))
  }
}

extension HistoryCheck {
  /// What was found, and what the next start does about it, in one line.
  var message: String {
    guard !isSound else {
      return trn(
        "The history is sound: %s text, %s on disk.", "The history is sound: %s texts, %s on disk.", clipCount
      ).filled(with: Format.number(clipCount), Format.size(fileSize))
    }
    var parts = [tr("The history’s file is damaged.")]
    if unreadableCount > 0 {
      let unreadable = trn("%s text could not be read.", "%s texts could not be read.", unreadableCount)
      parts.append(unreadable.filled(with: Format.number(unreadableCount)))
    }
    if wrongCount > 0 {
      let wrong = trn(
        "%s text has a wrong time, size or place.", "%s texts have a wrong time, size or place.", wrongCount)
      parts.append(wrong.filled(with: Format.number(wrongCount)))
    }
    parts.append(
      tr(
        "At its next start, CopyPasta keeps the damaged file under another name and carries over every text that can be read."
      ))
    return parts.joined(separator: " ")
  }
}

/// An operation on the history that failed, with the reason.
enum HistoryFailure: Equatable {
  /// A text, or a part of the list, could not be read.
  case notRead(StoreError)
  /// The text to copy or show is no longer in the history.
  case gone
  /// The desktop's clipboard cannot be reached.
  case clipboardUnavailable
  /// Another program copied something at the same moment.
  case clipboardTaken
  case notDeleted(StoreError)
  case notRestored(StoreError)
  case notCleared(StoreError)
  case notExpired(StoreError)
  case notRecorded(CaptureOutcome)

  /// What failed and what the user can do, in one line; nil if nothing has to be shown.
  var message: String? {
    switch self {
    case .notRead(let error): error.message
    case .gone: tr("This text is no longer in the history.")
    case .clipboardUnavailable: tr("Not copied: the clipboard is out of reach.")
    case .clipboardTaken: tr("Not copied: another program copied something at the same moment. Try again.")
    case .notDeleted(let error): tr("Not deleted.") + " " + error.message
    case .notRestored(let error): tr("Not restored.") + " " + error.message
    case .notCleared(let error): tr("Not cleared.") + " " + error.message
    case .notExpired(let error): tr("Older items were not deleted.") + " " + error.message
    case .notRecorded(let outcome): outcome.message
    }
  }
}

extension CaptureOutcome {
  /// The message for the user in one line, without the text itself; nil if the list shows the outcome.
  var message: String? {
    switch self {
    case .recorded, .ignored, .nothingToRecord: nil
    case .invalid(.empty): tr("Not recorded: the text is empty.")
    case .invalid(.notUTF8): tr("Not recorded: the copied text is not valid UTF-8.")
    case .invalid(.containsNUL): tr("Not recorded: the copied text contains a NUL character.")
    case .unread(.timedOut):
      tr("Not recorded: the program that offers the text did not deliver it in time.")
    case .unread(.ownerGone):
      tr("Not recorded: the program that offered the text ended before delivering it.")
    case .unread(.refused): tr("Not recorded: the program that offers the text would not deliver it.")
    case .unread(.tooLarge(let limit)):
      // In MiB, as in Preferences.
      tr("Not recorded: the text is larger than %s MiB.").filled(with: String(limit >> 20))
    case .unread(.ownershipLost):
      tr(
        "The text that was copied before may be missing: the program that offered it was too slow. Copy that text again."
      )
    case .unread(.cancelled), .unread(.unavailable): tr("Not recorded: the clipboard is out of reach.")
    case .failed(let error): tr("Not recorded.") + " " + error.message
    case .noText: tr("Not recorded: there is no text to paste.")
    case .secret: tr("Not recorded: a password manager marked this text as secret.")
    }
  }
}
