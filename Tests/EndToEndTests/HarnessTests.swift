import Foundation
import TestSupport
import Testing

/// Tests of the harness itself: if one of these fails, fix the harness before looking at the program.
@Suite struct HarnessTests {
  @Test func `a text copied on Wayland can be pasted`() async throws {
    try await VirtualDesktop.with(.wayland) { desktop in
      let text = "two\nlines, 🍝 and שלום"
      try await desktop.copy(text)
      #expect(try await desktop.paste() == Array(text.utf8))

      let owner = try await ClipboardOwner.start(offering: .text("plain"), .html("<b>rich</b>"), on: desktop)
      #expect(try await WLClipboard.types(on: desktop).contains("text/html"))
      #expect(owner.requests.isEmpty)
      #expect(try await WLClipboard.paste(type: "text/html", on: desktop) == Array("<b>rich</b>".utf8))
      #expect(owner.contentRequests == ["text/html"])
      try await desktop.copy("taken")
      #expect(try await owner.program.waitForExit() == .code(0))
    }
  }

  @Test func `ClipboardOwner records the requests that it receives`() async throws {
    try await VirtualDesktop.with { desktop in
      let owner = try await ClipboardOwner.start(
        offering: .text("plain"), .html("<b>rich</b>"), .hint(), on: desktop)
      #expect(owner.requests.isEmpty)
      #expect(try await XClip.targets(on: desktop).contains("x-kde-passwordManagerHint"))
      #expect(owner.contentRequests.isEmpty)
      #expect(try await XClip.paste(target: "text/html", on: desktop) == Array("<b>rich</b>".utf8))
      #expect(try await XClip.paste(target: "image/png", on: desktop) == nil)
      #expect(owner.contentRequests == ["text/html", "image/png"])

      try await XClip.copy("taken", on: desktop)
      #expect(try await owner.program.waitForExit() == .code(0))
    }
  }

  @Test func `screenshots of a row have the same text before and after its tint fades`() async throws {
    try await Scene.run { scene in
      let below = Rectangle(x: 100, y: 300, width: 100, height: 24)
      try await scene.capture("one")
      let tinted = try await scene.screenshot()
      var faded = tinted
      try await waitUntil("the tint gone") {
        faded = try await scene.screenshot()
        return faded.mostCommonColour(in: Scene.firstRow) == faded.mostCommonColour(in: below)
      }
      #expect(faded.hasSameText(as: tinted, in: Scene.firstRow))
      try await scene.capture("two")
      #expect(try await !scene.screenshot().hasSameText(as: tinted, in: Scene.firstRow))
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

  @Test func `stopping a program ends its child processes`() async throws {
    let shell = try Program(
      ["bash", "-c", "sleep 600 | sleep 600 & jobs -p; wait"], environment: ["PATH": "/usr/bin:/bin"])
    try await waitUntil("the first of the two") { !shell.lines.isEmpty }
    let child = try #require(Int(shell.lines[0]))
    try await shell.stop()
    // A zombie process has an empty command line.
    try await waitUntil("the child process gone") {
      FileManager.default.contents(atPath: "/proc/\(child)/cmdline")?.isEmpty ?? true
    }
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
