import ClipHistory
import GtkKit

/// State that all rows of a list share.
@MainActor
final class RowContext {
  let now: @Sendable () -> Int64
  let count: @MainActor () -> Int
  var lineLimit = PreviewText.lineLimit
  /// The clip that is on the clipboard, if that is known.
  var onClipboard: Clip.ID?
  /// The clips that were just recorded, whose rows are tinted.
  var arrived: Set<Clip.ID> = []
  /// Invisible ages, whose width all rows give to their age; a part of the list, so that it has the list's font.
  let ageSamples = Label()

  init(now: @escaping @Sendable () -> Int64, count: @escaping @MainActor () -> Int) {
    self.now = now
    self.count = count
    ageSamples.setAccessibleRole(.presentation)
    ageSamples.text = Age.samples(at: now()).joined(separator: "\n")
  }
}

/// The view of one clip: up to three lines of its text and, at the end of the first line, its age.
///
/// Has only two labels at first, because GTK builds every row of the first page before the first frame. The style sheet
/// draws the check mark of a copied row.
@MainActor
final class ClipRow: ListRow {
  /// The height of a row with one line at the default text size, in pixels; the style sheet sets it.
  static let leastHeight = 34

  /// The largest width of the texts in pixels; with padding and border, a row is 860 pixels wide.
  static let greatestWidth = 800

  /// The style class of the row whose menu is open.
  static let menuStyle = "menu-open"

  var root: Widget { box }
  let item: ListItem
  private(set) var clip: Clip?
  var id: Clip.ID? { clip?.id }

  private let box: LayoutBox
  private let preview = Label()
  private let age = Label()
  /// The digit that copies the row; created when the row first shows one of the nine newest clips.
  private var digit: Label?
  private var container: Widget?
  /// The style classes of the container, which GTK reuses for other rows.
  private var marks: Set<String> = []
  private lazy var shift = Shift(of: root)
  private var lineLimit: Int
  /// What the accessible name says, which is set only when this changes.
  private var named: Description?
  private let context: RowContext

  init(of item: ListItem, in context: RowContext) {
    self.item = item
    self.context = context
    lineLimit = context.lineLimit
    preview.wrap(lines: lineLimit)
    // Clip the label, because combining marks stacked on a letter would be drawn over the rows above.
    preview.clipContents()
    age.alignEnd()
    preview.addStyle("preview")
    age.addStyle("age")
    box = LayoutBox(Arrangement(context: context), [preview, age])
    root.addStyle("clip")
    // Hide the labels from screen readers, because the container's name contains their texts.
    root.setAccessibleRole(.presentation)
  }

  func bind(_ value: any Sendable, in container: Widget) {
    guard let clip = value as? Clip else { return }
    self.container = container
    container.align(horizontally: .center)
    show(clip)
    if context.arrived.contains(clip.id) { showArrival(true) }
  }

  func show(_ clip: Clip) {
    self.clip = clip
    showPreview()
    showDigit()
    showAge()
    showSign()
    // GTK binds a row again when its position changes; a screen reader would read a focused row again.
    if named?.clip == clip { placeChanged() } else { refreshName() }
  }

  func unbind() {
    showCopied(false)
    showArrival(false)
    for style in marks { container?.removeStyle(style) }
    if !marks.isEmpty { slide(to: 0) }
    marks = []
    container?.endAnnouncement()
    clip = nil
    container = nil
  }

  /// Applies the context's number of lines.
  func refreshLines() {
    lineLimit = context.lineLimit
    showPreview()
  }

  /// Updates whether the clip is on the clipboard, also in the accessible name of the focused row.
  func refreshSign() {
    showSign()
    refreshName()
  }

  func refreshAge() {
    showAge()
    refreshNameUnlessFocused()
  }

  /// Updates the digit and the accessible name, which contains the row's position.
  func placeChanged() {
    // Rows that the list has just bound show their place already.
    if let named, named.position == item.position, named.count == context.count() { return }
    showDigit()
    // More rows may have been loaded below the focused row; a new row above it does not make it read again.
    if named?.position == item.position { refreshName() } else { refreshNameUnlessFocused() }
  }

  /// Leaves the accessible name of the focused row unchanged, because a screen reader would announce the whole row
  /// again.
  private func refreshNameUnlessFocused() {
    if container?.hasFocusInActiveWindow == false { refreshName() }
  }

  private func showPreview() {
    guard let clip else { return }
    let shown = PreviewText(clip.preview, goesOn: clip.goesOn, lineLimit: lineLimit)
    preview.lineLimit = shown.lineCount > 1 ? 1 : lineLimit
    preview.show(shown.text, faintly: shown.signs)
  }

  private func showAge() {
    guard let clip else { return }
    let text = Age.short(of: clip.capturedAt, at: context.now())
    if text != age.text { age.text = text }
  }

  private func showSign() {
    if clip?.id == context.onClipboard {
      root.addStyle("on-clipboard")
    } else {
      root.removeStyle("on-clipboard")
    }
  }

  private func showDigit() {
    let number = item.position.map { $0 + 1 }.flatMap { 1...9 ~= $0 ? $0 : nil }
    guard number != nil || digit != nil else { return }
    if digit == nil {
      let label = Label()
      label.addStyle("digit")
      box.append(label)
      digit = label
    }
    let text = number.map(String.init) ?? ""
    if digit?.text != text { digit?.text = text }
    digit?.isVisible = number != nil
  }

  /// Updates the accessible name: the preview, the age and the position in the list.
  private func refreshName() {
    guard let clip, let container, let position = item.position else { return }
    let state = Description(
      clip: clip, position: position, count: context.count(), isOnClipboard: clip.id == context.onClipboard,
      age: Age.text(of: clip.capturedAt, at: context.now()))
    guard state != named else { return }
    named = state
    let order = tr("%s of %s").filled(with: Format.number(position + 1), Format.number(state.count))
    let parts =
      [PreviewText.spoken(clip.preview, goesOn: clip.goesOn)]
      + (state.isOnClipboard ? [tr("On the clipboard")] : []) + [state.age, order]
    container.setAccessibleName(parts.joined(separator: ", "))
  }

  /// Moves the row's content sideways by `distance` pixels, which uncovers the background of its container.
  func slide(to distance: Double) {
    container?.clipContents()
    shift.distance = distance
  }

  func mark(_ style: String, _ isSet: Bool) {
    if isSet == marks.contains(style) { return }
    if isSet {
      marks.insert(style)
      container?.addStyle(style)
    } else {
      marks.remove(style)
      container?.removeStyle(style)
    }
  }

  /// Shows or removes the check mark and the tint of a clip that was just copied.
  func showCopied(_ isCopied: Bool) {
    if isCopied { root.addStyle("copied") } else { root.removeStyle("copied") }
  }

  /// Shows or removes the tint of a clip that was just recorded.
  func showArrival(_ isNew: Bool) {
    if isNew { root.addStyle("arrived") } else { root.removeStyle("arrived") }
  }
}

extension ClipRow {
  private struct Description: Equatable {
    /// Not only its id, which stands for another clip once the file was replaced.
    let clip: Clip
    let position: Int
    let count: Int
    let isOnClipboard: Bool
    let age: String
  }

  /// The text and, on the baseline of its first line, the age in a column, and the digit in the padding.
  private struct Arrangement: Layout {
    private static let leastWidth = 100
    private static let spacing = 12
    /// The width of the part of the padding in whose middle the digit is.
    private static let digitWidth = 48

    let context: RowContext

    var hasHeightWithoutWidth: Bool { false }

    // Do not measure the text: it wraps or is ellipsized at any width, and measuring is as expensive as a layout.
    func width(of children: [LayoutChild]) -> Extent { (Self.leastWidth, ClipRow.greatestWidth) }

    func place(_ children: [LayoutChild], inWidth width: Int, height: Int?) -> Placement {
      let (text, age) = (children[0], children[1])
      let column = columnWidth(for: age, within: width)
      let textWidth = width - (column > 0 ? column + Self.spacing : 0)
      guard let height else { return (text.height(inWidth: textWidth), []) }
      let baseline = text.baseline(inWidth: textWidth)
      var frames: [Frame?] = [
        (0, 0, textWidth, height),
        column > 0 ? age.frame(x: width - column, width: column, onBaseline: baseline) : nil,
      ]
      if children.count > 2 {
        let own = children[2].width.natural
        frames.append(
          children[2].frame(x: width + (Self.digitWidth - own) / 2, width: own, onBaseline: baseline))
      }
      return ((0, 0), frames)
    }

    /// The width of the ages: the same in all rows unless it would take more than a third of them; 0 to hide an age
    /// that would take more than half.
    private func columnWidth(for age: LayoutChild, within width: Int) -> Int {
      let column = context.ageSamples.naturalWidth
      if column <= width / 3 { return column }
      let own = age.width.natural
      return own <= width / 2 ? own : 0
    }
  }
}
