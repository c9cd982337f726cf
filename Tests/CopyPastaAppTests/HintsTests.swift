import GtkKit
import TestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct HintsTests {
  @Test func `each hint is shown only once, even after a restart`() throws {
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
  }

  @Test func `a hint that cannot be stored is shown again after a restart`() {
    var count = 0
    let missing = KeyFile(path: "/proc/none/hints.ini", group: "hints")
    for _ in 1...2 { Hints(keptIn: missing).showOnce(.keepsRunning) { count += 1 } }
    #expect(count == 2)
  }
}
