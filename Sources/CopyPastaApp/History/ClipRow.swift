import ClipHistory
import GtkKit

/// What all rows of a list have in common.
@MainActor
final class RowContext {
  let now: @Sendable () -> Int64
  /// How many rows there are.
  let count: @MainActor () -> Int
  /// The most lines of a text that a row shows.
  var lineLimit = PreviewText.lineLimit
  /// The clip that is on the clipboard, if that is known.
  var onClipboard: Clip.ID?
  /// The clips that have just come.
  var arrived: Set<Clip.ID> = []

  init(now: @escaping @Sendable () -> Int64, count: @escaping @MainActor () -> Int) {
    self.now = now
    self.count = count
  }
}

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

  /// The greatest width of the texts: with what is beside them, a row has 860 pixels.
  private static let greatestWidth = 800

  /// Marks the row whose menu is open.
  static let menuStyle = "menu-open"

  let root: Widget
  let item: ListItem
  /// The clip that is shown at the moment.
  private(set) var clip: Clip?

  private let column: ClampedColumn
  private let preview = Label()
  private let details = Label()
  /// The digit that copies the row together with Control; made for the newest rows only.
  private var digit: Label?
  private var container: Widget?
  private lazy var shift = Shift(of: root)
  private var lineLimit: Int
  /// The part of the text that the row shows, and how many lines it has.
  private var shown = PreviewText("")
  /// The words that a screen reader says of the text, and last said of the row.
  private var spokenPreview = ""
  private var name = ""
  private let context: RowContext

  init(of item: ListItem, in context: RowContext) {
    self.item = item
    self.context = context
    lineLimit = context.lineLimit
    preview.wrap(lines: lineLimit)
    // Marks that are stacked on a letter would be drawn over the rows above.
    preview.clipContents()
    details.ellipsize()
    preview.addStyle("preview")
    details.addStyle("details")
    column = ClampedColumn([preview, details], width: Self.greatestWidth)
    root = column
    root.addStyle("clip")
    // The container's name has it all: a screen reader would say it twice.
    root.setAccessibleRole(.presentation)
  }

  func bind(_ value: any Sendable, in container: Widget) {
    guard let clip = value as? Clip else { return }
    self.clip = clip
    self.container = container
    container.align(horizontally: .center)
    spokenPreview = PreviewText.spoken(clip.preview, goesOn: clip.goesOn)
    showPreview()
    showDigit()
    showDetails()
    name = ""
    refreshName()
    if context.arrived.contains(clip.id) { showArrival(true) }
  }

  func unbind() {
    showCopied(false)
    showArrival(false)
    mark(Self.menuStyle, false)
    container?.endAnnouncement()
    clip = nil
    container = nil
  }

  /// More of the text, if the row does not show all that the list knows of it: never fetched, and at most 20 lines.
  var moreText: String? {
    guard let clip else { return nil }
    let more = PreviewText(clip.preview, goesOn: clip.goesOn, lineLimit: 20).text
    return preview.isCut || more != shown.text ? more : nil
  }

  /// The picture that follows the pointer while the row is dragged: the beginning of its text, on a card.
  var dragIcon: Widget {
    let label = Label()
    label.wrap(lines: PreviewText.lineLimit)
    label.show(shown.text)
    label.limitWidth(toCharacters: 36)
    let card = Box(.horizontal, [label])
    card.addStyle("drag-card")
    return card
  }

  /// Shows the clip as the context has it now.
  func refresh() {
    if lineLimit != context.lineLimit {
      lineLimit = context.lineLimit
      preview.wrap(lines: lineLimit)
      showPreview()
    }
    refreshDetails()
  }

  /// Says again how long ago the clip was, and whether it is on the clipboard.
  ///
  /// A screen reader that is at the row would say all of it again, unasked: it is told the next time.
  func refreshDetails() {
    showDetails()
    if container?.hasFocusInActiveWindow == false { refreshName() }
  }

  /// Says again where in the list the row is.
  func refreshPlace() {
    showDigit()
    refreshName()
  }

  private func showPreview() {
    guard let clip else { return }
    shown = PreviewText(clip.preview, goesOn: clip.goesOn, lineLimit: lineLimit)
    preview.show(shown.text, faintly: shown.signs)
  }

  private func showDetails() {
    guard let clip else { return }
    let isOnClipboard = clip.id == context.onClipboard
    var parts = [Age.text(of: clip.capturedAt, at: context.now())]
    if isOnClipboard { parts.insert(tr("On the clipboard"), at: 0) }
    if let count = shown.countOfLines {
      let words = clip.goesOn ? trn("%s+ line", "%s+ lines", count) : trn("%s line", "%s lines", count)
      parts.append(words.filled(with: Format.number(count)))
    }
    if clip.byteCount >= Self.largeSize { parts.append(Format.size(clip.byteCount)) }
    let text = parts.joined(separator: " · ")
    if text != details.text { details.text = text }
    if isOnClipboard { root.addStyle("on-clipboard") } else { root.removeStyle("on-clipboard") }
  }

  private func showDigit() {
    let number = item.position.map { $0 + 1 }.flatMap { 1...9 ~= $0 ? $0 : nil }
    guard number != nil || digit != nil else { return }
    if digit == nil {
      let label = Label()
      label.addStyle("digit")
      column.append(label)
      digit = label
    }
    digit?.text = number.map(String.init) ?? ""
  }

  /// Says again to a screen reader what the row is: its preview, its age and its place.
  private func refreshName() {
    guard let container, let position = item.position else { return }
    let order = tr("%s of %s").filled(with: Format.number(position + 1), Format.number(context.count()))
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

  /// Shows or takes away the tint of a clip that has just come.
  func showArrival(_ isNew: Bool) {
    if isNew { root.addStyle("arrived") } else { root.removeStyle("arrived") }
  }
}
