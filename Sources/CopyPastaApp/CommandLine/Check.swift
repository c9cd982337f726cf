import ClipHistory
import GtkKit

/// `--check`: prints whether the history is sound; needs no display, and works while the program runs.
enum Check {
  /// The exit status if the history could not be checked, or the outcome not printed.
  static let notChecked: Int32 = 2

  /// Checks the whole history and prints one line with the outcome.
  ///
  /// - Returns: The exit status: 0 if the history is sound or does not exist, 1 if it is damaged, or `notChecked`.
  static func run(_ location: HistoryLocation) -> Int32 {
    do throws(StoreError) {
      guard try !location.isMissing else {
        return printLine(tr("There is no history yet.")) ? 0 : notChecked
      }
      let check = try HistoryCheck(location)
      let isPrinted = printLine(check.message)
      return !check.isSound ? 1 : isPrinted ? 0 : notChecked
    } catch {
      printError(tr("Not checked.") + " " + error.message)
      return notChecked
    }
  }
}
