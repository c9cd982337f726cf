import GtkKit

extension CopyPastaApplication {
  /// Has the desktop start the program with the session, or not any more; says so where that fails.
  func startAtLogin(_ starts: Bool) {
    guard !Sandbox.isFlatpak else { return askForStartAtLogin(starts) }
    let autostart = Autostart()
    guard starts != autostart.isSet else { return }
    do throws(AutostartError) {
      try autostart.set(starts)
    } catch {
      complain(error.message)
      environment.preferences.startsAtLogin = autostart.isSet
      if dialogs?.report(error.message, of: .startsAtLogin) != true { window?.report(error.message) }
    }
  }

  private func askForStartAtLogin(_ starts: Bool) {
    Task { [weak self] in
      do throws(AutostartError) {
        try await AutostartPortal.ofSession().set(starts)
      } catch {
        complain(error.message)
        self?.window?.report(error.message)
      }
    }
  }
}
