import Glibc
import GtkKit

/// A Wayland compositor with a configuration file, and the lines to add to that file: they bind the shortcut, make the
/// history's window float, and start the program at login.
///
/// Users can append the lines to any configuration. If a line belongs in a section, a comment names the section.
struct Compositor: Sendable {
  /// The name in `$XDG_CURRENT_DESKTOP`.
  let name: String
  /// The file that binds keys.
  let file: String
  /// The lines for that file, in which `%s` stands for the program's command.
  let lines: String
  /// The file that starts programs; nil if `lines` start this program.
  var startFile: String?
  /// The line that starts the program without showing its window.
  let start: String

  static let all = [
    Compositor(
      name: "sway", file: "~/.config/sway/config",
      lines: """
        bindsym --no-repeat Mod4+Ctrl+v exec %s --toggle
        for_window [app_id="org.copypasta.CopyPasta"] floating enable
        """, start: "exec %s --background"),
    Compositor(
      name: "Hyprland", file: "~/.config/hypr/hyprland.lua",
      lines: """
        hl.bind("SUPER + CTRL + V", hl.dsp.exec_cmd("%s --toggle"))
        hl.window_rule({ match = { class = "org.copypasta.CopyPasta" }, float = true })
        """, start: #"hl.on("hyprland.start", function() hl.exec_cmd("%s --background") end)"#),
    // Hyprland before 0.55.
    Compositor(
      name: "Hyprland", file: "~/.config/hypr/hyprland.conf",
      lines: """
        bind = SUPER CTRL, V, exec, %s --toggle
        windowrule = float on, match:class org.copypasta.CopyPasta
        """, start: "exec-once = %s --background"),
    // niri accepts only one section `binds`, so the existing one is extended.
    Compositor(
      name: "niri", file: "~/.config/niri/config.kdl",
      lines: """
        window-rule { match app-id="^org.copypasta.CopyPasta$"; open-floating true; }
        // In the section binds { … }:
        Mod+Ctrl+V { spawn "sh" "-c" "%s --toggle"; }
        """, start: #"spawn-at-startup "sh" "-c" "%s --background""#),
    Compositor(
      name: "river", file: "~/.config/river/init",
      lines: """
        # For river-classic; river 0.4 and newer leave keys to their window manager.
        riverctl map normal Super+Control V spawn '%s --toggle'
        riverctl rule-add -app-id org.copypasta.CopyPasta float
        """, start: "riverctl spawn '%s --background'"),
    Compositor(
      name: "labwc", file: "~/.config/labwc/rc.xml",
      lines: """
        <!-- In the section <keyboard>: -->
        <keybind key="W-C-v"><action name="Execute" command="%s --toggle"/></keybind>
        """, startFile: "~/.config/labwc/autostart", start: "%s --background &"),
  ]

  /// The compositor of this session, according to `$XDG_CURRENT_DESKTOP`; nil on other desktops.
  static var current: Compositor? {
    let names = Desktop.names.map { $0.lowercased() }
    let candidates = all.filter { names.contains($0.name.lowercased()) }
    return candidates.first(where: \.hasFile) ?? candidates.first
  }

  private var hasFile: Bool {
    let path = Desktop.Folders.config + file.dropFirst("~/.config".count)
    return access(path, F_OK) == 0
  }
}
