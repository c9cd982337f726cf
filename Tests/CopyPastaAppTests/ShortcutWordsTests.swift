import GtkKit
import Testing

@testable import CopyPastaApp

/// Which keys may become the shortcut, and what the user reads of it.
@MainActor @Suite struct ShortcutWordsTests {
  @Test(arguments: ["<Control><Super>v", "<Alt>F1", "<Super>space", "<Control><Shift>c", "<Control>k"])
  func keysWithAModifierWillDo(_ name: String) throws {
    let keys = try #require(Accelerator(name))
    #expect(ShortcutCapture(keys) == .chosen(keys))
  }

  @Test(arguments: ["v", "<Shift>v", "F12", "Escape", "<Control>c", "<Control>v", "<Control>Insert"])
  func whatIsNeededForTypingWillNot(_ name: String) throws {
    guard case .unsuitable(let reason) = ShortcutCapture(try #require(Accelerator(name))) else {
      Issue.record("suitable")
      return
    }
    #expect(!reason.isEmpty)
  }

  @Test func modifiersAloneAreABeginning() throws {
    #expect(ShortcutCapture(try #require(Accelerator("<Control>Super_L"))) == .incomplete)
  }

  @Test func theCommandIsSaidWhereThereIsNoOtherWay() throws {
    for reason in [ShortcutState.Reason.refused, .unsupported] {
      let state = ShortcutState.notHeld(reason)
      #expect(state.message.hasSuffix(":"))
      #expect(try #require(state.command).hasSuffix(" --toggle"))
    }
    for state in [.off, .starting, .held(by: .portal, name: nil), .notHeld(.taken("X"))] as [ShortcutState] {
      #expect(state.message.hasSuffix("."))
      #expect(state.command == nil)
    }
  }
}
