import Foundation
import TestSupport
import Testing

/// A hidden program does not wake up, even after much use.
@Suite(.keepsPictures, .tags(.readsOnlyWhileActive)) struct IdleTests {
  /// How long an idle program is observed; a timer of one second would fire several times.
  static let rest = Duration.seconds(3)

  @Test(arguments: [VirtualDesktop.Kind.x11, .wayland])
  func `a hidden program has no timer`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind, with: ["one", "two", "three"], mostlyWaits: true) { scene in
      if kind == .x11 {
        _ = try await ClipboardOwner.start(behaving: "Burst", on: scene.desktop)
        try await scene.expectNewest("text 199")
        let point = Scene.firstRowPoint
        try await scene.drag(
          from: (point.x, point.y + 34, scene.app.window), to: (200, 400, scene.app.window))
      } else {
        try await scene.desktop.press("Home")
        try await scene.swipeFirstRow(right: 300)
        try await scene.expectClipboard("three")
      }
      try await scene.openDialog("ctrl+comma", titled: "Preferences")
      try await scene.desktop.press("Escape")
      // The program notices the focus later than the window manager, and keys pressed before that are lost.
      try await scene.waitUntilActive("again")
      let texts = try await scene.history.texts()
      try await scene.desktop.press("Home", "Delete")
      try await waitUntil("the row gone") { try await scene.history.count() == texts.count - 1 }
      try await scene.desktop.press("ctrl+z")
      try await waitUntil("the row back") { try await scene.history.texts() == texts }
      // The copied text keeps the program alive.
      try await scene.expectFocusedRowCopied(texts[0])
      try await scene.desktop.press("Escape")
      try await waitUntil("the window gone") { try await scene.shownWindow() == nil }
      try await scene.app.program.expectRest()
    }
  }

  /// The window is prepared so that it opens fast even the first time after login.
  @Test(arguments: VirtualDesktop.Kind.everywhere)
  func `a background start prepares a hidden window and then stays idle`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await VirtualDesktop.with(kind, mostlyWaits: true) { desktop in
      try await Scene.fillHistory(with: ["one", "two", "three"], on: desktop)
      let owner = try await ClipboardOwner.start(offering: .text("unseen"), on: desktop)
      // The log reports every window that is mapped.
      let log =
        try kind == .x11
        ? desktop.start(["stdbuf", "-oL", "xev", "-root", "-event", "substructure"]) : nil
      func hasShownWindow() -> Bool? {
        log.map { String(decoding: $0.output, as: UTF8.self).contains("MapNotify") }
      }
      let program = try desktop.start([CopyPasta.programPath, "--background"])
      try await waitUntil("the window prepared") { try await desktop.hasHiddenWindow(of: program) }
      try await program.expectRest()
      #expect(owner.contentRequests == [])
      // A second launch shows no window either.
      #expect(try await desktop.copypasta("--background").exit == .code(0))
      #expect(try await desktop.copyPastaWindowCount() == 0)
      #expect(hasShownWindow() != true)

      #expect(try await desktop.copypasta("--toggle").exit == .code(0))
      // The clipboard is read once the window is shown.
      try await waitUntil("the text recorded") {
        try await desktop.history.newestText() == Array("unseen".utf8)
      }
      #expect(owner.contentRequests.count == 1)
      try await desktop.expectOneWindow()
      #expect(try await eventually { hasShownWindow() != false })
      #expect(try await program.stop() == .code(0))
      #expect(program.errors == "")
    }
  }
}

extension VirtualDesktop {
  /// Whether the program has opened its history and, on X11, created an unmapped window.
  fileprivate func hasHiddenWindow(of program: Program) async throws -> Bool {
    let history = CopyPasta.databasePath(dataHome: home.dataHome)
    guard try openFiles(of: "\(program.processID)").contains(history) else { return false }
    guard kind == .x11 else { return true }
    return try await run(["xwininfo", "-name", "CopyPasta"]).text.contains("IsUnMapped")
  }
}

extension Program {
  /// Expects the program to come to rest: no thread wakes up during `IdleTests.rest`, twice in a row.
  func expectRest() async throws {
    var last: [Int] = []
    // Idle threads exit after a while, and wake up once more to do so.
    try await TestSupport.waitUntil("no thread woken up", within: .seconds(90), every: .zero) {
      "\(last)"
    } _: {
      let before = try sleeps()
      try await Task.sleep(for: IdleTests.rest)
      last.append(try sleeps() - before)
      return last.suffix(2) == [0, 0]
    }
  }
}
