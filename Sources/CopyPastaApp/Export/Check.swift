import ClipHistory
import GtkKit

/// Says in one line whether the history is sound; needs no display, and the program may run meanwhile.
enum Check {
  /// Looks at the whole history, and says what was found.
  ///
  /// - Returns: the exit status: 0 if nothing is wrong, 1 if the history is damaged, 2 if it could not be looked at.
  static func run(_ location: HistoryLocation) -> Int32 {
    do throws(StoreError) {
      guard try !location.isVacant else {
        print(tr("There is no history yet."))
        return 0
      }
      let check = try HistoryCheck(location)
      print(check.message)
      return check.isSound ? 0 : 1
    } catch {
      printError(tr("Not checked.") + " " + error.message)
      return 2
    }
  }
}
