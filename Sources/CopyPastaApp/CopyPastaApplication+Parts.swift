import GtkKit

/// What goes on with the window hidden, too: the tray icon, the global shortcut, the start at login.
extension CopyPastaApplication {
  /// Starts all of it; the first frame is drawn by then.
  func startParts() {
    followAppearance()
    trayIcon = TrayIcon(preferences: environment.preferences) { [weak self] request, activation in
      self?.requested(request, activation)
    } shownChanged: { [weak self] isShown in
      if isShown { self?.reasons.hold(.trayIcon) } else { self?.reasons.lose(.trayIcon) }
    }
    let preferences = environment.preferences
    preferences.onChange(of: .showsTrayIcon) { [weak self] in
      if !preferences.showsTrayIcon { self?.reasons.end(.trayIcon) }
    }
    let entry: any LoginEntry = Desktop.isFlatpak ? AutostartPortal.ofSession : Autostart()
    startAtLogin = StartAtLogin(preferences, entry) { [weak self] in self?.report($0, of: .startsAtLogin) }
    startShortcut()
  }

  private func startShortcut() {
    let shortcut = environment.shortcut
    shortcut.onActivated { [weak self] in self?.toggle($0) }
    shortcutObservation = shortcut.observe { [weak self, weak shortcut] in
      if let shortcut { self?.shortcutChanged(to: shortcut.state) }
    }
    shortcut.start()
  }

  private func shortcutChanged(to state: ShortcutState) {
    switch state {
    case .held(by: .keyGrab, _), .held(by: .portal, _): reasons.hold(.shortcut)
    // It is given back while the user chooses another one, and asked for again where it was lost.
    case .starting: break
    // GNOME starts the program where it does not run.
    case .off, .held(by: .gnome, _), .notHeld(.malformed), .notHeld(.refused): reasons.end(.shortcut)
    case .notHeld(.taken), .notHeld(.missing), .notHeld(.unsupported): reasons.lose(.shortcut)
    }
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
