import GtkKit
import TestSupport
import Testing

@testable import CopyPastaApp

/// What users of a compositor add to its configuration.
@MainActor @Suite struct CompositorTests {
  @Test(.enabled(if: Requirement.restrictedUser.isMet, "\(Requirement.restrictedUser)"))
  func `sway's own check accepts the lines`() async throws {
    let sway = try #require(Compositor.all.first { $0.file.hasSuffix("/sway/config") })
    let folder = try TemporaryFolder()
    let added = (sway.lines + "\n" + sway.start).filled(with: "copypasta", "copypasta")
    for (lines, isSound) in [(added, true), ("bindsymm Mod4+v exec true", false)] {
      try folder.write(lines + "\n", to: "config")
      let result = try await Program.run(
        asOtherThanRoot(owning: folder.path) + ["sway", "--validate", "--config", folder.path + "/config"],
        environment: [
          "PATH": "/usr/bin:/bin", "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path,
          "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1",
        ])
      #expect((result.exit == .code(0)) == isSound, "\(result.text) \(result.errors)")
    }
  }
}
