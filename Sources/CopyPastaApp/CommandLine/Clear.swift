import ClipHistory
import GtkKit

/// `--clear`: deletes all items, as *Clear History* does, and prints how many; does not ask, so scripts can use it.
///
/// The running instance deletes them if there is one, so that its list becomes empty. Needs no display.
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
      guard try !location.isVacant else { return report(0) }
      let store = try HistoryStore(location: location, digest: HistorySession.digest)
      return report(try MainLoop.result { await deleteAll(in: store) }.get())
    } catch  where error == .damaged || error == .otherLayout {
      return removeAll(location)
    } catch {
      printError(failure(error))
      return 1
    }
  }

  /// Removes a history that would first have to be recovered.
  private static func removeAll(_ location: HistoryLocation) -> Int32 {
    do throws(StoreError) {
      return report(try location.removeAll())
    } catch {
      printError(failure(error))
      return 1
    }
  }

  private static func deleteAll(in store: HistoryStore) async -> Result<Int, StoreError> {
    do throws(StoreError) {
      let count = try await store.deleteAll()
      await store.close()
      return .success(count)
    } catch {
      return .failure(error)
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
