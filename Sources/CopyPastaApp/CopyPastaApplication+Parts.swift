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
    preferences.onChange(of: .startsAtLogin) { [weak self] in
      self?.startAtLogin(preferences.startsAtLogin)
    }
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

  private func requested(_ request: TrayIcon.Request, _ activation: Activation) {
    switch request {
    case .toggle: shownPopup().toggleByClick(activation)
    case .show: show(activation)
    case .preferences: showPreferences(activation)
    case .quit: quit()
    }
  }
}
