import ClipHistory
import GtkKit

/// The whole text of a row, to be read and selected.
@MainActor
final class TextWindow: Dialogs.Dialog {
  /// Without the text: a title is seen in panels and switchers.
  let window = Window(title: tr("Text"))
  private let view: TextView
  private let monospace = ToggleAction("monospace")

  /// - Parameters:
  ///   - details: when the text was copied, and its size.
  ///   - copy: copies the whole text.
  ///   - copySelection: copies what is selected of what is shown.
  init(
    _ shown: ShownText, details: String, copy: @escaping @MainActor () -> Void,
    copySelection: @escaping @MainActor (String) -> Void
  ) {
    view = TextView(shown.text)
    view.expand(horizontally: true, vertically: true)
    view.setAccessibleName(tr("Text"))
    view.setAccessibleDescription([details, shown.note].compactMap(\.self).joined(separator: ". "))
    view.onCopy(copySelection)
    let copyLabel = Label()
    let copyButton = Button(child: copyLabel)
    copyLabel.show(nameOf: copyButton, tr("_Copy"))
    copyButton.addStyle("text-button")
    copyButton.onClick(copy)
    copyButton.align(vertically: .center)
    let monospaceLabel = Label()
    let monospaceButton = ToggleButton(child: monospaceLabel, action: "text.monospace")
    monospaceLabel.show(nameOf: monospaceButton, tr("_Monospace"))
    monospaceButton.addStyle("text-button")
    let words = Label([details, shown.note].compactMap(\.self).joined(separator: "\n"))
    words.wrap()
    // On a small screen it scrolls: the text needs the room.
    let top = ReflowingBox(ScrollingBox(words), copyButton)
    top.addStyle("text-details")
    window.defaultSize = (480, 600)
    window.setTitlebar(HeaderBar(title: tr("Text"), end: [monospaceButton]))
    window.setChild(Box(.vertical, [top, ScrolledWindow(child: view)]))
    let actions = ActionGroup()
    actions.add(monospace)
    window.insert(actions, as: "text")
    monospace.onChange { [weak view, weak monospace] in view?.isMonospace = monospace?.isOn == true }
    view.grabFocus()
  }
}
