import Foundation
import TestSupport
import Testing

@Suite struct MainLoopTests {
  /// Without the eventfd's counter being read the loop spins, at some 800,000 µs a second.
  @Test func `main actor tasks run and an idle loop sleeps`() async throws {
    let program =
      URL(fileURLWithPath: CopyPasta.programPath).deletingLastPathComponent().path + "/MainLoopProbe"
    let result = try await Program.run([program], environment: ProcessInfo.processInfo.environment)
    let lines = result.text.split(separator: "\n")
    #expect(result.exit == .code(0))
    #expect(lines.first == "tasks 100")
    // With a pooled thread libdispatch wakes up once a second for ever.
    #expect(lines.contains("pooled 0"))
    let idle = try #require(lines.last?.split(separator: " ").last.flatMap { Int($0) })
    #expect(idle < 100_000)
  }
}
