import GtkKit
import TestSupport
import Testing

@testable import CopyPastaApp

/// What users of a compositor add to its configuration.
@MainActor @Suite struct CompositorTests {
  /// A path with everything that some configuration's quoting treats specially.
  nonisolated private static let program = [#"/opt/a b's "c" & $d #e\f/copypasta"#]
  /// The same path for a shell.
  nonisolated private static let shell = #"'/opt/a b'\''s "c" & $d #e\f/copypasta'"#

  @Test(
    arguments: [
      (
        "~/.config/sway/config",
        #"""
        exec '/opt/a b'\''s "c" & $$d #e\f/copypasta' --background
        bindsym --no-repeat Mod4+Ctrl+v exec '/opt/a b'\''s "c" & $$d #e\f/copypasta' --toggle
        for_window [app_id="org.copypasta.CopyPasta"] floating enable
        """#
      ),
      (
        "~/.config/hypr/hyprland.lua",
        #"""
        hl.on("hyprland.start", function() hl.exec_cmd("'/opt/a b'\\''s \"c\" & $d #e\\f/copypasta' --background") end)
        hl.bind("SUPER + CTRL + V", hl.dsp.exec_cmd("'/opt/a b'\\''s \"c\" & $d #e\\f/copypasta' --toggle"))
        hl.window_rule({ match = { class = "org.copypasta.CopyPasta" }, float = true })
        """#
      ),
      (
        "~/.config/hypr/hyprland.conf",
        #"""
        exec-once = '/opt/a b'\''s "c" & $d ##e\f/copypasta' --background
        bind = SUPER CTRL, V, exec, '/opt/a b'\''s "c" & $d ##e\f/copypasta' --toggle
        windowrule = float on, match:class org.copypasta.CopyPasta
        """#
      ),
      (
        "~/.config/niri/config.kdl",
        #"""
        spawn-at-startup "/opt/a b's \"c\" & $d #e\\f/copypasta" "--background"
        window-rule { match app-id="^org.copypasta.CopyPasta$"; open-floating true; }
        // In the section binds { … }:
        Mod+Ctrl+V { spawn "/opt/a b's \"c\" & $d #e\\f/copypasta" "--toggle"; }
        """#
      ),
      (
        "~/.config/labwc/rc.xml",
        #"""
        <!-- In the section <keyboard>: -->
        <keybind key="W-C-v"><action name="Execute" command="'/opt/a b'\''s &quot;c&quot; &amp; $d #e\f/copypasta' --toggle"/></keybind>
        """#
      ),
    ])
  func `configuration lines quote the path for their file`(file: String, lines: String) throws {
    let compositor = try #require(Compositor.all.first { $0.file == file })
    #expect(compositor.lines(for: Self.program) == lines)
  }

  /// river's file is a shell script, and `spawn` takes a shell command as one word.
  @Test func `the shell keeps the program's path intact in the lines for the river compositor`() async throws
  {
    let river = try #require(Compositor.all.first { $0.name == "river" })
    let script =
      "riverctl() { for word; do :; done; printf '%s\\n' \"$word\"; }\n" + river.lines(for: Self.program)
    let result = try await Program.run(["/bin/sh", "-c", script], environment: ["PATH": "/usr/bin:/bin"])
    #expect(result.errors == "")
    #expect(
      result.text.split(separator: "\n") == [
        "\(Self.shell) --background", "\(Self.shell) --toggle", "float",
      ])
  }

  @Test func `labwc's autostart command goes in a separate file`() throws {
    let labwc = try #require(Compositor.all.first { $0.name == "labwc" })
    #expect(labwc.startFile == "~/.config/labwc/autostart")
    #expect(labwc.startLine(for: Self.program) == "\(Self.shell) --background &")
  }

  @Test(.enabled(if: Requirement.restrictedUser.isMet, "\(Requirement.restrictedUser)"))
  func `sway's own check accepts the lines`() async throws {
    let sway = try #require(Compositor.all.first { $0.file.hasSuffix("/sway/config") })
    let folder = try TemporaryFolder()
    for (lines, isSound) in [(sway.lines(for: Self.program), true), ("bindsymm Mod4+v exec true", false)] {
      try folder.write(lines + "\n", to: "config")
      let result = try await Program.run(
        asOtherThanRoot(owning: folder.path) + ["sway", "--validate", "--config", folder.path + "/config"],
        environment: [
          "PATH": "/usr/bin:/bin", "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path,
          "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1",
        ])
      #expect((result.exit == .code(0)) == isSound, "\(result.text) \(result.errors)")
    }
  }
}
