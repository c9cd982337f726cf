import ClipHistory
import Glibc
import GtkKit

/// Adds to the history what `--export` wrote: all of it in one transaction.
///
/// No display is needed. A line that is refused is named by its number, and the others are added.
enum Import {
  /// Reads a file descriptor to its end, and says in one line each what was refused, what failed and what was done.
  ///
  /// - Returns: the exit status: 0 if every line is in the history now, 1 otherwise.
  static func run(_ location: HistoryLocation, from descriptor: Int32) -> Int32 {
    do {
      let counts = try add(from: descriptor, to: location)
      print(counts.message)
      return counts.refused == 0 ? 0 : 1
    } catch StoreError.locked {
      complain(
        tr(
          "Not imported: the history is open in CopyPasta or another program. "
            + "Quit CopyPasta (copypasta --quit) or that program, then try again."
        )
      )
    } catch let error as StoreError {
      complain(tr("Not imported.") + " " + error.message)
    } catch let error as FileError {
      complain(tr("Not imported: the input could not be read (%s).").filled(with: error.reason))
    } catch {
      complain(tr("Not imported."))
    }
    return 1
  }

  private static func add(from descriptor: Int32, to location: HistoryLocation) throws -> ImportCounts {
    let history = try HistoryImport(location, at: Format.now)
    var lines = ImportReader(descriptor: descriptor)
    var counts = ImportCounts()
    while let line = try lines.next() {
      switch line {
      case .success(let line):
        do {
          let text = try ClipText(validating: line.text)
          if try history.add(text, capturedAt: line.capturedAt) {
            counts.added += 1
          } else {
            counts.present += 1
          }
        } catch is ClipText.Refusal {
          refuse(
            lines.number, tr("the text is empty, is not valid UTF-8, or contains a NUL character"), &counts)
        }
      case .failure(let refusal): refuse(lines.number, refusal.message, &counts)
      }
    }
    try history.finish()
    return counts
  }

  private static func refuse(_ line: Int, _ reason: String, _ counts: inout ImportCounts) {
    counts.refused += 1
    complain(tr("Line %s was refused: %s").filled(with: String(line), reason))
  }
}

/// How many lines of an import were added, or not.
private struct ImportCounts {
  var added = 0
  var present = 0
  var refused = 0

  /// The counts in words, in one line.
  var message: String {
    var parts = [
      trn("%s text was imported.", "%s texts were imported.", added).filled(with: Format.number(added))
    ]
    if present > 0 {
      parts.append(
        trn("%s text was already there.", "%s texts were already there.", present).filled(
          with: Format.number(present)))
    }
    if refused > 0 {
      parts.append(
        trn("%s line was refused.", "%s lines were refused.", refused).filled(with: Format.number(refused)))
    }
    return parts.joined(separator: " ")
  }
}
