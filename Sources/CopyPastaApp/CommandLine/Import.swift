import ClipHistory
import Glibc
import GtkKit

/// `--import`: adds the output of `--export` to the history, in one transaction.
///
/// Needs no display. Prints the number of each line that is refused, and adds the others. Adds nothing if the input is
/// another kind of file.
enum Import {
  /// The input is another kind of file: none of its first lines, or of all its lines, is an item.
  struct WrongFormat: Error {
    /// The number of lines that decide.
    static let lineCount = 100
  }

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
    } catch is WrongFormat {
      printError(tr("Not imported: the input is not in the format of --export."))
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
    var progress = ProgressLine()
    defer { progress.clear() }
    progress.show(0)
    let history = try HistoryImport(location, at: Format.now)
    var lines = ImportReader(descriptor: descriptor)
    var counts = ImportCounts(period: period)
    /// The malformed lines before the first other line; nil after it.
    var malformed: [Int]? = []
    while let line = try lines.next() {
      progress.show(lines.number)
      if let count = malformed?.count, line == .failure(.malformed) {
        guard count + 1 < WrongFormat.lineCount else { throw WrongFormat() }
        malformed?.append(lines.number)
        continue
      }
      for number in malformed.take() ?? [] {
        progress.clear()
        refuse(number, ImportReader.Refusal.malformed.message, &counts)
      }
      switch line {
      case .success(let line):
        do {
          let text = try ClipText(validating: line.text)
          if try history.add(text, capturedAt: line.capturedAt) {
            counts.added += 1
            if (1..<limit).contains(line.capturedAt) { counts.older += 1 }
          } else {
            counts.present += 1
          }
        } catch is ClipText.Refusal {
          progress.clear()
          refuse(
            lines.number, tr("the text is empty, is not valid UTF-8, or contains a NUL character"), &counts)
        }
      case .failure(let refusal):
        progress.clear()
        refuse(lines.number, refusal.message, &counts)
      }
    }
    guard malformed?.isEmpty != false else { throw WrongFormat() }
    try history.finish()
    return counts
  }

  private static func refuse(_ line: Int, _ reason: String, _ counts: inout ImportCounts) {
    counts.refused += 1
    printError(tr("Line %s was refused: %s").filled(with: String(line), reason))
  }
}

/// A line on standard error that shows the progress of an import, if standard error is a terminal.
private struct ProgressLine {
  /// The minimum time between two updates, in microseconds.
  private static let pause: Int64 = 200_000

  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var next: Int64 = 0

  mutating func show(_ count: Int) {
    guard isTerminal, case let now = Format.now, now >= next else { return }
    next = now + Self.pause
    write(trn("%s line read…", "%s lines read…", count).filled(with: Format.number(count)))
  }

  /// Erases the line, to make room for a message.
  mutating func clear() {
    guard isTerminal else { return }
    next = 0
    write("")
  }

  /// Overwrites the line and erases the rest of it (ECMA-48, EL).
  private func write(_ text: String) {
    writeError("\r" + text + "\u{1b}[K")
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
