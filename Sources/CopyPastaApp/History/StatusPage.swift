import GtkKit

/// A page in place of the list: an icon, a title and a text.
@MainActor
final class StatusPage {
  let root: Widget
  private let page: Box
  private let heading = Label()
  private let note = Label()
  private let body = Label()

  init(icon: String, title: String, text: String) {
    let image = Image(icon: icon, size: 96)
    image.addStyle("dim-label")
    self.title = title
    heading.addStyle("title-2")
    self.text = text
    for label in [heading, body, note] {
      label.wrap()
      label.center()
      label.limitWidth(toCharacters: 40)
      // Hide the labels from screen readers, because the page's name and description contain their texts.
      label.setAccessibleRole(.presentation)
    }
    page = Box(.vertical, spacing: 12, [image, heading, body, note])
    page.addStyle("status-page")
    page.align(horizontally: .center, vertically: .center)
    // Make the page focusable, because its labels are not, and a screen reader announces what gets the focus.
    page.isFocusable = true
    page.setAccessibleRole(.group)
    root = ScrolledWindow(child: page)
    root.expand(horizontally: true, vertically: true)
    showTitle()
    image.setAccessibleRole(.presentation)
    showText()
  }

  var title: String {
    didSet { if title != oldValue { showTitle() } }
  }

  private func showTitle() {
    heading.text = title
    page.setAccessibleName(title)
  }

  /// The text below the heading; without one, the page shows only its heading.
  var text: String {
    didSet { if text != oldValue { showText() } }
  }

  /// The height that messages cover at the lower edge, in pixels.
  var coveredHeight = 0 {
    didSet { page.bottomMargin = coveredHeight }
  }

  /// A line below the text.
  var advice = "" {
    didSet { showText() }
  }

  private func showText() {
    body.text = text
    note.text = advice
    body.isVisible = !text.isEmpty
    note.isVisible = !text.isEmpty && !advice.isEmpty
    let words = text.isEmpty ? [] : [text, advice]
    page.setAccessibleDescription(words.filter { !$0.isEmpty }.joined(separator: " "))
  }

  func focus() { page.grabFocus() }

  static func empty() -> StatusPage {
    StatusPage(
      icon: "edit-paste-symbolic", title: tr("No Items Yet"), text: firstSteps(isPaused: false))
  }

  /// Explains to new users what is recorded.
  static func firstSteps(isPaused: Bool) -> String {
    isPaused
      ? tr("Paused: copies are not saved. To resume, click Paused at the top of this window.")
      : tr(
        "Each time you open this window, your latest copy is added. CopyPasta never reads in the background."
      )
  }

  /// - Parameter folder: The folder that the user may have to change, if there is one.
  static func failure(_ message: String, folder: String?) -> StatusPage {
    let page = StatusPage(icon: "dialog-warning-symbolic", title: tr("History Not Available"), text: message)
    guard let folder, Desktop.hasFolder(at: folder) else { return page }
    let button = Button(words: tr("Show Folder")) { Desktop.showFolder(at: folder) }
    button.align(horizontally: .center)
    page.page.append(button)
    return page
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
