extension VirtualDesktop {
  /// Takes the user to the first or the second workspace.
  public func goToWorkspace(_ number: Int) async throws {
    switch kind {
    case .x11:
      try await xdotool("set_num_desktops", "2")
      try await xdotool("set_desktop", "\(number - 1)")
    case .wayland:
      sway.alter()
      try await SwayWindowSystem(desktop: self).command("workspace number \(number)")
    case .gnome:
      let shell = GnomeWindowSystem(desktop: self)
      try await shell.evaluate(
        "global.workspace_manager.get_workspace_by_index(\(number - 1)).activate(global.get_current_time())")
    case .labwc: try await press("super+\(number)")
    case .kde:
      let create = "org.kde.KWin.VirtualDesktopManager.createDesktop"
      try await callKWin("/VirtualDesktopManager", create, "1", "two")
      try await callKWin("/KWin", "org.kde.KWin.setCurrentDesktop", "\(number)")
    }
    try await waitUntil("workspace \(number)") { try await [number, nil].contains(workspace()) }
  }

  /// The number of the user's workspace; nil on labwc, which does not tell.
  public func workspace() async throws -> Int? {
    switch kind {
    case .x11: Int(try await xdotool("get_desktop").text).map { $0 + 1 }
    case .wayland: try SwayWindowSystem(desktop: self).workspace()
    case .gnome:
      Int(
        try await GnomeWindowSystem(desktop: self).evaluate(
          "global.workspace_manager.get_active_workspace_index()")
      ).map { $0 + 1 }
    case .labwc: nil
    case .kde: Int(try await callKWin("/KWin", "org.kde.KWin.currentDesktop").filter(\.isNumber))
    }
  }

  @discardableResult
  private func callKWin(_ path: String, _ method: String, _ arguments: String...) async throws -> String {
    let call = ["gdbus", "call", "--session", "--dest=org.kde.KWin", "--object-path=\(path)"]
    return try await run(call + ["--method=\(method)"] + arguments).succeeded().text
  }
}
