import ClipHistory
import GtkKit

/// The view of one clip: up to three lines of its text, how long ago it was, and its size where that is large.
@MainActor
final class ClipRow: ListRow {
  /// Texts from this size on say how large they are, in bytes.
  private static let largeSize = 10_000

  let root: Widget
  /// The clip that is shown at the moment.
  private(set) var clip: Clip?
  let place: ListPlace

  private let preview = Label()
  private let age = Label()
  private let size = Label()
  private let mark = Image(icon: "object-select-symbolic", size: 24)
  private var container: Widget?
  private let now: @Sendable () -> Int64

  init(at place: ListPlace, now: @escaping @Sendable () -> Int64) {
    self.place = place
    self.now = now
    preview.wrap(lines: PreviewText.lineLimit)
    preview.addStyle("preview")
    let details = Box(.horizontal, spacing: 12, [age, size])
    for label in [age, size] {
      label.addStyle("caption")
      label.addStyle("dim-label")
    }
    let text = Box(.vertical, spacing: 4, [preview, details])
    text.expand(horizontally: true)
    mark.addStyle("check-mark")
    mark.align(horizontally: .end, vertically: .center)
    root = Box(.horizontal, spacing: 12, [text, mark])
    root.addStyle("clip")
  }

  func bind(_ value: any Sendable, in container: Widget) {
    guard let clip = value as? Clip else { return }
    self.clip = clip
    self.container = container
    preview.text = PreviewText.shown(clip.preview)
    size.text = clip.byteCount >= Self.largeSize ? Format.size(clip.byteCount) : ""
    size.isVisible = clip.byteCount >= Self.largeSize
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
    let text = Age.text(of: clip.capturedAt, at: now())
    guard text != age.text || container != nil else { return }
    age.text = text
    let parts = [PreviewText.spoken(clip.preview), text] + (size.isVisible ? [size.text] : [])
    container?.setAccessibleName(parts.joined(separator: ", "))
  }

  /// Shows or takes away the sign that the clip was just copied.
  func showCopied(_ isCopied: Bool) {
    if isCopied { root.addStyle("copied") } else { root.removeStyle("copied") }
  }
}
