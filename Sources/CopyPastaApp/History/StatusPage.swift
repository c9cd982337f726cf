import GtkKit

/// A page in place of the list: an icon, a title and a text.
@MainActor
final class StatusPage {
  let root: Widget
  private let page: Box
  private let heading = Label()
  private let note = Label()
  private let body = Label()
  private let command = Label()
  private let commandBox: Box
  private let copyButton = CopyButton(tr("Copy"))
  /// What a screen reader announces after the text: the line and the command that are shown below it.
  private var addition: [String] = []

  /// - Parameter copy: Called when the user clicks *Copy* next to the command.
  init(icon: String, title: String, text: String, copy: @escaping @MainActor () -> Void = {}) {
    let image = Image(icon: icon, size: 96)
    image.addStyle("dim-label")
    self.title = title
    heading.addStyle("title-2")
    self.text = text
    body.text = text
    note.isVisible = false
    commandBox = Box(.horizontal, spacing: 6, [command])
    commandBox.isVisible = false
    commandBox.addStyle("command")
    for label in [heading, body, note] {
      label.wrap()
      label.center()
      label.limitWidth(toCharacters: 40)
      // Hide the labels from screen readers, because the page's name and description contain their texts.
      label.setAccessibleRole(.presentation)
    }
    page = Box(.vertical, spacing: 12, [image, heading, body, note, commandBox])
    page.addStyle("status-page")
    page.align(horizontally: .center, vertically: .center)
    // Make the page focusable, because its labels are not, and a screen reader announces what gets the focus.
    page.isFocusable = true
    page.setAccessibleRole(.group)
    root = ScrolledWindow(child: page)
    root.expand(horizontally: true, vertically: true)
    showTitle()
    image.setAccessibleRole(.presentation)
    command.wrap()
    command.expand(horizontally: true)
    copyButton.root.align(vertically: .center)
    copyButton.root.onClick(copy)
    commandBox.append(copyButton.root)
    describe()
  }

  var title: String {
    didSet { if title != oldValue { showTitle() } }
  }

  private func showTitle() {
    heading.text = title
    page.setAccessibleName(title)
  }

  /// The text below the heading.
  var text: String {
    didSet {
      guard text != oldValue else { return }
      body.text = text
      describe()
    }
  }

  private func describe() {
    page.setAccessibleDescription(([text] + addition).joined(separator: " "))
  }

  /// Adds a line below the text, and below that the command that the line refers to.
  func add(_ line: String, command: String?) {
    note.text = line
    note.isVisible = !line.isEmpty
    self.command.text = command.map(ShortcutState.unbroken) ?? ""
    commandBox.isVisible = command != nil
    addition = [line, command].compactMap(\.self)
    describe()
  }

  func showCopied() { copyButton.showCopied() }

  func focus() { page.grabFocus() }

  static func empty(copy: @escaping @MainActor () -> Void) -> StatusPage {
    StatusPage(
      icon: "edit-paste-symbolic", title: tr("Nothing Copied Yet"), text: firstSteps(isPaused: false),
      copy: copy)
  }

  /// Explains to new users what to do first and what is recorded.
  static func firstSteps(isPaused: Bool) -> String {
    if isPaused {
      return tr(
        "Recording is paused: only what you paste or drop here is recorded. To resume, click Paused at the top of "
          + "this window.")
    }
    return tr(
      "Copy text in any app, then come back to this window. CopyPasta looks at the clipboard only while this window "
        + "is in front, so it picks up only your latest copy.")
  }

  static func failure(_ message: String) -> StatusPage {
    StatusPage(icon: "dialog-warning-symbolic", title: tr("History Not Available"), text: message)
  }

  static var opening: StatusPage {
    StatusPage(
      icon: "emblem-synchronizing-symbolic", title: tr("Opening the History…"),
      text: tr("Another app is using the history file. The history is shown as soon as that app is done."))
  }

  static var recovering: StatusPage {
    StatusPage(
      icon: "emblem-synchronizing-symbolic", title: tr("Repairing the History…"),
      text: tr(
        "The history file is damaged or was changed by another app. Every readable item is copied into a new file."
      ))
  }
}
