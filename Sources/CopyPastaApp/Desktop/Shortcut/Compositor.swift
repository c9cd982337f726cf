import GtkKit

/// A Wayland compositor whose shortcuts are set in a configuration file.
enum Compositor: String, CaseIterable {
  case sway, Hyprland, niri, river, labwc

  /// The compositor of this session, according to `$XDG_CURRENT_DESKTOP`; nil on other desktops.
  static var current: Compositor? {
    let names = Desktop.names.map { $0.lowercased() }
    return allCases.first { names.contains($0.rawValue.lowercased()) }
  }

  var file: String {
    switch self {
    case .sway: "~/.config/sway/config"
    case .Hyprland: "~/.config/hypr/hyprland.conf"
    case .niri: "~/.config/niri/config.kdl"
    case .river: "~/.config/river/init"
    case .labwc: "~/.config/labwc/rc.xml"
    }
  }

  /// The configuration lines that bind the default keys to a command and, in a tiling compositor, make the window
  /// float.
  @MainActor func lines(running command: String) -> String {
    let id = CopyPasta.id
    switch self {
    case .sway:
      return """
        bindsym --no-repeat Mod4+Ctrl+v exec \(command)
        for_window [app_id="\(id)"] floating enable
        """
    case .Hyprland:
      return """
        bind = SUPER CTRL, V, exec, \(command)
        windowrule = float on, match:class \(id)
        """
    case .niri:
      let arguments = command.split(separator: " ").map { "\"\($0)\"" }.joined(separator: " ")
      return """
        binds { Mod+Ctrl+V { spawn \(arguments); } }
        window-rule { match app-id="\(id)"; open-floating true; }
        """
    case .river:
      return """
        riverctl map normal Super+Control V spawn '\(command)'
        riverctl rule-add -app-id \(id) float
        """
    case .labwc:
      return """
        <keybind key="W-C-v"><action name="Execute" command="\(command)"/></keybind>
        """
    }
  }
}
