import TestSupport
import Testing

/// What the program costs while it is hidden: nothing, whatever was done before.
@Suite struct IdleTests {
  /// How long a program that has come to rest is watched: what wakes up once a second is seen several times.
  fileprivate static let rest = Duration.seconds(5)

  @Test func `hidden after a burst, a drag, a dialog and an undo it is never woken up`() async throws {
    try await Scene.run(with: ["one", "two", "three"]) { scene in
      let burst = try await scene.desktop.run(["/usr/bin/python3", Fixture.path("burst.py"), "40"])
      #expect(burst.exit == .code(0), "\(burst.errors)")
      try await scene.expectNewest("burst 39")
      let point = Scene.firstRowPoint
      try await scene.drag(
        from: (point.x, point.y + 59, scene.app.window), to: (200, 400, scene.app.window))
      try await scene.useDialogAndUndo()
      try await scene.expectRestOnceHidden()
    }
  }

  @Test func `hidden after a swipe, a dialog and an undo it is never woken up`() async throws {
    try await Scene.run(on: .wayland, with: ["one", "two", "three"]) { scene in
      try await scene.desktop.press("Home")
      try await scene.swipeFirstRow(right: 300)
      try await scene.expectClipboard("three")
      try await scene.useDialogAndUndo()
      try await scene.expectRestOnceHidden()
    }
  }
}

extension Scene {
  fileprivate func useDialogAndUndo() async throws {
    try await desktop.press("ctrl+comma")
    try await waitUntil("the dialog") { try await desktop.window(titled: "Preferences") != nil }
    try await desktop.press("Escape")
    try await waitUntil("the main window again") { try await app.window.isActive() }
    let texts = try await history.texts()
    try await desktop.press("Home", "Delete")
    try await waitUntil("the row gone") { try await history.count() == texts.count - 1 }
    try await desktop.press("ctrl+z")
    try await waitUntil("the row back") { try await history.texts() == texts }
    // What is on the clipboard keeps the program alive.
    try await desktop.press("Home", "Return")
    try await expectClipboard(texts[0])
  }

  fileprivate func expectRestOnceHidden() async throws {
    try await desktop.press("Escape")
    try await waitUntil("the window gone") {
      try await desktop.window(ofClass: CopyPasta.applicationID) == nil
    }
    var last: [Int] = []
    // Threads that have nothing more to do end after a while, each with a last look.
    let isAtRest = try await eventually(within: .seconds(90), every: .zero) {
      let before = try #require(app.program.sleeps)
      try await Task.sleep(for: IdleTests.rest)
      last.append(try #require(app.program.sleeps) - before)
      return last.last == 0
    }
    #expect(isAtRest, "woken up in each \(IdleTests.rest): \(last)")
  }
}
