import Foundation
import TestSupport
import Testing

/// Tests of the harness itself: if one of these fails, fix the harness before looking at the program.
@Suite struct HarnessTests {
  /// The script runs with a PATH that has neither `apt-get` nor any package of the group `build`.
  @Test(arguments: [
    ("", "there is no Swift here. Please install Swift 6.2 or newer: https://"),
    ("Swift version 6.0.3", "this is Swift 6.0. Please install 6.2 or newer: https://"),
    (
      "Swift version 6.3.1",
      "please install what is missing (docs/packages.md), or set COPYPASTA_SKIP_PACKAGES=1: gtk4 "
    ),
  ])
  func `the packages script prints one line with all missing packages`(
    swift: String, line: String
  ) async throws {
    let folder = try TemporaryFolder()
    for name in ["basename", "dirname", "head", "sed", "sort"] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/\(name)", withDestinationPath: "/usr/bin/\(name)")
    }
    if !swift.isEmpty {
      // Write the file in another process. A child that another test has just forked from this process could still
      // hold the file open for writing, and running it would fail with ETXTBSY.
      let script = "printf '#!/bin/sh\\necho \(swift)\\n' >\"$1\" && chmod 755 \"$1\""
      let made = try await Program.run(
        ["/bin/sh", "-c", script, "sh", folder.path + "/swift"], environment: ["PATH": "/usr/bin:/bin"])
      try #require(made.exit == .code(0), "\(made.errors)")
    }
    let result = try await Program.run(
      ["/bin/bash", Fixture.checkout + "/meson-helpers/packages", "build"], environment: ["PATH": folder.path]
    )
    #expect(result.exit == .code(1))
    #expect(result.errors.hasPrefix("packages: " + line))
    #expect(result.errors.count { $0 == "\n" } == 1)
    #expect(result.output.isEmpty)
  }
}
