import ClipHistory
import GtkKit
import SerialQueue

/// The window with the whole text of a row, to read and to select from.
@MainActor
final class TextWindow: Dialogs.Dialog {
  /// The title does not contain the text, because panels and window switchers show titles.
  let window = Window(title: tr("Full Text"))
  private let view: TextView
  private let copyButton = CopyButton(tr("_Copy"))
  let messages: MessageBar

  /// The initial size, in pixels: at least this width, and at most this height unless the main window is taller.
  private static let size = (width: 480, height: 600)
  /// The smallest size of a text, in bytes, for which memory is returned to the kernel when the window closes.
  private static let largeSize = 64 << 10

  /// Copies a subject, and calls the closure once the subject is on the clipboard.
  typealias Copying<Subject> = @MainActor (Subject, @escaping @MainActor () -> Void) -> Void

  /// - Parameters:
  ///   - time: When the text was captured, in microseconds since 1970 UTC.
  ///   - parentSize: The main window's size in pixels, from which the initial size of this window is derived.
  ///   - copy: Copies the whole text.
  ///   - copyPart: Copies the given bytes, a part of the text.
  init(
    _ shown: ShownText, capturedAt time: Int64, in parentSize: (width: Int, height: Int)? = nil,
    copy: @escaping Copying<Void>, copyPart: @escaping Copying<[UInt8]>
  ) {
    let details = [
      Age.moment(time),
      trn("%s character", "%s characters", shown.characterCount)
        .filled(with: Format.number(shown.characterCount)),
    ].joined(separator: " · ")
    view = TextView(shown.text)
    view.expand(horizontally: true, vertically: true)
    view.setAccessibleName(tr("Full Text"))
    view.setAccessibleDescription([details, shown.note].compactMap(\.self).joined(separator: ". "))

    let words = Label([details, shown.note].compactMap(\.self).joined(separator: "\n"))
    words.wrap()
    // Let the details scroll on a small screen, to leave space for the text.
    let top = ScrollingBox(words)
    top.addStyle("text-details")
    let bar = HeaderBar(title: tr("Full Text"), start: [copyButton.root])
    window.setTitlebar(bar)
    let overlay = Overlay(Box(.vertical, [top, ScrolledWindow(child: view)]), under: [])
    messages = MessageBar(over: overlay) { [weak view] in view?.grabFocus() }
    window.setChild(overlay)
    let parentSize = parentSize ?? Self.size
    let width = parentSize.width.clamped(to: Self.size.width...ClipRow.greatestWidth)
    // Keep the main window's edges visible.
    let greatestHeight = max(Self.size.height, parentSize.height - 48)
    let textHeight = view.height(inWidth: width, atMost: greatestHeight)
    let above = bar.naturalHeight(inWidth: width) + top.naturalHeight(inWidth: width)
    window.defaultSize = (width, min(textHeight + max(140, above + 24), greatestHeight))

    let copied = weakly(self) { $0.copyButton.showCopied() }
    copyButton.root.onClick { copy((), copied) }
    view.onCopy { copyPart(shown.part($0), copied) }
    view.grabFocus()
    messages.follow(window)
    // Return memory to the kernel after the window closes: GTK's layouts of a long text take up to 100 MiB.
    if shown.text.utf8.count > Self.largeSize {
      window.onHide {
        Task.unpooled {
          await MainLoop.idle()
          MainLoop.trimHeaps()
        }
      }
    }
  }
}
