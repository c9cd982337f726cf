import ClipHistory
import GtkKit
import SerialQueue

/// Says what CopyPasta is, and who made it.
@MainActor
final class AboutDialog: Dialogs.Dialog {
  let window = Window(title: tr("About CopyPasta"))
  private let page: Box
  private let state = Label()

  private static var summary: String {
    tr("Keeps the text that is on the clipboard while its window is active.")
  }

  /// Each paragraph in one line, which the window breaks as it is wide.
  static var license: String {
    String(decoding: PackageResources.LICENSE, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .split(separator: "").map { $0.joined(separator: " ") }
      .joined(separator: "\n\n")
  }

  /// - Parameter history: what is checked meanwhile, and said to be sound or not.
  init(checking history: HistoryLocation) {
    page = Box(.vertical, spacing: 12)
    let icon = Theme.hasIcon(CopyPasta.id) ? CopyPasta.id : CopyPasta.id + "-symbolic"
    let image = Image(icon: icon, size: 96)
    image.setAccessibleRole(.presentation)
    page.append(image)
    add(CopyPasta.name, style: "title-2")
    add(CopyPasta.version)
    add(Self.summary)
    add(state)
    add(tr("© 2026 The CopyPasta authors"))
    // The translators put their names in the place of this word.
    let credits = tr("translator-credits")
    if credits != "translator-credits" {
      add(tr("Translation"), style: "heading")
      add(credits)
    }
    add(tr("Licence"), style: "heading")
    add(Self.license, style: "explanation")
    // The page has the focus, and with it the keys that scroll; a screen reader says what it is on.
    page.isFocusable = true
    page.setAccessibleRole(.group)
    page.setAccessibleName(CopyPasta.name + " " + CopyPasta.version)
    window.addStyle("about")
    window.show(page: page, height: 600)
    show("")
    say(whether: history)
  }

  private func add(_ text: String, style: String? = nil) {
    let label = Label(text)
    if let style { label.addStyle(style) }
    add(label)
  }

  private func add(_ label: Label) {
    label.wrap()
    label.center()
    page.append(label)
  }

  private func show(_ words: String) {
    state.text = words
    state.isVisible = !words.isEmpty
    page.setAccessibleDescription([Self.summary, words].joined(separator: " "))
  }

  /// Says whether the history is sound; checked off the main thread, because a large history takes some seconds.
  private func say(whether history: HistoryLocation) {
    do throws(StoreError) {
      guard try !history.isVacant else { return }
    } catch {
      // The check says why.
    }
    show(tr("Checking the history…"))
    Task.unpooled { [weak self] in
      let found: String
      do throws(StoreError) {
        found = try await HistoryRescuer().check(history).message
      } catch {
        found = tr("Not checked.") + " " + error.message
      }
      self?.show(found)
    }
  }
}
