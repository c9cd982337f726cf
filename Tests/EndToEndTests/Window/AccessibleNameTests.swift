import Foundation
import TestSupport
import Testing

/// The accessible names of all focusable widgets, in every window.
@Suite(.keepsPictures, .tags(.isAccessible)) struct AccessibleNameTests {
  /// The keys that open each window or dialog from the list, and the title of that window or dialog.
  private static let dialogs = [
    (["ctrl+comma"], "Preferences"), (["ctrl+question"], "Keyboard Shortcuts"),
    (["F10", "a"], "About CopyPasta"), (["Home", "alt+Return"], "Full Text"),
  ]

  private static let menus = [
    ("shift+F10", ["Copy", "View Full Text", "Delete"]),
    (
      "F10",
      ["Preferences", "Keyboard Shortcuts", "Clear History…", "About CopyPasta", "Quit"]
    ),
  ]

  /// If a screen reader has visited a link, GTK 4.22 and newer crash when the window is read after the dialog.
  @Test func `menu entries and widgets have names, and the window can be read after each dialog`()
    async throws
  {
    try await Scene.run(with: ["old", "new"], accessibility: true) { scene in
      try scene.desktop.home.set(["shortcut": "'<Control><Super>v'"])
      let reader = ScreenReader(desktop: scene.desktop)
      try await scene.parkMouse()
      try await reader.expectNames(in: "rows", with: "Clipboard history")
      for (key, entries) in Self.menus {
        try await scene.openPopup(key)
        try await waitUntil("the entries of \(key)") {
          try await Set(entries).isSubset(of: reader.tree().all(role: "menu item").map(\.name))
        }
        try await scene.desktop.press("Escape")
        try await waitUntil("the menu gone") { try await scene.desktop.popups().isEmpty }
      }
      for (keys, title) in Self.dialogs {
        for key in keys {
          if key == "F10" { try await scene.openPopup(key) } else { try await scene.desktop.press(key) }
        }
        try await scene.waitForDialog(titled: title)
        try await reader.expectNames(in: title, with: title)
        if title == "Preferences" {
          try await waitUntil("the keys of the shortcut, named once") {
            try await reader.tree().all.contains {
              $0.name == "Show or Hide the History"
                && $0.description.components(separatedBy: "Ctrl+Super+V").count == 2
            }
          }
          try await scene.desktop.press("alt+h")
          try await waitUntil("the request for keys in the button's description") {
            try await reader.tree().focused?.description.hasPrefix("Press Keys… Escape cancels") == true
          }
          try await scene.desktop.press("Escape")
        }
        try await scene.desktop.press("Escape")
        try await waitUntil("the main window again") { try await scene.app.window.isActive() }
        for _ in 1...2 { #expect(try await reader.tree().all(role: "list item").count == 2) }
        #expect(try await !reader.tree().all.contains { $0.name == title })
      }
      _ = try await ClipboardOwner.start(offering: .text(bytes: [0xff, 0xfe]), on: scene.desktop)
      try await reader.expectNames(in: "a notice", with: "Close")
      try await scene.desktop.press("Home", "Delete")
      try await reader.expectNames(in: "the offer to undo", with: "Undo")
      try await scene.desktop.press("Home", "Delete")
      try await reader.expectNames(in: "the empty page", with: "History Is Empty")
      // The arrow keys skip Clear History, which is disabled now, so the third enabled entry is About.
      try await scene.openPopup("F10")
      try await scene.desktop.press("Down", "Down", "Return")
      try await scene.waitForDialog(titled: "About CopyPasta")
    }
  }

  /// GTK's Japanese translation of “Page_Up” has an underscore.
  @Test func `the names of keys contain no underscore in any language`() async throws {
    try await TestLocale.with("ja_JP") { locale in
      try await Scene.run(accessibility: true, environment: locale.environment()) { scene in
        let reader = ScreenReader(desktop: scene.desktop)
        try await scene.desktop.press("ctrl+question")
        try await waitUntil("the keys") { try await reader.tree().all.contains { $0.name == "Ctrl+Q" } }
        #expect(try await reader.tree().all.filter { $0.name.contains("_") }.map(\.name) == [])
      }
    }
  }
}

extension ScreenReader {
  /// Waits until a widget named `shown` appears, and then checks that every focusable widget has a name.
  fileprivate func expectNames(
    in place: String, with shown: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let program = try await waitFor(place) { () -> Element? in
      let found = try await tree()
      return found.all.contains { $0.name == shown } ? found : nil
    }
    let elements = program.focusable()
    #expect(!elements.isEmpty, sourceLocation: sourceLocation)
    // Skip scroll panes: GTK reports them as focusable, but they pass the focus on to their content.
    for element in elements
    where element.role != "scroll pane" && (element.name.isEmpty || element.name.hasPrefix("Gtk")) {
      Issue.record("\(place): a \(element.role) “\(element.name)”", sourceLocation: sourceLocation)
    }
  }
}

extension ScreenReader.Element {
  private static var buttons: Set<String> { ["button", "push button", "toggle button"] }

  /// The focusable elements, without panels inside a button.
  ///
  /// GTK 4.24 reports the content of a drop-down's button as focusable, but only the button takes the focus.
  fileprivate func focusable(inButton: Bool = false) -> [ScreenReader.Element] {
    let isContent = inButton && role == "panel"
    return (isFocusable && !isContent ? [self] : [])
      + children.flatMap { $0.focusable(inButton: inButton || Self.buttons.contains(role)) }
  }
}
