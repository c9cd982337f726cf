import CXCB
import ClipboardCore

/// The keyboard's mapping, as the server had it at one moment (X11 protocol, chapter 5).
struct Keyboard {
  /// A key by its place, and the state of the modifiers (`xcb_mod_mask_t`) that it is pressed in.
  struct Stroke: Hashable {
    let code: xcb_keycode_t
    let state: UInt16
  }

  /// For each key, from `firstCode` on, its keysyms.
  private let rows: [[UInt32]]
  private let firstCode: Int
  /// For each of the eight modifiers the keys that make it.
  private let modifierKeys: [[xcb_keycode_t]]

  /// Asks the server; nil if it is out of memory.
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

  /// The strokes that are meant by `keys`; none if this keyboard has no such key, or no such modifier.
  ///
  /// A stroke for each key that has the keysym in some layout, times the states of CapsLock and NumLock: those count
  /// as modifiers in a grab, and the user means the same with them.
  func strokes(for keys: KeyCombination) -> Set<Stroke> {
    guard let held = state(of: keys.modifiers) else { return [] }
    let locks = [UInt16(XCB_MOD_MASK_LOCK.rawValue), state(of: Keysym.numLock) ?? 0]
    var strokes: Set<Stroke> = []
    for key in plainStrokes(of: keys.keysym) {
      for lock in [0, locks[0], locks[1], locks[0] | locks[1]] {
        strokes.insert(Stroke(code: key.code, state: held | key.state | lock))
      }
    }
    return strokes
  }

  /// The keys of Super, pressed alone.
  var logoStrokes: Set<Stroke> { Set(Keysym.logo.flatMap { plainStrokes(of: $0) }) }

  // MARK: - Keys

  /// The strokes that make a keysym: without a modifier, else with Shift, else where a US keyboard has the keysym.
  private func plainStrokes(of keysym: UInt32) -> [Stroke] {
    // The server's columns are: group 1 without and with Shift, group 2 without and with Shift, then whatever
    // further levels and groups there are, in an order that cannot be told from here.
    let plain = codes(of: keysym, columns: [0, 2]).map { Stroke(code: $0, state: 0) }
    if !plain.isEmpty { return plain }
    let shifted = codes(of: keysym, columns: [1, 3])
    if !shifted.isEmpty {
      return shifted.map { Stroke(code: $0, state: UInt16(XCB_MOD_MASK_SHIFT.rawValue)) }
    }
    // A keyboard without Latin letters, such as a Russian one alone.
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
    // Which of Mod1 to Mod5 these are is the keyboard's affair.
    let named: [(KeyCombination.Modifiers, [UInt32])] = [
      (.alt, Keysym.alt), (.logo, Keysym.logo), (.hyper, Keysym.hyper), (.meta, Keysym.meta),
    ]
    for (modifier, keysyms) in named where modifiers.contains(modifier) {
      guard let bit = self.state(of: keysyms) else { return nil }
      state |= bit
    }
    return state
  }

  /// The state that keys with one of these keysyms make.
  private func state(of keysyms: [UInt32]) -> UInt16? {
    let index = modifierKeys.firstIndex { keys in
      keys.contains { code in
        rows.indices.contains(Int(code) - firstCode)
          && rows[Int(code) - firstCode].contains { keysyms.contains($0) }
      }
    }
    return index.map { 1 << UInt16($0) }
  }
}

/// Keysyms of modifiers (X11 protocol, appendix A).
private enum Keysym {
  static let numLock: [UInt32] = [0xff7f]
  static let meta: [UInt32] = [0xffe7, 0xffe8]
  static let alt: [UInt32] = [0xffe9, 0xffea]
  static let logo: [UInt32] = [0xffeb, 0xffec]
  static let hyper: [UInt32] = [0xffed, 0xffee]
}

/// Where a US keyboard has its letters and digits, by the key codes that every X server on Linux uses (evdev's plus 8).
private enum USKeyboard {
  private static let rows: [(first: xcb_keycode_t, letters: String)] = [
    (10, "1234567890"), (24, "qwertyuiop"), (38, "asdfghjkl"), (52, "zxcvbnm"),
  ]

  static func code(of keysym: UInt32) -> xcb_keycode_t? {
    for (first, letters) in rows {
      // Keysyms of ASCII are the characters' numbers.
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

/// A key and the modifiers that are held with it.
public struct KeyCombination: Equatable, Sendable {
  /// The keys that change what another one means.
  public struct Modifiers: OptionSet, Sendable {
    /// Each modifier is one bit.
    public let rawValue: UInt8

    /// Makes a set of the modifiers' bits.
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
    /// Meta, which few keyboards have beside Alt.
    public static let meta = Modifiers(rawValue: 1 << 5)
  }

  /// The key's keysym without modifiers (X11 protocol, appendix A), of a letter the small one.
  public let keysym: UInt32
  /// The modifiers held with the key.
  public let modifiers: Modifiers

  /// Makes a combination.
  public init(keysym: UInt32, modifiers: Modifiers) {
    self.keysym = keysym
    self.modifiers = modifiers
  }
}
