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
  /// The lines for that file, in which `{toggle}` and `{id}` stand for the command and the program's id.
  private let template: String
  /// The file that starts programs.
  let startFile: String
  /// The line for that file, in which `{start}` stands for the command.
  private let startTemplate: String
  /// Quotes a command's words for use in `template`.
  private let quote: @Sendable ([String]) -> String
  /// Quotes a command's words for use in `startTemplate`.
  private let quoteStart: @Sendable ([String]) -> String

  private init(
    _ name: String, _ file: String, _ template: String, start: (file: String?, line: String),
    _ quote: @escaping @Sendable ([String]) -> String,
    startingBy quoteStart: (@Sendable ([String]) -> String)? = nil
  ) {
    self.name = name
    self.file = file
    self.template = template
    startFile = start.file ?? file
    startTemplate = start.line
    self.quote = quote
    self.quoteStart = quoteStart ?? quote
  }

  static let all = [
    Compositor(
      "sway", "~/.config/sway/config",
      """
      bindsym --no-repeat Mod4+Ctrl+v exec {toggle}
      for_window [app_id="{id}"] floating enable
      """, start: (nil, "exec {start}"),
      // "$" begins a variable.
      { shell($0).substituting(["$": "$$"]) }),
    Compositor(
      "Hyprland", "~/.config/hypr/hyprland.lua",
      """
      hl.bind("SUPER + CTRL + V", hl.dsp.exec_cmd({toggle}))
      hl.window_rule({ match = { class = "{id}" }, float = true })
      """, start: (nil, #"hl.on("hyprland.start", function() hl.exec_cmd({start}) end)"#),
      { inDoubleQuotes(shell($0)) }),
    // Hyprland before 0.55.
    Compositor(
      "Hyprland", "~/.config/hypr/hyprland.conf",
      """
      bind = SUPER CTRL, V, exec, {toggle}
      windowrule = float on, match:class {id}
      """, start: (nil, "exec-once = {start}"),
      // "#" begins a comment.
      { shell($0).substituting(["#": "##"]) }),
    // niri accepts only one section `binds`, so the existing one is extended.
    Compositor(
      "niri", "~/.config/niri/config.kdl",
      """
      window-rule { match app-id="^{id}$"; open-floating true; }
      // In the section binds { … }:
      Mod+Ctrl+V { spawn {toggle}; }
      """, start: (nil, "spawn-at-startup {start}"),
      { $0.map(inDoubleQuotes).joined(separator: " ") }),
    Compositor(
      "river", "~/.config/river/init",
      """
      # For river-classic; river 0.4 and newer leave keys to their window manager.
      riverctl map normal Super+Control V spawn {toggle}
      riverctl rule-add -app-id {id} float
      """, start: (nil, "riverctl spawn {start}"),
      { shell([shell($0)]) }),
    Compositor(
      "labwc", "~/.config/labwc/rc.xml",
      """
      <!-- In the section <keyboard>: -->
      <keybind key="W-C-v"><action name="Execute" command="{toggle}"/></keybind>
      """, start: ("~/.config/labwc/autostart", "{start} &"),
      { shell($0).substituting(["&": "&amp;", "<": "&lt;", "\"": "&quot;"]) }, startingBy: shell),
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

  /// The lines for `file`, including the line that starts the program if it belongs there.
  ///
  /// - Parameter program: The words of the command without options.
  @MainActor func lines(for program: [String]) -> String {
    let lines = template.substituting([
      "{toggle}": quote(program + ["--toggle"]), "{id}": CopyPasta.id,
    ])
    return startFile == file ? startLine(for: program) + "\n" + lines : lines
  }

  /// The line for `startFile` that starts the program without showing its window.
  func startLine(for program: [String]) -> String {
    startTemplate.substituting(["{start}": quoteStart(program + ["--background"])])
  }

  /// A command for a POSIX shell.
  private static func shell(_ words: [String]) -> String {
    words.map(ProgramFiles.quoted).joined(separator: " ")
  }

  /// A string of Lua or KDL.
  private static func inDoubleQuotes(_ text: String) -> String {
    "\"" + text.substituting(["\\": "\\\\", "\"": "\\\""]) + "\""
  }
}

extension String {
  /// Replaces each occurrence of a key, but none within an inserted value.
  fileprivate func substituting(_ replacements: [String: String]) -> String {
    var result = ""
    var rest = self[...]
    while !rest.isEmpty {
      if let (key, value) = replacements.first(where: { rest.hasPrefix($0.key) }) {
        result += value
        rest = rest.dropFirst(key.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result
  }
}
