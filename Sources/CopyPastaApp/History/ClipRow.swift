import ClipHistory
import GtkKit

/// The view of one clip: up to three lines of its text, how long ago it was, and its size where that is large.
///
/// Two labels and no more, because every row of the first page is built before the first frame; the check mark of a
/// copied row is drawn by the style sheet.
@MainActor
final class ClipRow: ListRow {
  /// Texts from this size on say how large they are, in bytes.
  private static let largeSize = 10_000

  /// The height of a row of one line, in pixels, at the usual size of text.
  static let leastHeight = 56

  let root: Widget
  let place: ListPlace
  /// The clip that is shown at the moment.
  private(set) var clip: Clip?

  private let preview = Label()
  private let details = Label()
  private var container: Widget?
  private let now: @Sendable () -> Int64

  init(at place: ListPlace, now: @escaping @Sendable () -> Int64) {
    self.place = place
    self.now = now
    preview.wrap(lines: PreviewText.lineLimit)
    details.ellipsize()
    details.addStyle("details")
    root = Box(.vertical, spacing: 4, [preview, details])
    root.addStyle("clip")
  }

  func bind(_ value: any Sendable, in container: Widget) {
    guard let clip = value as? Clip else { return }
    self.clip = clip
    self.container = container
    preview.text = PreviewText.shown(clip.preview)
    details.text = ""
    refreshAge()
  }

  func unbind() {
    clip = nil
    container = nil
    showCopied(false)
  }

  /// Says again how long ago the clip was.
  func refreshAge() {
    guard let clip else { return }
    var text = Age.text(of: clip.capturedAt, at: now())
    if clip.byteCount >= Self.largeSize { text += " · " + Format.size(clip.byteCount) }
    guard text != details.text else { return }
    details.text = text
    container?.setAccessibleName(PreviewText.spoken(clip.preview) + ", " + text)
  }

  /// Shows or takes away the sign that the clip was just copied.
  func showCopied(_ isCopied: Bool) {
    if isCopied { root.addStyle("copied") } else { root.removeStyle("copied") }
  }
}
