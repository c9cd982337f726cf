import Foundation
import Synchronization
import TestSupport
import Testing

@testable import X11Kit

extension X11KitTests {
  /// Global keys, pressed with xdotool; each test has its own X server, and therefore its own keyboard.
  @Suite(.serialized, .tags(.popsUp)) struct KeyGrabTests {
    /// Control, Super and v, the program's default shortcut.
    static let toggle = KeyCombination(keysym: letter("v"), modifiers: [.control, .logo])
    /// The keycodes of v, y and z on a US keyboard.
    static let (v, y, z) = ("55", "29", "52")
    /// The keycode of F12; given the name `F12`, xdotool also presses Alt in one layout of xkeyboard-config 2.45.
    static let f12 = "96"

    let server: XServer
    let grab: KeyGrab
    let presses = Presses()

    init() async throws {
      server = try await XServer()
      grab = try KeyGrab(
        display: server.display, pressed: { [presses] in presses.add($0) },
        changed: { [presses] in presses.note($0) })
    }

    @Test func `a key grab reports each press with its time`() async throws {
      #expect(await grab.grab(Self.toggle) == .held)
      try await press("ctrl+super+v")
      try await presses.expect(1)
      try await press("ctrl+super+v")
      try await presses.expect(2)
      #expect(presses.times[0] > 0)
      #expect(presses.times[1] > presses.times[0])
    }

    @Test(arguments: [
      (toggle, ["v", "ctrl+v", "super+v", "ctrl+shift+super+v", "ctrl+alt+super+v", "ctrl+super+c"]),
      (toggle, ["Num_Lock"]), (toggle, ["Caps_Lock"]), (toggle, ["Num_Lock", "Caps_Lock"]),
      (KeyCombination(keysym: letter("+"), modifiers: [.control]), ["ctrl+equal"]),
    ])
    func `a key grab reports only its exact combination, also with Num Lock and Caps Lock on`(
      _ keys: KeyCombination, others: [String]
    ) async throws {
      #expect(await grab.grab(keys) == .held)
      for other in others { try await press(other) }
      try await press(keys == Self.toggle ? "ctrl+super+v" : "ctrl+shift+equal")
      try await presses.expect(1)
    }

    @Test(arguments: [["Scroll_Lock"], ["Menu"], ["Scroll_Lock", "Menu", "Num_Lock", "Caps_Lock"]])
    func `locks that a keyboard has as modifiers do not disable a key grab`(_ locks: [String]) async throws {
      // Scroll Lock is a modifier of its own, and Menu locks level 3, whose modifier belongs to another key.
      let script = """
        setxkbmap -layout de -print | sed '/xkb_symbols/s/};/key <MENU> { [ ISO_Level3_Lock ] }; modifier_map Mod3 { <SCLK> }; };/' \
          | xkbcomp -w 0 - "$DISPLAY"
        """
      try await run(["sh", "-c", script])
      #expect(await grab.grab(Self.toggle) == .held)
      for lock in locks { try await press(lock == "Menu" ? "135" : lock) }
      try await press("ctrl+super+" + Self.v)
      try await presses.expect(1)
      // AltGr and other modifiers still make it another combination.
      try await press("ctrl+alt+super+" + Self.v)
      try await press("ctrl+super+" + Self.v)
      try await presses.expect(2)
    }

    @Test func `a combination that another program has grabbed is reported as taken`() async throws {
      #expect(await grab.grab(Self.toggle) == .held)
      let second = try KeyGrab(display: server.display, pressed: { _ in }, changed: { _ in })
      #expect(await second.grab(Self.toggle) == .taken)
      try await press("ctrl+super+v")
      try await presses.expect(1)
      await grab.release()
      #expect(await second.grab(Self.toggle) == .held)
      #expect(await grab.grab(Self.toggle) == .taken)
    }

    @Test func `a combination is not grabbed at all unless it can be grabbed in every lock state`()
      async throws
    {
      // Grab the combination in one lock state only, like a program that does not allow for lock keys.
      let other = try XConnection(display: server.display)
      #expect(try other.grab([Keyboard.Stroke(code: 55, state: 0x46)]))
      #expect(await grab.grab(Self.toggle) == .taken)
      // The failed attempt must leave nothing grabbed, so a third program can grab the combination.
      let third = try XConnection(display: server.display)
      #expect(try third.grab([Keyboard.Stroke(code: 55, state: 0x44)]))
    }

    @Test func `grabbing a second key combination releases the first`() async throws {
      #expect(await grab.grab(Self.toggle) == .held)
      #expect(await grab.grab(KeyCombination(keysym: 0xffc9, modifiers: [.shift])) == .held)
      try await press("ctrl+super+v", "shift+" + Self.f12)
      try await presses.expect(1)
      #expect(try KeyGrab.isFree(Self.toggle, on: server.display))
    }

    @Test func `a key that is not on the keyboard is reported as missing`() async {
      #expect(await grab.grab(KeyCombination(keysym: 0x1234_5678, modifiers: [.control])) == .missing)
      #expect(await grab.state == .missing)
      #expect(await grab.grab(Self.toggle) == .held)
    }

    /// When icewm grabs a Super key, it also takes every combination with Super, unlike other programs.
    @Test(arguments: [("IceWM 3.3.1", true), ("IceWM 3.3.1", false), ("GNOME Shell", true)])
    func `a combination with Super counts as taken while icewm has grabbed Super`(
      manager: String, hasKeys: Bool
    ) async throws {
      let other = try XConnection(display: server.display)
      if hasKeys { #expect(try other.grab([Keyboard.Stroke(code: 133, state: 0)])) }
      try await set("_NET_WM_NAME", "8u", manager)
      try await set("_NET_SUPPORTING_WM_CHECK", "32x", "\(other.root)")
      #expect(await grab.grab(Self.toggle) == (manager.hasPrefix("IceWM") && hasKeys ? .taken : .held))
      let withAlt = KeyCombination(keysym: letter("v"), modifiers: [.control, .alt])
      #expect(await grab.grab(withAlt) == .held)
      // Checking whether the Super keys are grabbed must leave them free.
      #expect(try other.grab([Keyboard.Stroke(code: 133, state: 0), Keyboard.Stroke(code: 134, state: 0)]))
    }

    // MARK: Layouts

    @Test func `a key grab follows its key when the keyboard layout changes`() async throws {
      let letterY = KeyCombination(keysym: letter("y"), modifiers: [.alt])
      #expect(await grab.grab(letterY) == .held)
      try await press("alt+" + Self.y)
      try await presses.expect(1)
      try await run(["setxkbmap", "de"])
      // On a German keyboard, y and z are swapped. Press repeatedly, because the grab follows the change with a delay.
      try await waitUntil("the key in its new place") {
        try await press("alt+" + Self.z)
        return presses.times.count > 1
      }
      let count = presses.times.count
      try await press("alt+" + Self.y, "alt+" + Self.z)
      try await presses.expect(count + 1)
    }

    @Test(arguments: ["us,ru", "ru,us", "gr,us", "ru"])
    func `a grabbed combination works in layouts without Latin letters`(_ layouts: String) async throws {
      try await run(["setxkbmap", "-option", "grp:menu_toggle", layouts])
      #expect(await grab.grab(Self.toggle) == .held)
      for count in 1...2 {
        try await press("ctrl+super+" + Self.v)
        try await presses.expect(count)
        try await press("Menu")
      }
    }

    @Test func `a key grab reports a conflict caused by a new layout`() async throws {
      #expect(await grab.grab(KeyCombination(keysym: letter("y"), modifiers: [.alt])) == .held)
      let other = try XConnection(display: server.display)
      #expect(try other.grab([Keyboard.Stroke(code: 52, state: 0x08)]))
      try await run(["setxkbmap", "de"])
      #expect(try await eventually { presses.changes == [.taken] })
      try await run(["setxkbmap", "us"])
      #expect(try await eventually { presses.changes == [.taken, .held] })
    }

    // MARK: Keys typed after a press

    /// The window manager sets `_NET_ACTIVE_WINDOW` before it moves the focus, as awesome does.
    @Test func `keys typed right after the shortcut reach the window that gets the focus`()
      async throws
    {
      let (other, program) = try await (OtherWindows(on: server.display), OtherWindows(on: server.display))
      let grab = try await freezing(for: program, atMost: generousLimit)
      try await other.focus()
      try await press("ctrl+super+v")
      try await presses.expect(1)
      try await set("_NET_ACTIVE_WINDOW", "32x", "\(program.window)")
      try await press("y", "z")
      #expect(await grab.isFreezing)
      try await program.focus()
      #expect(try await program.nextKey() == Self.y)
      #expect(try await program.nextKey() == Self.z)
      try await waitUntil("the end of the press") { await !grab.isFreezing }
      // The next press hides the window.
      try await press("ctrl+super+v")
      try await presses.expect(2)
      try await press("v")
      #expect(await grab.isFreezing)
      try await other.focus()
      // The other window has received no key before this one.
      #expect(try await other.nextKey() == Self.v)
    }

    @Test(.tags(.takesNoKeys)) func `if no window gets the focus, the keyboard is frozen for one press only`()
      async throws
    {
      let (other, program) = try await (OtherWindows(on: server.display), OtherWindows(on: server.display))
      // Use the program's default limit.
      let grab = try await freezing(for: program)
      try await other.focus()
      try await press("ctrl+super+v", "y")
      #expect(try await eventually(within: .seconds(4)) { await grab.getsNoFocus })
      #expect(try await other.nextKey() == Self.y)
      try await press("ctrl+super+v")
      try await presses.expect(2)
      #expect(await !grab.isFreezing)
      // The window manager grants the focus later.
      try await program.focus()
      try await waitUntil("the focus noticed") { await !grab.getsNoFocus }
    }

    @Test func `a key that is held while the window appears is reported only once`() async throws {
      let (other, program) = try await (OtherWindows(on: server.display), OtherWindows(on: server.display))
      let grab = try await freezing(for: program, atMost: generousLimit)
      try await other.focus()
      try await run(["xdotool", "keydown", "ctrl", "keydown", "super", "keydown", "v"])
      try await presses.expect(1)
      try await program.focus()
      try await waitUntil("the keyboard thawed") { await !grab.isFreezing }
      // Key repetition starts after 0.5 s.
      try await run(["xdotool", "sleep", "1.2", "keyup", "v", "keyup", "super", "keyup", "ctrl"])
      try await press("ctrl+super+v")
      try await presses.expect(2)
    }

    /// Returns a grab that freezes the keyboard for a program's windows, unlike the suite's own grab.
    private func freezing(for program: OtherWindows, atMost limit: Duration? = nil) async throws -> KeyGrab {
      let pressed: @Sendable (UInt32) -> Void = { [presses] in presses.add($0) }
      let (display, window) = (server.display, program.window)
      let grab =
        if let limit {
          try KeyGrab(
            display: display, ownWindow: window, longestFreeze: limit, pressed: pressed, changed: { _ in })
        } else {
          try KeyGrab(display: display, ownWindow: window, pressed: pressed, changed: { _ in })
        }
      #expect(await grab.grab(Self.toggle) == .held)
      return grab
    }

    // MARK: Tools

    private func press(_ keys: String...) async throws { try await run(["xdotool", "key"] + keys) }

    /// Sets a property of the root window.
    private func set(_ property: String, _ format: String, _ value: String) async throws {
      try await run(["xprop", "-root", "-f", property, format, "-set", property, value])
    }

    private func run(_ command: [String]) async throws {
      _ = try await output(of: command, display: server.display)
    }
  }
}

extension KeyGrab {
  /// Whether a combination is not grabbed.
  static func isFree(_ keys: KeyCombination, on display: String) throws -> Bool {
    let connection = try XConnection(display: display)
    let strokes = try #require(try Keyboard(connection)).strokes(for: keys)
    return try connection.grab(strokes)
  }
}

/// The presses and changes that a grab has reported.
final class Presses: Sendable {
  private let told = Mutex<(times: [UInt32], changes: [KeyGrab.State])>(([], []))

  var times: [UInt32] { told.withLock { $0.times } }
  var changes: [KeyGrab.State] { told.withLock { $0.changes } }

  func add(_ time: UInt32) { told.withLock { $0.times.append(time) } }
  func note(_ state: KeyGrab.State) { told.withLock { $0.changes.append(state) } }

  /// Waits for `count` presses; a surplus press is detected by the next call.
  func expect(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    _ = try await eventually { times.count >= count }
    #expect(times.count == count, sourceLocation: sourceLocation)
  }
}

private func letter(_ letter: Unicode.Scalar) -> UInt32 { letter.value }
