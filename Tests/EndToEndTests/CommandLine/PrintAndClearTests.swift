import Foundation
import TestSupport
import Testing

/// `copypasta --print` and `copypasta --clear`, called from a shell.
@Suite(.keepsPictures) struct PrintAndClearTests {
  @Test func `--print prints a text byte for byte, and --clear empties the history, running or not`()
    async throws
  {
    try await Scene.run(with: ["oldest", "two\r\nlines\n", "newest"], accessibility: true) { scene in
      let printed = try await shell("copypasta --print; echo; copypasta --print 2", on: scene.desktop)
      #expect(printed.output == Array("newest\ntwo\r\nlines\n".utf8) && printed.errors == "")
      let none = try await shell("copypasta --print 4", on: scene.desktop)
      #expect(none.exit == .code(1) && none.output.isEmpty)
      #expect(none.errors == "copypasta: The history has no item 4.\n")
      #expect(try await scene.history.texts().count == 3)

      let cleared = try await scene.desktop.run([CopyPasta.programPath, "--clear"])
      #expect(cleared.text == "3 items were deleted." && cleared.errors == "" && cleared.exit == .code(0))
      #expect(try await scene.history.texts() == [])
      let reader = ScreenReader(desktop: scene.desktop)
      try await waitUntil("the empty page") {
        try await reader.tree().all.contains { $0.name == "History Is Empty" }
      }
      try await scene.capture("recorded afterwards")
      try await scene.end()
      for message in ["1 item was deleted.", "0 items were deleted."] {
        let cleared = try await shell("copypasta --clear", on: scene.desktop)
        #expect(cleared.text == message && cleared.errors == "" && cleared.exit == .code(0))
      }
    }
  }

  @Test func `a missing history and lost output are reported in one line, and a closed pipe is not`()
    async throws
  {
    try await VirtualDesktop.with { desktop in
      let none = try await shell("copypasta --print", on: desktop)
      #expect(none.exit == .code(1) && none.errors == "copypasta: The history has no item 1.\n")
      try await Scene.fillHistory(with: [String(repeating: "x", count: 1 << 20)], on: desktop)
      let closed = try await shell("trap '' PIPE; copypasta --print | head -c 1", on: desktop)
      #expect(closed.text == "x" && closed.errors == "")
      let lost = "copypasta: Not printed: the output could not be written (No space left on device).\n"
      // The status of --clear is about the deletion, which succeeds.
      let statuses: KeyValuePairs = ["print": 1, "version": 1, "help": 1, "check": 2, "clear": 0]
      for (option, status) in statuses {
        let full = try await shell("copypasta --\(option) >/dev/full", on: desktop)
        #expect(full.exit == .code(Int32(status)) && full.errors == lost, "--\(option): \(full)")
      }
      #expect(try await shell("copypasta --clear", on: desktop).text == "0 items were deleted.")
    }
  }
}
