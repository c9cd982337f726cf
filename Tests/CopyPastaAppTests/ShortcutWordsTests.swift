import Glibc
import GtkKit
import Testing

@testable import CopyPastaApp

/// The keys that are accepted as the shortcut, and the messages about the shortcut.
@MainActor @Suite struct ShortcutWordsTests {
  @Test(arguments: [
    (true, ["<Control><Super>v", "<Alt>F1", "<Super>space", "<Control><Shift>c", "<Control>k"]),
    (false, ["v", "<Shift>v", "F12", "Escape", "<Control>c", "<Control>v", "<Control>Insert"]),
  ])
  func `keys are accepted as the shortcut unless they are needed for typing or editing`(
    areAccepted: Bool, names: [String]
  ) throws {
    for name in names {
      let keys = try #require(Accelerator(name))
      #expect(keys.objection?.isEmpty == (areAccepted ? nil : false) && !keys.isModifierAlone, "\(name)")
    }
    #expect(try #require(Accelerator("<Control>Super_L")).isModifierAlone)
  }

  @Test(arguments: Compositor.all.map(\.name))
  func `without a shortcut, the message names the compositor's configuration file`(_ name: String) throws {
    let before = setDesktop(name)
    defer { setDesktop(before) }
    let compositor = try #require(Compositor.current)
    let state = ShortcutState.notHeld(.unsupported)
    let command = try #require(state.command)
    #expect(
      command.contains(CopyPasta.command + " --toggle") && state.message.hasSuffix("\(compositor.file):"))
    #expect(command.contains("--background") == (compositor.startFile == nil))
    #expect(state.keys == "Not Available")
    #expect(ShortcutsWindow.keys(of: state) == "Set Up in Preferences")
  }

  /// Sets the name of the desktop, and returns the former one.
  @discardableResult private func setDesktop(_ name: String) -> String {
    defer { setenv("XDG_CURRENT_DESKTOP", name, 1) }
    return getenv("XDG_CURRENT_DESKTOP").map { String(cString: $0) } ?? ""
  }

  @Test func `a displayed command cannot wrap at its hyphens`() {
    let shown = ShortcutState.unbroken("copypasta --toggle")
    #expect(shown.filter { $0 != "\u{2060}" } == "copypasta --toggle" && !shown.contains("--"))
  }

  @Test func `the shortcut message offers a command only if the shortcut is refused or unsupported`() throws {
    for reason in [ShortcutState.Reason.refused, .unsupported] {
      let state = ShortcutState.notHeld(reason)
      #expect(state.message.hasSuffix(":") && state.advice.hasSuffix("in Preferences."))
      #expect(try #require(state.command).hasSuffix(" --toggle"))
    }
    for state in [.off, .starting, .held(by: .portal, name: "X"), .notHeld(.taken("X"))] as [ShortcutState] {
      #expect(state.message.hasSuffix(".") && state.advice == state.message)
      #expect(state.command == nil)
    }
  }
}
