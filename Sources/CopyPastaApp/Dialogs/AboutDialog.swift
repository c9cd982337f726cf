import ClipHistory
import GtkKit

/// What CopyPasta is, and who made it.
@MainActor
final class AboutDialog: Dialogs.Dialog {
  let window: Window

  private static var summary: String { tr("Keeps the text you copy while its window is active.") }

  /// Each paragraph in one line, which the window breaks as it is wide.
  static var license: String {
    String(decoding: PackageResources.LICENSE, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .split(separator: "").map { $0.joined(separator: " ") }
      .joined(separator: "\n\n")
  }

  /// - Parameter history: what is checked meanwhile, and said to be sound or not.
  init(checking history: HistoryLocation? = nil) {
    // The translators put their names in the place of this word.
    let credits = tr("translator-credits")
    window = Window(
      about: .init(
        title: tr("About CopyPasta"), name: "CopyPasta", version: CopyPasta.version,
        summary: Self.summary,
        copyright: tr("© 2026 The CopyPasta authors"),
        license: Self.license,
        translators: credits == "translator-credits" ? nil : credits, icon: CopyPasta.id))
    if let history { say(whether: history) }
  }

  /// Off the main thread: a large history takes some seconds.
  private func say(whether history: HistoryLocation) {
    do throws(StoreError) {
      guard try !history.isVacant else { return }
    } catch {
      // The check says why.
    }
    window.setComments(Self.summary + "\n\n" + tr("Checking the history…"))
    Task { [weak window] in
      let found: String
      do throws(StoreError) {
        found = try await HistoryCheck.run(history).message
      } catch {
        found = tr("Not checked.") + " " + error.message
      }
      window?.setComments(Self.summary + "\n\n" + found)
    }
  }
}
