import ClipHistory
import GtkKit

/// `--print [N]`: writes the text of the N-th newest item byte for byte, and adds nothing.
///
/// Needs no display, does not change the history, and works while the program runs.
enum Print {
  /// Writes a text to a file descriptor; if that fails, prints one line with the reason.
  ///
  /// - Parameter number: The item's place in the list; 1 is the newest.
  /// - Returns: The exit status: 0 if the text was written, 1 otherwise.
  static func run(_ location: HistoryLocation, _ number: Int, to descriptor: Int32) -> Int32 {
    do throws(StoreError) {
      guard try !location.isMissing, let text = try location.text(ofNewest: number) else {
        printError(tr("The history has no item %s.").filled(with: Format.number(number)))
        return 1
      }
      return printBytes(text.bytes, to: descriptor) ? 0 : 1
    } catch {
      printError(tr("Not printed.") + " " + error.message)
      return 1
    }
  }
}
