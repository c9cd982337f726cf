import GtkKit

/// Hints that are each shown only once, even across restarts.
@MainActor
final class Hints {
  enum Hint: String, CaseIterable {
    /// The program keeps running after its window was closed.
    case keepsRunning = "keeps-running"
  }

  private let file: KeyFile
  private lazy var shown = Set(Hint.allCases.filter { file.string($0.rawValue) != nil })

  /// - Parameter file: Stores which hints were shown.
  init(keptIn file: KeyFile) { self.file = file }

  /// Calls `show` unless the hint was shown before.
  ///
  /// If the file cannot be written, the hint is shown again after the next start.
  func showOnce(_ hint: Hint, _ show: () -> Void) {
    guard shown.insert(hint).inserted else { return }
    do throws(GLibError) {
      try file.write(strings: shown.map { (key: $0.rawValue, value: "shown") })
    } catch {
      printError(tr("Couldn’t save that a hint was shown: %s").filled(with: error.message))
    }
    show()
  }
}
