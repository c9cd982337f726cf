import GtkKit

/// Hints that are shown once and never again, also after a restart.
@MainActor
final class Hints {
  enum Hint: String, CaseIterable {
    /// Closing the window left the program running.
    case keepsRunning = "keeps-running"
    /// The window can hide after copying.
    case hideAfterCopying = "hide-after-copying"
  }

  private let file: KeyFile
  private lazy var shown = Set(Hint.allCases.filter { file.string($0.rawValue) != nil })

  /// - Parameter file: stores which hints were shown.
  init(keptIn file: KeyFile) { self.file = file }

  /// Calls `show` unless the hint was shown before.
  ///
  /// If the file cannot be written, the hint comes again after the next start.
  func showOnce(_ hint: Hint, _ show: () -> Void) {
    guard shown.insert(hint).inserted else { return }
    do throws(GLibError) {
      try file.write(strings: shown.map { (key: $0.rawValue, value: "shown") })
    } catch {
      printError(tr("It could not be saved that a hint was shown: %s").filled(with: error.message))
    }
    show()
  }
}
