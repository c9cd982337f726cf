import CXCB
import ClipboardCore

/// A snapshot of the server's keyboard mapping (X11 protocol, chapter 5).
struct Keyboard {
  /// A keycode, and the state of the modifiers (`xcb_mod_mask_t`) held with it.
  struct Stroke: Hashable {
    let code: xcb_keycode_t
    let state: UInt16
  }

  /// The keysyms of each key; the first key has the keycode `firstCode`.
  private let rows: [[UInt32]]
  private let firstCode: Int
  /// The keycodes of each of the eight modifiers.
  private let modifierKeys: [[xcb_keycode_t]]

  /// Requests the mapping; nil if the server is out of memory.
  init?(_ connection: XConnection) throws(TransferError) {
    let (least, greatest) = connection.keycodes
    let mapping = xcb_get_keyboard_mapping(connection.handle, least, greatest - least + 1).sequence
    let modifiers = xcb_get_modifier_mapping(connection.handle).sequence
    guard let rows = try connection.reply(xcb_get_keyboard_mapping_reply_t.self, to: mapping, .endless),
      let keys = try connection.reply(xcb_get_modifier_mapping_reply_t.self, to: modifiers, .endless)
    else { return nil }
    firstCode = Int(least)
    self.rows = chunks(
      UnsafeBufferPointer(
        start: xcb_get_keyboard_mapping_keysyms(rows.memory),
        count: Int(xcb_get_keyboard_mapping_keysyms_length(rows.memory))),
      of: Int(rows.body.keysyms_per_keycode))
    modifierKeys = chunks(
      UnsafeBufferPointer(
        start: xcb_get_modifier_mapping_keycodes(keys.memory),
        count: Int(xcb_get_modifier_mapping_keycodes_length(keys.memory))),
      of: Int(keys.body.keycodes_per_modifier))
  }

  /// Returns the strokes for a combination; empty if the keyboard lacks the key or a modifier.
  ///
  /// The result has a stroke for each key that has the keysym in the first or second layout, with each state of the
  /// locks that are not part of the combination: a grab treats locks as modifiers.
  func strokes(for keys: KeyCombination) -> Set<Stroke> {
    guard let held = state(of: keys.modifiers) else { return [] }
    let states = locks.filter { held & $0 == 0 }.reduce([held]) { states, lock in
      states + states.map { $0 | lock }
    }
    return Set(
      plainStrokes(of: keys.keysym).flatMap { key in
        states.map { Stroke(code: key.code, state: key.state | $0) }
      })
  }

  /// The bits of the modifiers that stay on after their key is released.
  private var locks: [UInt16] {
    // A key that locks a level need not be a key of the level's modifier.
    let lockedLevels = Keysym.levels.filter { level in rows.contains { $0.contains(level.lock) } }
    let keysyms = Keysym.locks + lockedLevels.map(\.shift)
    // Modifier 1 is Lock, which is Caps Lock or Shift Lock.
    return modifierKeys.indices.filter { index in
      index == 1 || hasKey(ofModifier: index, keysyms)
    }.map { 1 << UInt16($0) }
  }

  /// The strokes of the Super keys, pressed alone.
  var logoStrokes: Set<Stroke> { Set(Keysym.logo.flatMap { plainStrokes(of: $0) }) }

  // MARK: - Keys

  /// Returns the strokes that produce a keysym: without modifiers if possible, otherwise with Shift, otherwise the key
  /// of a US keyboard.
  private func plainStrokes(of keysym: UInt32) -> [Stroke] {
    // The server's columns are group 1 without and with Shift, then group 2 without and with Shift. Further levels and
    // groups follow in an unspecified order.
    let plain = codes(of: keysym, columns: [0, 2]).map { Stroke(code: $0, state: 0) }
    if !plain.isEmpty { return plain }
    let shifted = codes(of: keysym, columns: [1, 3])
    if !shifted.isEmpty {
      return shifted.map { Stroke(code: $0, state: UInt16(XCB_MOD_MASK_SHIFT.rawValue)) }
    }
    // The keyboard has no Latin letters, for example if its only layout is Russian.
    return USKeyboard.code(of: keysym).map { [Stroke(code: $0, state: 0)] } ?? []
  }

  private func codes(of keysym: UInt32, columns: [Int]) -> [xcb_keycode_t] {
    rows.indices.filter { row in columns.contains { $0 < rows[row].count && rows[row][$0] == keysym } }
      .map { xcb_keycode_t($0 + firstCode) }
  }

  // MARK: - Modifiers

  private func state(of modifiers: KeyCombination.Modifiers) -> UInt16? {
    var state: UInt16 = 0
    if modifiers.contains(.shift) { state |= UInt16(XCB_MOD_MASK_SHIFT.rawValue) }
    if modifiers.contains(.control) { state |= UInt16(XCB_MOD_MASK_CONTROL.rawValue) }
    // The keyboard mapping determines which of Mod1 to Mod5 the following modifiers are.
    let named: [(KeyCombination.Modifiers, [UInt32])] = [
      (.alt, Keysym.alt), (.logo, Keysym.logo), (.hyper, Keysym.hyper), (.meta, Keysym.meta),
    ]
    for (modifier, keysyms) in named where modifiers.contains(modifier) {
      guard let bit = self.state(of: keysyms) else { return nil }
      state |= bit
    }
    return state
  }

  /// Returns the bit of the modifier that has a key with one of these keysyms.
  private func state(of keysyms: [UInt32]) -> UInt16? {
    modifierKeys.indices.first { hasKey(ofModifier: $0, keysyms) }.map { 1 << UInt16($0) }
  }

  private func hasKey(ofModifier index: Int, _ keysyms: [UInt32]) -> Bool {
    modifierKeys[index].contains { code in
      rows.indices.contains(Int(code) - firstCode)
        && rows[Int(code) - firstCode].contains { keysyms.contains($0) }
    }
  }
}

/// Keysyms of modifiers (X11 protocol, appendix A).
private enum Keysym {
  /// Num Lock, Scroll Lock, and the locks of levels 3 and 5.
  static let locks: [UInt32] = [0xff7f, 0xff14] + levels.map(\.lock)
  /// The keys that select levels 3 and 5 while they are held, or lock them.
  static let levels: [(shift: UInt32, lock: UInt32)] = [(0xfe03, 0xfe05), (0xfe11, 0xfe13)]
  static let meta: [UInt32] = [0xffe7, 0xffe8]
  static let alt: [UInt32] = [0xffe9, 0xffea]
  static let logo: [UInt32] = [0xffeb, 0xffec]
  static let hyper: [UInt32] = [0xffed, 0xffee]
}

/// The keycodes of letters and digits on a US keyboard, which are the same on every X server on Linux (evdev's plus 8).
private enum USKeyboard {
  private static let rows: [(first: xcb_keycode_t, letters: String)] = [
    (10, "1234567890"), (24, "qwertyuiop"), (38, "asdfghjkl"), (52, "zxcvbnm"),
  ]

  static func code(of keysym: UInt32) -> xcb_keycode_t? {
    for (first, letters) in rows {
      // The keysym of an ASCII character is its code.
      if let index = Array(letters.utf8).firstIndex(where: { UInt32($0) == keysym }) {
        return first + xcb_keycode_t(index)
      }
    }
    return nil
  }
}

private func chunks<Element>(_ buffer: UnsafeBufferPointer<Element>, of length: Int) -> [[Element]] {
  guard length > 0 else { return [] }
  return stride(from: 0, to: buffer.count - length + 1, by: length).map { Array(buffer[$0..<($0 + length)]) }
}

/// A key with modifiers.
public struct KeyCombination: Equatable, Sendable {
  /// Modifier keys.
  public struct Modifiers: OptionSet, Sendable {
    /// The modifiers, one bit each.
    public let rawValue: UInt8

    /// Makes a set from modifier bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Shift.
    public static let shift = Modifiers(rawValue: 1 << 0)
    /// Control.
    public static let control = Modifiers(rawValue: 1 << 1)
    /// Alt.
    public static let alt = Modifiers(rawValue: 1 << 2)
    /// Super, the key with the logo.
    public static let logo = Modifiers(rawValue: 1 << 3)
    /// Hyper, which few keyboards have.
    public static let hyper = Modifiers(rawValue: 1 << 4)
    /// Meta, which few keyboards have in addition to Alt.
    public static let meta = Modifiers(rawValue: 1 << 5)
  }

  /// The key's keysym without modifiers (X11 protocol, appendix A); lower case for letters.
  public let keysym: UInt32
  /// The modifiers that are held down.
  public let modifiers: Modifiers

  /// Makes a combination.
  public init(keysym: UInt32, modifiers: Modifiers) {
    self.keysym = keysym
    self.modifiers = modifiers
  }
}
