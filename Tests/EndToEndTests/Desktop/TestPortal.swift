import TestSupport

/// The desktop's portals, which grant every shortcut and have the settings that the test sets.
struct TestPortal {
  let program: Program
  private let desktop: VirtualDesktop

  static func start(
    _ settings: [String: String] = [:], on desktop: VirtualDesktop
  ) async throws -> TestPortal {
    let program = try desktop.start(Fixture.python("portal.py", settings.flatMap { [$0, $1] }))
    try await program.waitUntil("the portal") { $0.first == "ready" }
    return TestPortal(program: program, desktop: desktop)
  }

  func set(_ key: String, to value: String) async throws {
    try await desktop.run([
      "gdbus", "call", "--session", "--dest", "org.freedesktop.portal.Desktop", "--object-path",
      "/org/freedesktop/portal/desktop", "--method", "org.copypasta.Test.Set", key, "\"\(value)\"",
    ]).succeeded()
  }
}
