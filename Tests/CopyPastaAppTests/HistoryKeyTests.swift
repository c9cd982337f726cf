import GtkTestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct HistoryKeyTests {
  @Test func `no key means two things`() {
    let triggers = HistoryKey.allCases.flatMap(\.triggers)
    #expect(Set(triggers).count == triggers.count)
    #expect(HistoryKey.allCases.allSatisfy { !$0.triggers.isEmpty })
  }

  @Test func `no digit is a key by itself`() {
    #expect(!HistoryKey.allCases.flatMap(\.triggers).contains { $0.last?.isNumber == true && $0.count == 1 })
  }
}
