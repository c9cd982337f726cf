import Testing

@testable import GtkKit

@MainActor @Suite struct AcceleratorTests {
  @Test func `is read and written as GTK does`() throws {
    let accelerator = try #require(Accelerator("<Control><Super>v"))
    #expect(accelerator.key == 0x76)
    #expect(accelerator.modifiers == [.control, .logo])
    #expect(accelerator.name == "<Control><Super>v")
    #expect(accelerator.label == "Ctrl+Super+V")
    #expect(accelerator.keyName == "v")
  }

  @Test(arguments: ["", "<Control>", "nonsense", "<Nonsense>v", "v<Control>"])
  func `what names no key is none`(_ name: String) {
    #expect(Accelerator(name) == nil)
  }

  @Test func `an event's capital letter and locks are left out`() {
    let capsLockAndButton1: UInt32 = 1 << 1 | 1 << 8
    let event = Accelerator.Modifiers(rawValue: capsLockAndButton1).union([.shift, .alt])
    #expect(Accelerator(key: 0x56, modifiers: event) == Accelerator("<Shift><Alt>v"))
  }

  @Test(arguments: ["Control_L", "Shift_R", "Super_L", "ISO_Level3_Shift", "Caps_Lock", "Num_Lock"])
  func `modifiers are told`(_ name: String) {
    #expect(Accelerator(name)?.isModifierAlone == true)
  }

  @Test(arguments: ["v", "F12", "Tab", "space", "Delete", "XF86AudioPlay"])
  func `other keys are not`(_ name: String) {
    #expect(Accelerator(name)?.isModifierAlone == false)
  }
}

@Suite struct ShellCommandTests {
  @Test func `only what needs quotes gets them`() {
    #expect(ProgramFiles.quoted("/usr/bin/copypasta") == "/usr/bin/copypasta")
    #expect(ProgramFiles.quoted("/home/a b/copypasta") == "'/home/a b/copypasta'")
    #expect(ProgramFiles.quoted("/it's") == #"'/it'\''s'"#)
  }

  @Test func `a program of that name that is another one does not count`() throws {
    // "sh" is in every PATH, and is not the program that runs these tests. Their folder may have a space.
    let tests = try #require(ProgramFiles.program)
    #expect(ProgramFiles.shellCommand(named: "sh") == ProgramFiles.quoted(tests))
  }
}
