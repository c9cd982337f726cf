import GtkKit

/// The windows beside the main one.
extension CopyPastaApplication {
  /// Adds the actions that show them.
  func addDialogActions() {
    application.addAction("preferences", keys: ["<Control>comma"]) { [weak self] in
      self?.showPreferences(.ambient)
    }
    application.addAction("shortcuts", keys: ["<Control>question"]) { [weak self] in
      guard let self else { return }
      shownDialogs().showShortcuts(above: window?.parentOfDialogs)
    }
    application.addAction("about") { [weak self] in
      guard let self else { return }
      shownDialogs().showAbout(environment.location, above: window?.parentOfDialogs)
    }
  }

  /// Shows the preferences, above the window where that is shown.
  func showPreferences(_ activation: Activation) {
    startAtLogin?.reconcile()
    shownDialogs().showPreferences(of: environment, above: window?.parentOfDialogs, activation)
  }

  private func shownDialogs() -> Dialogs {
    if let dialogs { return dialogs }
    addStyle()
    let dialogs = Dialogs(of: application) { [weak self] in self?.endIfUnneeded() }
    self.dialogs = dialogs
    return dialogs
  }
}
