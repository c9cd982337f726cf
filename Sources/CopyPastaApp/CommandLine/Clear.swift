import ClipHistory
import GtkKit

/// `--clear`: deletes all items, as *Clear History* does, and prints how many; does not ask, so scripts can use it.
///
/// The running instance deletes them if there is one, so that its list becomes empty. If it cannot be reached, because
/// there is no session bus, nothing is deleted. Needs no display.
@MainActor
enum Clear {
  /// Deletes all items; if that fails, prints one line with the reason.
  ///
  /// - Returns: The exit status.
  static func run(_ location: HistoryLocation, of running: RunningApplication) -> Int32 {
    do throws(BusError) {
      if let count = try HistoryBusInterface.clear(running) { return report(count) }
    } catch {
      if case .refused(HistoryBusInterface.failure, let message) = error {
        printError(message)
      } else {
        printError(tr("CopyPasta is running but not responding: %s").filled(with: error.description))
      }
      return 1
    }
    do throws(StoreError) {
      return report(try location.clear())
    } catch {
      printError(failure(error))
      return 1
    }
  }

  /// One line that says why the history was not cleared.
  static func failure(_ error: StoreError) -> String {
    tr("Couldn’t clear the history.") + " " + error.message
  }

  private static func report(_ count: Int) -> Int32 {
    printLine(trn("%s item was deleted.", "%s items were deleted.", count).filled(with: Format.number(count)))
    return 0
  }
}
