import GtkTestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct ShortcutsWindowTests {
  @Test func itShowsOnlyKeysThatTheHistoryKnows() {
    for shown in ShortcutsWindow.history {
      #expect(Set(shown.keys).isSubset(of: shown.key.triggers), "\(shown.title)")
    }
  }

  @Test func itShowsAllThatTheKeyboardDoesInTheHistory() {
    // Escape is shown among the keys of the window.
    #expect(Set(ShortcutsWindow.history.map(\.key)) == Set(HistoryKey.allCases).subtracting([.close]))
  }
}
