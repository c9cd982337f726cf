import GtkKit

/// What CopyPasta is, and who made it.
@MainActor
final class AboutDialog: Dialog {
  let window: Window

  init() {
    // The translators put their names in the place of this word.
    let credits = tr("translator-credits")
    window = Window(
      about: .init(
        title: tr("About CopyPasta"), name: "CopyPasta", version: CopyPasta.version,
        summary: tr("Keeps the text you copy while its window is active."),
        copyright: tr("© 2026 The CopyPasta authors"),
        translators: credits == "translator-credits" ? nil : credits, icon: CopyPasta.id))
  }
}
