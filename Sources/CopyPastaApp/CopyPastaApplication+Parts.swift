import GtkKit

/// What goes on with the window hidden, too: the tray icon, the global shortcut, the start at login.
extension CopyPastaApplication {
  /// Starts all of it; the first frame is drawn by then.
  func startParts() {
    trayIcon = TrayIcon(preferences: environment.preferences) { [weak self] request, activation in
      self?.requested(request, activation)
    } shownChanged: { [weak self] in
      self?.reasons.set(.trayIcon, holds: $0)
    }
    let preferences = environment.preferences
    let entry: any LoginEntry = Sandbox.isFlatpak ? AutostartPortal.ofSession : Autostart()
    startAtLogin = StartAtLogin(preferences, entry) { [weak self] in self?.report($0, of: .startsAtLogin) }
    startShortcut()
  }

  private func startShortcut() {
    let shortcut = environment.shortcut
    shortcut.onActivated { [weak self] in self?.toggle($0) }
    shortcutObservation = shortcut.observe { [weak self, weak shortcut] in
      self?.reasons.set(.shortcut, holds: shortcut?.state.needsProcess == true)
    }
    shortcut.start()
  }

  /// Says why a setting went back: in Preferences where they are open, else in the window.
  private func report(_ message: String, of key: Preferences.Key) {
    complain(message)
    if dialogs?.report(message, of: key) != true { window?.report(message) }
  }

  private func requested(_ request: TrayIcon.Request, _ activation: Activation) {
    switch request {
    case .toggle: shownPopup().toggleByClick(activation)
    case .show: show(activation)
    case .preferences: showPreferences(activation)
    case .quit: quit()
    }
  }
}
