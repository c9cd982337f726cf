import GtkKit

/// A page in place of the list: a picture, what is the matter, and what to do.
@MainActor
final class StatusPage {
  let root: Widget
  private let note = Label()
  private let text: String

  init(icon: String, title: String, text: String) {
    let image = Image(icon: icon, size: 96)
    image.addStyle("dim-label")
    let heading = Label(title)
    heading.addStyle("title-2")
    let body = Label(text)
    self.text = text
    note.isVisible = false
    for label in [heading, body, note] {
      label.wrap()
      label.center()
      label.limitWidth(toCharacters: 40)
    }
    root = Box(.vertical, spacing: 12, [image, heading, body, note])
    root.addStyle("status-page")
    root.align(horizontally: .center, vertically: .center)
    root.expand(horizontally: true, vertically: true)
    // There is nothing else in its window to have the keyboard; a screen reader says what it is on.
    root.isFocusable = true
    root.setAccessibleRole(.group)
    root.setAccessibleName(title)
    root.setAccessibleDescription(text)
    heading.setAccessibleRole(.heading)
    image.setAccessibleRole(.presentation)
  }

  /// Adds a line below the text.
  func add(_ line: String) {
    note.text = line
    note.isVisible = !line.isEmpty
    root.setAccessibleDescription(text + " " + line)
  }

  /// Gives the page the keyboard.
  func focus() { root.grabFocus() }

  /// The page of a history without clips.
  static var empty: StatusPage {
    StatusPage(
      icon: "edit-paste-symbolic", title: tr("Nothing Copied Yet"),
      text: tr(
        "Copy some text in any program, then come back to this window: it is kept here, to be copied again. "
          + "The clipboard is read only while this window is active."))
  }

  /// The page of a history that cannot be opened.
  static func failure(_ message: String) -> StatusPage {
    StatusPage(icon: "dialog-warning-symbolic", title: tr("History Not Available"), text: message)
  }

  /// The page while a damaged history is rescued.
  static var rescuing: StatusPage {
    StatusPage(
      icon: "emblem-synchronizing-symbolic", title: tr("Rescuing the History"),
      text: tr("The history’s file is damaged. What can be read is carried over into a new one."))
  }
}
