import ClipHistory
import GtkKit

/// What follows the pointer while a row is dragged: the beginning of its text, on a card.
@MainActor
struct DragCard {
  let root: Widget

  init(_ clip: Clip?) {
    let label = Label(PreviewText(clip?.preview ?? "").text)
    label.wrap(lines: PreviewText.lineLimit)
    label.limitWidth(toCharacters: 36)
    root = Box(.horizontal, [label])
    root.addStyle("drag-card")
  }
}
