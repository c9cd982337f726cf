import Foundation
import TestSupport
import Testing

/// Tests of the harness itself: if one of these fails, fix the harness before looking at the program.
@Suite struct HarnessTests {
  @Test func `a wait continues while a file is missing, and ends with any other error`() async throws {
    let folder = try TemporaryFolder()
    func content(_ name: String) throws -> String {
      try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
    }
    var polls = 0
    try await waitUntil("the file", every: .milliseconds(1)) {
      polls += 1
      if polls == 3 { try folder.write("there", to: "late") }
      return try content("late") == "there"
    }
    #expect(polls == 3)
    // An error that never passes is thrown after the limit.
    await #expect(throws: CocoaError.self) {
      try await waitUntil("nothing", within: .milliseconds(20)) { try content("missing") == "" }
    }
    await #expect(throws: CocoaError.self) {
      try await waitUntil("a file in a folder's place") { try content("") == "" }
    }
  }

  @Test func `waiting for a program's output ends when the program does`() async throws {
    let program = try Program(["sh", "-c", "echo one; echo two"], environment: ["PATH": "/usr/bin:/bin"])
    try await program.waitUntil("the lines") { $0 == ["one", "two"] }
    await #expect(throws: TestSupportError.self) {
      try await program.waitUntil("another line") { $0.contains("three") }
    }
  }

  /// The X server is not checked, because a finished desktop leaves its server to the next desktop.
  @Test func `a killed test process leaves no temporary folder`() async throws {
    let result = try await #require(
      processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
    ) {
      try await VirtualDesktop.with { desktop in print("home", desktop.home.path, "end") }
      try await VirtualDesktop.with { _ in
        fflush(nil)
        kill(getpid(), SIGKILL)
      }
    }
    let words = String(decoding: result.standardOutputContent, as: UTF8.self).split(separator: " ")
    let home = try #require(words.firstIndex(of: "home").map { String(words[$0 + 1]) })
    let parent = URL(filePath: home).deletingLastPathComponent().path
    #expect(parent.hasPrefix(NSTemporaryDirectory() + "copypasta-test."))
    try await waitUntil("the folder gone") { !FileManager.default.fileExists(atPath: parent) }
  }

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
