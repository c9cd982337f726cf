import Foundation
import TestSupport
import Testing

/// The program under KDE's real compositor, called by a shortcut that KDE's real portal gives it, after a question from
/// KDE 6.4 on.
@Suite(
  .serialized,
  .enabled(
    if: KWinDesktop.missing.isEmpty, "KDE is not here: no \(KWinDesktop.missing.joined(separator: ", "))")
)
struct KDETests {
  @Test func `the shortcut brings the window with the keyboard and takes it away`() async throws {
    try await KDEScene.run { scene in
      for round in 1...Scene.rounds {
        try await scene.callUp("when called up, round \(round)")
        try await scene.sendAway("when sent away, round \(round)")
      }
    }
  }

  @Test func `shortcut, Down, Enter is a whole use`() async throws {
    try await KDEScene.run { scene in
      try await scene.callUp()
      for text in ["older", "newest"] { try await scene.capture(text) }
      try await scene.sendAway()

      try await scene.callUp()
      try await scene.desktop.press("Down", "Return")
      try await scene.waitForClipboard("older")
      try await scene.sendAway()
      try await scene.waitForClipboard("older")
    }
  }

  @Test func `Delete, Ctrl+Z and Ctrl+X act on the row that has the keyboard`() async throws {
    try await KDEScene.run { scene in
      try await scene.callUp()
      for text in ["oldest", "middle", "newest"] { try await scene.capture(text) }
      try await scene.sendAway()

      try await scene.callUp()
      try await scene.desktop.press("Down", "Delete")
      try await waitUntil("one deleted") { try await scene.history.texts() == ["newest", "oldest"] }
      try await scene.desktop.press("ctrl+z")
      try await waitUntil("it is back") { try await scene.history.texts() == ["newest", "middle", "oldest"] }
      try await scene.desktop.press("Home", "ctrl+x")
      try await scene.waitForClipboard("newest")
      try await waitUntil("one cut") { try await scene.history.texts() == ["middle", "oldest"] }
      try await scene.sendAway()
    }
  }

  @Test func `what is copied while the window is hidden is not recorded`() async throws {
    try await KDEScene.run { scene in
      for text in ["unseen", "last"] { try await scene.desktop.copy(text) }
      try await scene.callUp()
      try await waitUntil("the last text recorded") { try await scene.history.texts() == ["last"] }
      try await scene.capture("seen")
      #expect(try await scene.history.texts() == ["seen", "last"])
    }
  }

  @Test func `a click copies, and the text can be pasted after the window is closed`() async throws {
    try await KDEScene.run { scene in
      try await scene.callUp()
      for text in ["older", "newest"] { try await scene.capture(text) }
      try await scene.sendAway()

      try await scene.callUp()
      let point = Scene.firstRowPoint
      try await scene.desktop.click(CopyPasta.applicationID, x: point.x, y: point.y + 59)
      try await scene.waitForClipboard("older")
      try await scene.desktop.press("alt+F4")
      try await scene.waitForOtherWindow("after it was closed")
      try await scene.waitForClipboard("older")
    }
  }

  @Test func `a toggle from the command line brings it with the keyboard and takes it away`() async throws {
    try await KDEScene.run { scene in
      for round in 1...Scene.rounds {
        try await scene.desktop.run([CopyPasta.programPath, "--toggle"])
        try await scene.waitForWindow("round \(round)")
        try await scene.desktop.run([CopyPasta.programPath, "--toggle"])
        try await scene.waitForOtherWindow("round \(round)")
      }
    }
  }

  @Test func `losing the keyboard hides it if the user wants that`() async throws {
    try await KDEScene.run { scene in
      try scene.desktop.home.set(["hide-on-focus-loss": "true", "shortcut": KDEScene.setting])
      try await scene.callUp()
      try await scene.capture("text")
      // Its own dialogs are no loss.
      try await scene.desktop.press("ctrl+comma")
      let id = CopyPasta.applicationID
      try await scene.waitForWindows(["inactive wev", "inactive \(id)", "active \(id)"], "with a dialog")
      try await scene.desktop.press("Escape")
      try await scene.waitForWindow("after the dialog")
      try await scene.desktop.click("wev", x: 5, y: 5)
      try await scene.waitForOtherWindow("after a click there")
    }
  }

  @Test func `after a restart the shortcut works without a question`() async throws {
    try await KDEScene.run { scene in
      try await scene.end()
      let again = try await KDEScene(on: scene.desktop, asks: false)
      try await again.callUp()
      try await again.sendAway()
      try await again.end()
    }
  }

  @Test(.enabled("it asks from 6.4 on") { try KWinDesktop.asksForShortcuts() })
  func `a no is kept to at the next start, and keys that are set in its settings are taken`() async throws {
    try await KDEScene.runDesktop { desktop in
      let calls = try desktop.start(
        ["dbus-monitor"]
          + ["GlobalShortcuts", "Session"].map { "type=method_call,interface=org.freedesktop.portal.\($0)" })
      func count(_ method: String) -> Int { calls.lines.count { $0.hasSuffix("member=\(method)") } }
      for start in 1...2 {
        let program = try desktop.start([CopyPasta.programPath, "--background"])
        if start == 1 { try await KDEScene.answer(with: "Escape", on: desktop) }
        // When it closes its session it has made up its mind.
        try await waitUntil("session \(start) closed") { count("Close") == start }
        #expect(count("BindShortcuts") == 1)
        #expect(try await desktop.windows() == ["active wev"])
        #expect(try await program.stop(grace: generousLimit) == .code(0))
        #expect(program.errors == "")
      }
      try await desktop.setShortcut(of: CopyPasta.applicationID, action: "toggle-history")
      let scene = try await KDEScene(on: desktop, asks: false)
      try await scene.callUp()
      try await scene.sendAway()
      try await scene.end()
    }
  }
}

/// The program, hidden, its shortcut held, while another program's window has the focus.
private struct KDEScene {
  private static let shortcut = "ctrl+super+v"
  static let setting = "'<Control><Super>v'"

  let desktop: KWinDesktop
  let history: HistoryDatabase
  private let program: Program

  /// Starts the program, and returns once it has its shortcut.
  ///
  /// - Parameter asks: whether KDE asks for it first, and is told yes.
  init(on desktop: KWinDesktop, asks: Bool) async throws {
    self.desktop = desktop
    history = HistoryDatabase(path: CopyPasta.databasePath(dataHome: desktop.home.dataHome))
    let program = try desktop.start([CopyPasta.programPath, "--background"])
    self.program = program
    if asks { try await Self.answer(with: "Return", on: desktop) }
    try await waitUntil("a shortcut held") {
      if let exit = program.exit { throw TestSupportError("\(exit): \(program.errors)") }
      return try await desktop.holdsShortcut(of: "copypasta")
    }
  }

  /// Runs a test on a desktop of its own, after which the program must end well.
  static func run(_ body: (KDEScene) async throws -> Void) async throws {
    try await runDesktop { desktop in
      let scene = try await KDEScene(on: desktop, asks: KWinDesktop.asksForShortcuts())
      try await body(scene)
      try await scene.end()
    }
  }

  /// Runs a test on a desktop of its own, where another program's window has the focus.
  static func runDesktop(_ body: (KWinDesktop) async throws -> Void) async throws {
    try await KWinDesktop.with { desktop in
      try desktop.home.set(["shortcut": setting])
      _ = try desktop.start(["wev"])
      try await waitUntil("the other window") { try await desktop.windows() == ["active wev"] }
      try await body(desktop)
    }
  }

  /// Waits for the portal's question, and answers it by a key.
  static func answer(with key: String, on desktop: KWinDesktop) async throws {
    let asked = ["inactive wev", "active \(KWinDesktop.question)"]
    try await waitForWindows(asked, on: desktop, "before the answer")
    try await waitUntil("the question answered") {
      try await desktop.press(key)
      // A dialog that is just coming up may miss a key, which a user presses again then.
      return try await eventually(within: .seconds(3)) { try await desktop.windows() == ["active wev"] }
    }
  }

  /// Ends the program if it still runs, with status 0, and without a word of GTK or its own; returns once KDE has its
  /// shortcut back.
  func end() async throws {
    if program.isRunning { #expect(try await program.stop(grace: generousLimit) == .code(0)) }
    #expect(program.errors == "")
    try await waitUntil("the shortcut given back") { try await !desktop.holdsShortcut(of: "copypasta") }
  }

  /// Presses the shortcut, and returns once the window has the focus, and nothing else is new on the screen: neither
  /// a second window, nor a question of KDE's.
  func callUp(_ when: String = "after the first press") async throws {
    try await desktop.press(Self.shortcut)
    try await waitForWindow(when)
  }

  /// Presses the shortcut, and returns once the other window has the focus and is alone.
  func sendAway(_ when: String = "after the second press") async throws {
    try await desktop.press(Self.shortcut)
    try await waitForOtherWindow(when)
  }

  /// Copies a text in another program, and waits until it is recorded.
  func capture(_ text: String) async throws {
    try await desktop.copy(text)
    try await waitUntil("\(text) recorded") { try await history.texts().first == text }
  }

  func waitForClipboard(_ text: String) async throws {
    try await waitUntil("\(text) on the clipboard") { try await desktop.paste() == text }
  }

  func waitForWindow(_ when: String) async throws {
    try await waitForWindows(["inactive wev", "active \(CopyPasta.applicationID)"], when)
  }

  func waitForOtherWindow(_ when: String) async throws { try await waitForWindows(["active wev"], when) }

  func waitForWindows(_ expected: [String], _ when: String) async throws {
    try await Self.waitForWindows(expected, on: desktop, when)
  }

  private static func waitForWindows(
    _ expected: [String], on desktop: KWinDesktop, _ when: String
  ) async throws {
    var found: [String] = []
    let isSo = try await eventually {
      found = try await desktop.windows()
      return found == expected
    }
    guard isSo else { throw TestSupportError("the windows are \(found) \(when)") }
  }
}
