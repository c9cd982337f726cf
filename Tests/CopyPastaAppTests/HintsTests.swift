import GtkKit
import TestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct HintsTests {
  @Test func `each hint is shown only once, even after a restart, unless its file cannot be written`() throws
  {
    let folder = try TemporaryFolder()
    let file = KeyFile(path: folder.path + "/hints.ini", group: "hints")
    var shown: [Hints.Hint] = []
    let hints = Hints(keptIn: file)
    for _ in 1...2 {
      for hint in Hints.Hint.allCases { hints.showOnce(hint) { shown.append(hint) } }
    }
    #expect(shown == Hints.Hint.allCases)
    Hints(keptIn: file).showOnce(.keepsRunning) { shown.append(.keepsRunning) }
    #expect(shown == Hints.Hint.allCases)
    let missing = KeyFile(path: "/proc/none/hints.ini", group: "hints")
    Hints(keptIn: missing).showOnce(.keepsRunning) { shown.append(.keepsRunning) }
    #expect(shown == Hints.Hint.allCases + [.keepsRunning])
  }
}
