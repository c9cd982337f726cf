import GtkTestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct ShortcutsWindowTests {
  @Test func `it shows only keys that the history knows`() {
    for shown in ShortcutsWindow.history {
      #expect(Set(shown.keys).isSubset(of: shown.key.triggers), "\(shown.title)")
    }
  }

  @Test func `it shows all that the keyboard does in the history`() {
    // Escape is shown among the keys of the window.
    #expect(Set(ShortcutsWindow.history.map(\.key)) == Set(HistoryKey.allCases).subtracting([.close]))
  }
}
