import Foundation
import TestSupport
import Testing

/// What was copied out of the history reaches other programs whole, however large it is and however they ask.
@Suite(.serialized) struct ServingTests {
  private static let paster =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().path + "/X11KitTests/Fixtures/paster.py"

  @Test(arguments: [256 << 10, 10 << 20, 64 << 20])
  func aLargeTextReachesEveryProgram(_ size: Int) async throws {
    try await Scene.run { scene in
      let sum = try await scene.copyOutOfHistory(aTextOf: size)
      for program in ["xclip -o -selection clipboard", "xsel -b -o"] {
        #expect(try await scene.digest(of: program) == sum, "\(program)")
      }
      #expect(try await GtkPaster.paste(on: scene.desktop) == sum)
    }
  }

  @Test(arguments: ["UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "STRING", "TEXT"])
  func aLargeTextIsServedAs(_ target: String) async throws {
    try await Scene.run { scene in
      let sum = try await scene.copyOutOfHistory(aTextOf: 3 << 20)
      #expect(try await scene.digest(of: "xclip -o -selection clipboard -t '\(target)'") == sum)
    }
  }

  /// One paster never reads, one dies midway, one asks for 50 targets, one asks twice at once; all while the user
  /// goes on working.
  @Test func pastersThatMisbehaveCostNobodyElseAnything() async throws {
    try await Scene.run(with: ["another row"]) { scene in
      let sum = try await scene.copyOutOfHistory(aTextOf: 3 << 20)
      let idle = try scene.desktop.start(["/usr/bin/python3", Self.paster, "never", "20"])
      for behaviour in ["die", "unknown", "two", "again", "pranks"] {
        let result = try await scene.desktop.run(["/usr/bin/python3", Self.paster, behaviour])
        #expect(result.exit == .code(0), "\(behaviour)")
      }
      #expect(try await scene.digest(of: "xclip -o -selection clipboard") == sum)
      try await scene.desktop.press("End", "Return")
      try await scene.expectClipboard("another row")
      try await idle.stop()
      try await scene.capture("the next copy")
    }
  }
}

extension Scene {
  /// Captures a text of this size and a small one after it, and copies the large one back with the keyboard.
  ///
  /// - Returns: the text's size and SHA-256.
  fileprivate func copyOutOfHistory(aTextOf size: Int) async throws -> String {
    let text = Scene.text(ofSize: size)
    let owner = try await XClip.copy(text, on: desktop)
    try await waitForNewest(ofSize: size)
    let sum = try await digest(of: "xclip -o -selection clipboard")
    #expect(sum.hasPrefix("\(size) "))
    try await XClip.copy("small", on: desktop)
    try await waitForNewest(ofSize: 5)
    try await owner.stop()
    try await focusNewestRow()
    try await desktop.press("Down", "Return")
    try await waitUntil("the large text on the clipboard", within: .seconds(60)) {
      try await digest(of: "xclip -o -selection clipboard") == sum
    }
    return sum
  }

  /// By its size alone: reading 64 MiB out of the database again and again would take longer than the test.
  private func waitForNewest(ofSize size: Int) async throws {
    try await waitUntil("a clip of \(size) bytes", within: .seconds(60)) {
      try await history.query("SELECT byte_count FROM clip ORDER BY id DESC LIMIT 1") == "\(size)"
    }
  }

  /// The size and the SHA-256 of what a program prints.
  fileprivate func digest(of program: String) async throws -> String {
    let command = "\(program) | tee >(wc -c >&2) | sha256sum"
    let result = try await desktop.run(["bash", "-c", command], within: .seconds(60))
    return result.errors.filter(\.isNumber) + " " + result.text.prefix(64)
  }
}
