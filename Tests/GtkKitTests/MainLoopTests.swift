import Foundation
import TestSupport
import Testing

@Suite struct MainLoopTests {
  private let probe =
    URL(fileURLWithPath: CopyPasta.programPath).deletingLastPathComponent().path + "/MainLoopProbe"

  /// If the eventfd's counter is not read, the loop uses some 800,000 µs of processor time per second.
  @Test func `the main loop runs main-actor tasks and sleeps while idle`() async throws {
    let result = try await Program.run([probe], environment: ProcessInfo.processInfo.environment)
    let lines = result.text.split(separator: "\n")
    #expect(result.exit == .code(0))
    #expect(lines.first == "tasks 100")
    // If the pool has a thread, libdispatch wakes up once a second forever.
    #expect(lines.contains("pooled 0"))
    let idle = try #require(lines.last?.split(separator: " ").last.flatMap { Int($0) })
    #expect(idle < 100_000)
  }

  @Test func `a portal that never answers delays the start by less than half a second`() async throws {
    let bus = try await PrivateBus.start()
    let portal = try bus.start(Fixture.python("portal.py"))
    try await portal.waitUntil("the portal") { $0 == ["ready"] }
    portal.signal(SIGSTOP)
    defer { portal.signal(SIGCONT) }
    // On X11 the portal is not awaited.
    let start = ["/usr/bin/env", "XDG_SESSION_TYPE=wayland", probe, "services"]
    // A busy machine may delay the end of the wait, but not each time.
    try await waitUntil("a start in time") { try await bus.run(start).text == "in time" }
  }
}
