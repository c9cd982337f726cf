import Foundation
import TestSupport
import Testing

/// The accessible names of all focusable widgets, in every window.
@Suite struct AccessibleNameTests {
  /// The parts of the interface, and the keys that show them.
  static let places: [(name: String, clips: [String], keys: [String], shown: String)] = [
    ("rows", ["old", "new"], ["Home"], "Clipboard history"),
    ("the empty page", [], [], "Nothing Copied Yet"),
    ("the undo bar", ["old", "new"], ["Home", "Delete"], "Undo"),
    ("Preferences", [], ["ctrl+comma"], "Preferences"),
    ("the window of keys", [], ["ctrl+question"], "Keyboard Shortcuts"),
    ("About", [], ["F10", "a"], "About CopyPasta"),
    ("a full text", ["one"], ["Home", "alt+Return"], "Full Text"),
  ]

  @Test(arguments: places.indices)
  func `every focusable widget has an accessible name that is not a class name`(_ place: Int) async throws {
    let (name, clips, keys, shown) = Self.places[place]
    try await Scene.run(with: clips, accessibility: true) { scene in
      let reader = ScreenReader(desktop: scene.desktop)
      try await scene.parkMouse()
      for key in keys {
        if key == "F10" { try await scene.openPopup(key) } else { try await scene.desktop.press(key) }
      }
      try await reader.expectNames(in: name, with: shown)
    }
  }

  @Test func `every focusable widget has an accessible name while a notice is shown`() async throws {
    try await Scene.run(with: ["one"], accessibility: true) { scene in
      let reader = try await ScreenReader.listening(on: scene.desktop)
      _ = try await ClipboardOwner.start(offering: .text(bytes: [0xff, 0xfe]), on: scene.desktop)
      try await waitUntil("the notice") { reader.heard.contains { $0.contains("UTF-8") } }
      try await reader.expectNames(in: "a notice", with: "Close")
    }
  }

  @Test func `every focusable widget has an accessible name while a question is shown`() async throws {
    try await Scene.run(with: ["one"], accessibility: true) { scene in
      let reader = ScreenReader(desktop: scene.desktop)
      try await scene.parkMouse()
      try await scene.openPopup("F10")
      try await scene.desktop.press("Down", "Return")
      try await reader.expectNames(in: "a question", with: "Clear History?")
    }
  }
}

extension ScreenReader {
  /// Waits until a widget named `shown` appears, and then checks all focusable widgets.
  fileprivate func expectNames(
    in place: String, with shown: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await waitUntil("\(place)") { try await tree().all.contains { $0.name == shown } }
    let elements = try await tree().all.filter(\.isFocusable)
    #expect(!elements.isEmpty, sourceLocation: sourceLocation)
    // Skip scroll panes: GTK reports them as focusable, but they pass the focus on to their content.
    for element in elements
    where element.role != "scroll pane" && (element.name.isEmpty || element.name.hasPrefix("Gtk")) {
      Issue.record("\(place): a \(element.role) “\(element.name)”", sourceLocation: sourceLocation)
    }
  }
}
