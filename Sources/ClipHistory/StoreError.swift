/// What failed in the history.
///
/// It names files and numbers, never a clip's text; the app words it for the user.
public enum StoreError: Error, Equatable, Sendable {
  /// The folder cannot be made, entered or made private; `errno` says why.
  case folderUnusable(path: String, errno: Int32)
  /// The folder or a file is a symbolic link, a pipe or the like. It was not followed, nor opened.
  case irregular(path: String)
  /// The file system gives no locks, or no memory that processes share.
  case unsuitableFileSystem(path: String)
  /// The file cannot be opened or used; `code` is SQLite's extended result code.
  case cannotOpen(path: String, code: Int32)
  /// The file or its folder may be read, but not written.
  case readOnly
  /// The file is damaged, or no database at all: for `HistoryRescuer`. Nothing in it was overwritten.
  case damaged
  /// The file is the database of another program. It was left alone.
  case foreign
  /// A newer version of the program wrote the file: schema `found`, where this one knows `known`. It was left alone.
  case newerSchema(found: Int, known: Int)
  /// The file was removed or replaced while it was open; nothing is written to it any more. Open the history again.
  case replaced
  /// Another program holds the file, for longer than is waited.
  case locked
  /// There is no room on the disk, or within the user's quota. What was to be written was not, as a whole.
  case diskFull
  /// A clip that was to be restored is in the history already.
  case alreadyThere
  /// Anything else; `code` is SQLite's extended result code. `SQLITE_MISUSE` where the store was closed before.
  case failed(code: Int32)
}
