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

  init(now: @escaping @Sendable () -> Int64, count: @escaping @MainActor () -> Int) {
    self.now = now
    self.count = count
  }
}

/// The view of one clip: up to three lines of its text and, at the end of the first line, its age and details, such as
/// the size of a large text.
///
/// Has only two labels at first, because GTK builds every row of the first page before the first frame. The style sheet
/// draws the check mark of a copied row.
@MainActor
final class ClipRow: ListRow {
  /// The size in bytes from which a row shows the size of its text.
  private static let largeSize = 10 << 10

  /// The height of a row with one line at the default text size, in pixels; the style sheet sets it.
  static let leastHeight = 34

  /// The largest width of the texts in pixels; with padding and border, a row is 860 pixels wide.
  static let greatestWidth = 800

  /// The style class of the row whose menu is open.
  static let menuStyle = "menu-open"

  let root: Widget
  let item: ListItem
  private(set) var clip: Clip?
  var id: Clip.ID? { clip?.id }

  private let text: AnnotatedText
  private let preview = Label()
  private let details = Label()
  /// The digit that copies the row with Control; created when the row first shows one of the nine newest clips.
  private var digit: Label?
  private var container: Widget?
  /// The style classes of the container, which GTK reuses for other rows.
  private var marks: Set<String> = []
  private lazy var shift = Shift(of: root)
  private var lineLimit: Int
  /// The times during which the shown age is right.
  private var ageValidity: Range<Int64> = 0..<0
  private var shown = PreviewText("")
  /// The preview for screen readers.
  private var spokenPreview = ""
  /// The row's accessible name, which is set only when it changes.
  private var name = ""
  /// The row's position and the total number of rows, as stated in the accessible name.
  private var place: (position: Int, count: Int)?
  private let context: RowContext

  init(of item: ListItem, in context: RowContext) {
    self.item = item
    self.context = context
    lineLimit = context.lineLimit
    preview.wrap(lines: lineLimit)
    // Clip the label, because combining marks stacked on a letter would be drawn over the rows above.
    preview.clipContents()
    // Shorten the details at the start, because the age is at their end.
    details.ellipsizeStart()
    details.alignEnd()
    preview.addStyle("preview")
    details.addStyle("details")
    text = AnnotatedText(preview, note: details, width: Self.greatestWidth)
    root = text
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
    spokenPreview = PreviewText.spoken(clip.preview, goesOn: clip.goesOn)
    showPreview()
    showDigit()
    showDetails()
    name = ""
    refreshName()
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

  /// Applies the context's current state.
  func refresh() {
    if lineLimit != context.lineLimit {
      lineLimit = context.lineLimit
      preview.wrap(lines: lineLimit)
      showPreview()
    }
    refreshDetails()
  }

  /// Updates whether the clip is on the clipboard, also in the accessible name of the focused row.
  func refreshSign() {
    showDetails()
    refreshName()
  }

  /// Updates the age.
  ///
  /// Leaves the accessible name of the focused row unchanged, because a screen reader would announce the whole row
  /// again.
  func refreshDetails() {
    showDetails()
    if container?.hasFocusInActiveWindow == false { refreshName() }
  }

  /// Updates the digit shown on the row, and the accessible name, which contains the row's position.
  func refreshPlace() {
    // Rows that the list has just bound show their place already.
    if let place, place == (item.position, context.count()) { return }
    showDigit()
    refreshName()
  }

  /// Updates the age if it is no longer right; `always` if the time zone has changed.
  func refreshAge(always: Bool) {
    if always || !ageValidity.contains(context.now()) { refreshDetails() }
  }

  private func showPreview() {
    guard let clip else { return }
    shown = PreviewText(clip.preview, goesOn: clip.goesOn, lineLimit: lineLimit)
    preview.show(shown.text, faintly: shown.signs)
  }

  private func showDetails() {
    guard let clip else { return }
    let now = context.now()
    let text = details(of: clip, age: Age.short(of: clip.capturedAt, at: now))
    ageValidity = now..<Age.change(of: clip.capturedAt, at: now)
    if text != details.text { details.text = text }
    // The style sheet draws a clipboard before the details.
    if clip.id == context.onClipboard {
      root.addStyle("on-clipboard")
    } else {
      root.removeStyle("on-clipboard")
    }
  }

  /// The number of lines if there are more than the row shows, the size of a large text, and the age.
  private func details(of clip: Clip, age: String) -> String {
    var parts: [String] = []
    if let count = shown.countOfLines {
      let words = clip.goesOn ? trn("%s+ line", "%s+ lines", count) : trn("%s line", "%s lines", count)
      parts.append(words.filled(with: Format.number(count)))
    }
    if clip.byteCount >= Self.largeSize { parts.append(Format.size(clip.byteCount)) }
    return (parts + [age]).joined(separator: " · ")
  }

  private func showDigit() {
    let number = item.position.map { $0 + 1 }.flatMap { 1...9 ~= $0 ? $0 : nil }
    guard number != nil || digit != nil else { return }
    if digit == nil {
      let label = Label()
      label.addStyle("digit")
      text.append(label)
      digit = label
    }
    let text = number.map(String.init) ?? ""
    if digit?.text != text { digit?.text = text }
  }

  /// Updates the accessible name: the preview, the details and the position in the list.
  private func refreshName() {
    guard let clip, let container, let position = item.position else { return }
    let count = context.count()
    place = (position, count)
    let order = tr("%s of %s").filled(with: Format.number(position + 1), Format.number(count))
    let details = details(of: clip, age: Age.text(of: clip.capturedAt, at: context.now()))
    let parts = [spokenPreview] + (clip.id == context.onClipboard ? [tr("On the clipboard")] : [])
    let newName = (parts + [details, order]).joined(separator: ", ")
    guard newName != name else { return }
    name = newName
    container.setAccessibleName(newName)
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
