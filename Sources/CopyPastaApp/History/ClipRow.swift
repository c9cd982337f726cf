import ClipHistory
import GtkKit

/// The view of one clip: up to three lines of its text, how long ago it was, and its size if that is large.
///
/// Two labels and no more, because every row of the first page is built before the first frame; the check mark of a
/// copied row is drawn by the style sheet.
@MainActor
final class ClipRow: ListRow {
  /// Texts from this size on say how large they are, in bytes.
  private static let largeSize = 10_000

  /// The height of a row of one line, in pixels, at the usual size of text.
  static let leastHeight = 56

  /// Marks the row whose menu is open.
  static let menuStyle = "menu-open"

  let root: Widget
  let item: ListItem
  /// The clip that is shown at the moment.
  private(set) var clip: Clip?

  private let preview = Label()
  private let details = Label()
  private var container: Widget?
  private lazy var shift = Shift(of: root)
  /// The part of the text that the row shows.
  private var shownText = ""
  /// The words that a screen reader says of the text, and last said of the row.
  private var spokenPreview = ""
  private var name = ""
  private let now: @Sendable () -> Int64
  private let count: @MainActor () -> Int

  /// - Parameter count: how many rows there are.
  init(of item: ListItem, now: @escaping @Sendable () -> Int64, count: @escaping @MainActor () -> Int) {
    self.item = item
    self.now = now
    self.count = count
    preview.wrap(lines: PreviewText.lineLimit)
    // Marks that are stacked on a letter would be drawn over the rows above.
    preview.clipContents()
    details.ellipsize()
    preview.addStyle("preview")
    details.addStyle("details")
    root = Box(.vertical, [preview, details])
    root.addStyle("clip")
    // The container's name has it all: a screen reader would say it twice.
    root.setAccessibleRole(.presentation)
  }

  func bind(_ value: any Sendable, in container: Widget) {
    guard let clip = value as? Clip else { return }
    self.clip = clip
    self.container = container
    let shown = PreviewText(clip.preview, goesOn: clip.goesOn)
    preview.show(shown.text, faintly: shown.signs)
    shownText = shown.text
    spokenPreview = PreviewText.spoken(clip.preview, goesOn: clip.goesOn)
    showAge()
    name = ""
    refreshName()
  }

  func unbind() {
    showCopied(false)
    mark(Self.menuStyle, false)
    container?.endAnnouncement()
    clip = nil
    container = nil
  }

  /// More of the text, if the row does not show all that the list knows of it: never fetched, and at most 20 lines.
  var moreText: String? {
    guard let clip else { return nil }
    let more = PreviewText(clip.preview, goesOn: clip.goesOn, lineLimit: 20).text
    return preview.isCut || more != shownText ? more : nil
  }

  /// The picture that follows the pointer while the row is dragged: the beginning of its text, on a card.
  var dragIcon: Widget {
    let label = Label()
    label.wrap(lines: PreviewText.lineLimit)
    label.show(shownText)
    label.limitWidth(toCharacters: 36)
    let card = Box(.horizontal, [label])
    card.addStyle("drag-card")
    return card
  }

  /// Says again how long ago the clip was.
  ///
  /// A screen reader that is at the row would say all of it again, unasked: it is told the next time.
  func refreshAge() {
    showAge()
    if container?.hasFocusInActiveWindow == false { refreshName() }
  }

  private func showAge() {
    guard let clip else { return }
    var text = Age.text(of: clip.capturedAt, at: now())
    if clip.byteCount >= Self.largeSize { text += " · " + Format.size(clip.byteCount) }
    if text != details.text { details.text = text }
  }

  /// Says again to a screen reader what the row is: its preview, its age and its place.
  func refreshName() {
    guard let container, let position = item.position else { return }
    let order = tr("%s of %s").filled(with: Format.number(position + 1), Format.number(count()))
    let newName = "\(spokenPreview), \(details.text), \(order)"
    guard newName != name else { return }
    name = newName
    container.setAccessibleName(newName)
  }

  /// Moves the row's texts to the side, by some pixels, and leaves its place uncovered.
  func slide(to distance: Double) {
    container?.clipContents()
    shift.distance = distance
  }

  /// Adds a style class to the place of the row, or removes it.
  func mark(_ style: String, _ isSet: Bool) {
    if isSet { container?.addStyle(style) } else { container?.removeStyle(style) }
  }

  /// Shows or takes away the sign that the clip was just copied.
  func showCopied(_ isCopied: Bool) {
    if isCopied { root.addStyle("copied") } else { root.removeStyle("copied") }
  }
}
