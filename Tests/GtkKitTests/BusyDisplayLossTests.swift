import Foundation
import TestSupport
import Testing

@Suite struct BusyDisplayLossTests {
  /// GDK waits for the answer, for ever.
  @Test func `the program ends also if it is about to show a window`() async throws {
    try await VirtualDesktop.with(.wayland) { desktop in
      let probe = try await Self.loseDisplay(on: desktop, and: "show")
      #expect(try await probe.waitForExit() == .code(1))
    }
  }

  /// Before it waits again, the loop sends what there is to send; GDK finds nobody there and ends the process.
  @Test func `the program is told also if its loop is busy meanwhile`() async throws {
    try await VirtualDesktop.with(.wayland) { desktop in
      let probe = try await Self.loseDisplay(on: desktop, and: "hide")
      #expect(try await probe.waitForExit() == .code(1))
      #expect(String(decoding: probe.output, as: UTF8.self) == "busy\nlost\n")
      #expect(probe.errors == "")
    }
  }

  /// Starts the probe, kills the compositor while its loop is busy, and has it go on.
  private static func loseDisplay(on desktop: VirtualDesktop, and next: String) async throws -> Program {
    let folder = URL(fileURLWithPath: CopyPasta.programPath).deletingLastPathComponent().path
    let probe = try desktop.start([folder + "/DisplayLossProbe", next])
    try await waitUntil("its loop busy") { String(decoding: probe.output, as: UTF8.self) == "busy\n" }
    try await desktop.killDisplay()
    probe.signal(SIGUSR1)
    return probe
  }
}
