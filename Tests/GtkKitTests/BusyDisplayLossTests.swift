import Foundation
import TestSupport
import Testing

@Suite struct BusyDisplayLossTests {
  /// Before the loop sleeps again, it sends pending requests; GDK detects the loss then and exits the process.
  @Test func `the loss of the display is reported even if the main loop is busy`() async throws {
    try await VirtualDesktop.with(.wayland) { desktop in
      let folder = URL(fileURLWithPath: CopyPasta.programPath).deletingLastPathComponent().path
      let probe = try desktop.start([folder + "/DisplayLossProbe"])
      try await waitUntil("its loop busy") { String(decoding: probe.output, as: UTF8.self) == "busy\n" }
      try await desktop.killDisplay()
      probe.signal(SIGUSR1)
      #expect(try await probe.waitForExit() == .code(1))
      #expect(String(decoding: probe.output, as: UTF8.self) == "busy\nlost\n")
      #expect(probe.errors == "")
    }
  }
}
