import Testing

@testable import GtkKit

@MainActor @Suite struct AcceleratorTests {
  @Test(arguments: ["", "<Control>", "nonsense", "<Nonsense>v", "v<Control>"])
  func `an accelerator name without a valid key is refused`(_ name: String) {
    #expect(Accelerator(name) == nil)
  }

  @Test func `an accelerator from an event ignores Caps Lock, buttons and capitalisation`() {
    let capsLockAndButton1: UInt32 = 1 << 1 | 1 << 8
    let event = Accelerator.Modifiers(rawValue: capsLockAndButton1).union([.shift, .alt])
    #expect(Accelerator(key: 0x56, modifiers: event) == Accelerator("<Shift><Alt>v"))
  }

  @Test func `modifier keys are recognised`() {
    for name in ["Control_L", "Shift_R", "Super_L", "ISO_Level3_Shift", "Caps_Lock", "Num_Lock"] {
      #expect(Accelerator(name)?.isModifierAlone == true, "\(name)")
    }
    for name in ["v", "F12", "Tab", "space", "Delete", "XF86AudioPlay"] {
      #expect(Accelerator(name)?.isModifierAlone == false, "\(name)")
    }
  }
}

@Suite struct ShellCommandTests {
  @Test func `a shell word is quoted only if necessary`() {
    #expect(ProgramFiles.quoted("/usr/bin/copypasta") == "/usr/bin/copypasta")
    #expect(ProgramFiles.quoted("/home/a b/copypasta") == "'/home/a b/copypasta'")
    #expect(ProgramFiles.quoted("/it's") == #"'/it'\''s'"#)
  }

  @Test func `the program's shell command is a full path if its name would run another program`() throws {
    // "sh" is in every PATH and is not this test program, whose folder may contain a space.
    let tests = try #require(ProgramFiles.program)
    #expect(ProgramFiles.command(named: "sh") == tests)
  }
}
