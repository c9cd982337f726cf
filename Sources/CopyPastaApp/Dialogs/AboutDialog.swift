import GtkKit

@MainActor
final class AboutDialog: Dialogs.Dialog {
  let window = Window(title: tr("About CopyPasta"))
  let messages: MessageBar

  init() {
    let page = Box(.vertical, spacing: 12)
    func add(_ text: String, style: String? = nil) {
      let label = Label(text)
      if let style { label.addStyle(style) }
      label.wrap()
      label.center()
      page.append(label)
    }
    let icon = Theme.hasIcon(CopyPasta.id) ? CopyPasta.id : CopyPasta.id + "-symbolic"
    let image = Image(icon: icon, size: 96)
    image.setAccessibleRole(.presentation)
    page.append(image)
    add(CopyPasta.name, style: "title-2")
    add(CopyPasta.version)
    add(tr("A private clipboard history"))
    // Use buttons instead of links: in GTK 4.22 and 4.24, a label with a link crashes the program if it is destroyed
    // while a screen reader is reading it.
    for (words, address) in [
      (tr("Website"), CopyPasta.website), (tr("Report an Issue"), CopyPasta.issues),
    ] {
      let button = Button(words: words) { Desktop.open(address) }
      button.align(horizontally: .center)
      page.append(button)
    }
    add(tr("© 2026 The CopyPasta authors"))
    // Translators replace this text with their names.
    let credits = tr("translator-credits")
    if credits != "translator-credits" {
      add(tr("Translation"), style: "heading")
      add(credits)
    }
    add(tr("MIT License"), style: "explanation")
    // Make the page focusable, so that keys can scroll it. A screen reader reads the labels in it.
    page.isFocusable = true
    page.setAccessibleRole(.group)
    page.setAccessibleName(CopyPasta.name + " " + CopyPasta.version)
    window.addStyle("about")
    messages = window.show(page: page)
  }
}
