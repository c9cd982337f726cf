import ClipHistory
import GtkKit

/// The whole text of a row, to be read and selected.
@MainActor
final class TextWindow: Dialogs.Dialog {
  /// The title leaves the text out: panels and switchers show titles.
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
    // On a small screen the words scroll: the text needs the room.
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

/// The part of a text that a window shows: its beginning, in lines that GTK lays out at once.
struct ShownText: Equatable, Sendable {
  /// How much is shown at most, in bytes of the text.
  static let sizeLimit = 1 << 20
  /// How long a line is at most, in bytes.
  ///
  /// The time in which GTK lays out a line without blanks grows with its square: 0.8 s for 16 KiB.
  static let lineLimit = 2 << 10

  /// The text that is shown.
  let text: String
  /// Whether the text goes on.
  let isCut: Bool
  /// Whether there are line breaks that the text itself does not have.
  let hasBrokenLines: Bool

  init(_ text: ClipText) {
    isCut = text.byteCount > Self.sizeLimit
    var shown: [UInt8] = []
    shown.reserveCapacity(min(text.byteCount, Self.sizeLimit) * 9 / 8)
    var length = 0
    var hasBrokenLines = false
    for byte in text.leading(Self.sizeLimit).utf8 {
      let isBreak = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
      if length >= Self.lineLimit, !isBreak, !UTF8.isContinuation(byte) {
        shown.append(UInt8(ascii: "\n"))
        length = 0
        hasBrokenLines = true
      }
      shown.append(byte)
      length = isBreak ? 0 : length + 1
    }
    self.text = String(decoding: shown, as: UTF8.self)
    self.hasBrokenLines = hasBrokenLines
  }

  /// The words that say how what is shown differs from the text; nil if it does not.
  @MainActor var note: String? {
    let notes = [
      isCut ? tr("Only the first MiB is shown.") : nil,
      hasBrokenLines ? tr("Lines longer than 2 KiB are split here.") : nil,
    ].compactMap(\.self)
    guard !notes.isEmpty else { return nil }
    return (notes + [tr("The Copy button copies the whole text as it is.")]).joined(separator: " ")
  }
}
