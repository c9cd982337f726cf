import ClipHistory
import GtkKit

/// `--import`: adds the output of `--export` to the history, in one transaction.
///
/// Needs no display. Adds every line that is an item, and names the others.
enum Import {
  /// The number of refused lines that are named.
  private static let mostNamed = 20

  /// Imports from a file descriptor; prints a line for each refused line, and a last line with the counts or the
  /// failure.
  ///
  /// - Parameter period: The retention period, used to count the added items that are older.
  /// - Returns: The exit status: 0 if every line is in the history now, 1 otherwise.
  static func run(
    _ location: HistoryLocation, from descriptor: Int32, keeping period: RetentionPeriod = .forever
  ) -> Int32 {
    do {
      let counts = try add(from: descriptor, to: location, keeping: period)
      printLine(counts.message)
      return counts.refused == 0 ? 0 : 1
    } catch StoreError.locked {
      printError(
        tr(
          "Not imported: the history is open in CopyPasta or another app. "
            + "Quit CopyPasta (copypasta --quit) or that app, then try again."
        )
      )
    } catch let error as StoreError {
      printError(tr("Not imported.") + " " + error.message)
    } catch let error as FileError {
      printError(tr("Not imported: the input could not be read (%s).").filled(with: error.reason))
    } catch {
      printError(tr("Not imported."))
    }
    return 1
  }

  /// Imports every valid line, and prints why the others are refused.
  static func add(
    from descriptor: Int32, to location: HistoryLocation, keeping period: RetentionPeriod
  ) throws -> ImportCounts {
    let limit = period.limit(at: Format.now) ?? 1
    let history = try HistoryImport(location, at: Format.now)
    var lines = ImportReader(descriptor: descriptor)
    var counts = ImportCounts(period: period)
    while let line = try lines.next() {
      switch line {
      case .success(let item) where try history.add(item.text, capturedAt: item.capturedAt):
        counts.added += 1
        if (1..<limit).contains(item.capturedAt) { counts.older += 1 }
      case .success: counts.present += 1
      case .failure(let refusal):
        counts.refused += 1
        guard counts.refused <= mostNamed else { continue }
        printError(
          tr("Line %s was refused: %s").filled(with: String(lines.number), refusal.message))
      }
    }
    try history.finish()
    return counts
  }
}

/// The number of lines of an import, by outcome.
struct ImportCounts {
  let period: RetentionPeriod
  var added = 0
  /// How many of the added items are older than the retention period.
  var older = 0
  var present = 0
  var refused = 0

  var message: String {
    var parts = [
      trn("%s item was imported.", "%s items were imported.", added).filled(with: Format.number(added))
    ]
    if older > 0 {
      parts.append(
        trn(
          "%s of them is older than %s: CopyPasta asks before deleting it.",
          "%s of them are older than %s: CopyPasta asks before deleting them.", older
        ).filled(with: Format.number(older), period.words))
    }
    if present > 0 {
      parts.append(
        trn("%s item was already there.", "%s items were already there.", present).filled(
          with: Format.number(present)))
    }
    if refused > 0 {
      parts.append(
        trn("%s line was refused.", "%s lines were refused.", refused).filled(with: Format.number(refused)))
    }
    return parts.joined(separator: " ")
  }
}
