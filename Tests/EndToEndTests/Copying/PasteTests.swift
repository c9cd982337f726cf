import TestSupport
import Testing

/// Ctrl+V records the clipboard's text at the user's request.
@Suite struct PasteTests {
  @Test func `pasting restores a deleted text and focuses its row`() async throws {
    try await Scene.run { scene in
      try await scene.capture("first")
      try await scene.capture("second")
      for key in ["ctrl+v", "shift+Insert"] {
        try await scene.desktop.press("Home", "Delete")
        #expect(try await eventually { try await scene.history.texts() == ["first"] })
        try await scene.desktop.press(key)
        try await scene.expectNewest("second")
        try await scene.expectFocusedRowCopied("second")
        #expect(try await scene.history.texts() == ["second", "first"])
      }
    }
  }

  @Test func `pasting the newest text adds no row, and pasting on the empty page shows the text`()
    async throws
  {
    try await Scene.run { scene in
      try await scene.capture("old")
      try await scene.capture("new")
      try await scene.desktop.press("End")
      try await scene.press(Array(repeating: "ctrl+v", count: 3))
      // The newest row gets the focus although it already existed.
      try await scene.expectFocusedRowCopied("new")
      #expect(try await scene.history.texts() == ["new", "old"])

      try await scene.desktop.press("Home", "Delete", "Delete")
      #expect(try await eventually { try await scene.history.count() == 0 })
      try await scene.desktop.press("ctrl+v")
      try await scene.expectNewest("new")
      try await scene.capture("other")
      try await scene.desktop.press("Down")
      try await scene.expectFocusedRowCopied("new")
    }
  }

  /// What happens while a paste waits for a program that does not answer.
  enum Event {
    case hidden, inactive, paused
  }

  @Test(arguments: [
    (VirtualDesktop.Kind.x11, Event.hidden), (.x11, .inactive), (.x11, .paused), (.wayland, .paused),
  ])
  func `nothing is requested for a paste after the window is hidden, inactive or paused`(
    kind: VirtualDesktop.Kind, event: Event
  ) async throws {
    try await Scene.run(on: kind, with: ["one"]) { scene in
      let other = event == .inactive ? try await scene.openOtherWindow() : nil
      try await scene.app.window.activate()
      try await waitUntil("reading") { try await scene.app.window.showsReading() }
      let stalled = try await ClipboardOwner.start(
        behaving: kind == .x11 ? "Mute" : "NoAnswer", on: scene.desktop)
      try await waitUntil("the request") { !stalled.requests.isEmpty }
      try await scene.desktop.press("ctrl+v", "ctrl+v")
      switch event {
      case .hidden:
        try await scene.desktop.press("Escape")
        try await waitUntil("the window hidden") { try await scene.shownWindow()?.isVisible() != true }
      case .inactive:
        try await other?.activate()
        try await scene.waitUntilInactive()
      case .paused: try await scene.pause()
      }
      let unseen = try await ClipboardOwner.start(offering: .text("a password"), on: scene.desktop)
      // The program ends only after all pending work.
      try await scene.end()
      #expect(unseen.requests == [])
      #expect(try await scene.history.texts() == ["one"])
    }
  }

  @Test func `a paste during a pause is read once, and another copy meanwhile is not`() async throws {
    try await Scene.run(with: ["one"]) { scene in
      try await scene.pause()
      let edge = try await scene.watchEdge()
      let stalled = try await ClipboardOwner.start(behaving: "Mute", on: scene.desktop)
      try await scene.desktop.press("ctrl+v", "ctrl+v")
      try await waitUntil("the request") { !stalled.requests.isEmpty }
      let unseen = try await ClipboardOwner.start(offering: .text("a password"), on: scene.desktop)
      try await scene.expectNotice(at: edge)
      try await scene.end()
      #expect(stalled.requests == ["TARGETS", "lost"] && unseen.requests == [])
      #expect(try await scene.history.texts() == ["one"])
    }
  }
}
