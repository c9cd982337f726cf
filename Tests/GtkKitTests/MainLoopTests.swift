import Foundation
import TestSupport
import Testing

@Suite struct MainLoopTests {
  /// If the eventfd's counter is not read, the loop uses some 800,000 µs of processor time per second.
  @Test func `the main loop runs main-actor tasks and sleeps while idle`() async throws {
    let program =
      URL(fileURLWithPath: CopyPasta.programPath).deletingLastPathComponent().path + "/MainLoopProbe"
    let result = try await Program.run([program], environment: ProcessInfo.processInfo.environment)
    let lines = result.text.split(separator: "\n")
    #expect(result.exit == .code(0))
    #expect(lines.first == "tasks 100")
    // If the pool has a thread, libdispatch wakes up once a second forever.
    #expect(lines.contains("pooled 0"))
    let idle = try #require(lines.last?.split(separator: " ").last.flatMap { Int($0) })
    #expect(idle < 100_000)
  }
}
