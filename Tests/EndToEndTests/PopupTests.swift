import Foundation
import TestSupport
import Testing

/// The window as a popup: one key brings it, with the keyboard, and takes it away.
@Suite(.serialized) struct PopupTests {
  @Test(arguments: VirtualDesktop.Kind.allCases)
  func theKeyDownAndEnterAreAWholeUse(_ kind: VirtualDesktop.Kind) async throws {
    try await Scene.run(on: kind, with: ["old", "new"]) { scene in
      let other = try await scene.hideBehindOtherWindow()
      try await scene.toggle()
      try await scene.waitUntilActive()
      try await scene.desktop.press("Down", "Return")
      try await scene.expectClipboard("old")
      try await scene.toggle()
      try await waitUntil("the keyboard back") { try await other.isActive() }
      #expect(try await scene.shownWindow() == nil)
    }
  }

  @Test(arguments: VirtualDesktop.Kind.allCases)
  func itNeverComesWithoutTheKeyboardNorTwice(_ kind: VirtualDesktop.Kind) async throws {
    try await Scene.run(on: kind, with: ["text"]) { scene in
      let other = try await scene.hideBehindOtherWindow()
      if kind == .wayland {
        try await scene.desktop.bindInSway("ctrl+super+v", to: [CopyPasta.programPath, "--toggle"])
      }
      for round in 1...Scene.rounds {
        try await scene.toggleByKey()
        try await scene.waitUntilActive("round \(round)")
        #expect(try await scene.desktop.copyPastaWindowCount() == 1)
        try await scene.toggleByKey()
        try await waitUntil("the keyboard back, round \(round)") { try await other.isActive() }
        #expect(try await scene.shownWindow() == nil)
      }
    }
  }

  @Test(arguments: VirtualDesktop.Kind.allCases)
  func behindAnotherWindowItComesToTheFront(_ kind: VirtualDesktop.Kind) async throws {
    try await Scene.run(on: kind, with: ["text"]) { scene in
      let other = try await scene.desktop.openOtherWindow()
      try await waitUntil("the other window active") { try await other.isActive() }
      #expect(try await scene.shownWindow() != nil, "it stays where it is when it loses the keyboard")
      try await scene.toggle()
      try await scene.waitUntilActive()
      try await scene.desktop.press("Return")
      try await scene.expectClipboard("text")
    }
  }

  @Test(arguments: VirtualDesktop.Kind.allCases)
  func enterHidesItWhereTheUserWantsThat(_ kind: VirtualDesktop.Kind) async throws {
    try await Scene.run(on: kind, with: ["old", "new"]) { scene in
      let other = try await scene.hideBehindOtherWindow()
      try scene.desktop.home.set(["hide-after-copying": "true", "shortcut": "''"])
      try await scene.toggle()
      try await scene.waitUntilActive()
      try await scene.desktop.press("Down", "Return")
      try await waitUntil("the keyboard back") { try await other.isActive() }
      #expect(try await scene.shownWindow() == nil)
      try await scene.expectClipboard("old")
    }
  }

  @Test(arguments: VirtualDesktop.Kind.allCases)
  func losingTheKeyboardHidesItWhereTheUserWantsThat(_ kind: VirtualDesktop.Kind) async throws {
    try await Scene.run(on: kind, with: ["text"]) { scene in
      let other = try await scene.desktop.openOtherWindow()
      try await scene.app.window.activate()
      try scene.desktop.home.set(["hide-on-focus-loss": "true", "shortcut": "''"])
      // Its own menu and its own dialogs are no loss: it is there when they have gone, and Enter copies.
      try await scene.desktop.press("Menu")
      _ = try await scene.settledScreenshot(unchangedFor: .milliseconds(400))
      try await scene.desktop.press("Escape")
      _ = try await scene.settledScreenshot(unchangedFor: .milliseconds(400))
      try await scene.desktop.press("ctrl+comma")
      try await waitUntil("the dialog active") { try await scene.activeTitle() == "Preferences" }
      _ = try await scene.settledScreenshot(unchangedFor: .milliseconds(400))
      try await scene.desktop.press("Escape")
      try await scene.waitUntilActive()
      try await scene.desktop.press("Return")
      try await scene.expectClipboard("text")
      try await other.activate()
      try await waitUntil("the window gone") { try await scene.shownWindow() == nil }
    }
  }
}

extension Scene {
  /// Opens a window of another program, hides the program's own, and returns once the other one has the keyboard.
  ///
  /// It stays, as if a tray icon or a shortcut kept it.
  fileprivate func hideBehindOtherWindow() async throws -> DesktopWindow {
    let other = try await desktop.openOtherWindow()
    try await toggle()
    try await waitUntilActive()
    // An offer of its own keeps it.
    try await desktop.press("Home", "Return")
    try await waitUntil("an offer") { try await desktop.paste() != nil }
    try await toggle()
    try await waitUntil("the other window active") { try await other.isActive() }
    return other
  }

  fileprivate func toggle() async throws {
    let result = try await desktop.copypasta("--toggle")
    #expect(result.exit == .code(0) && result.errors == "")
  }

  /// By a key of sway's, which X11 needs a desktop for; ShortcutTests presses the program's own there.
  fileprivate func toggleByKey() async throws {
    if desktop.kind == .wayland { try await desktop.press("ctrl+super+v") } else { try await toggle() }
  }

  fileprivate func shownWindow() async throws -> DesktopWindow? {
    try await desktop.window(ofClass: CopyPasta.applicationID)
  }

  fileprivate func waitUntilActive(_ when: String = "") async throws {
    try await waitUntil("the window active \(when)") { try await shownWindow()?.isActive() == true }
  }

  fileprivate func activeTitle() async throws -> String? { try await desktop.activeWindow()?.title() }
}
