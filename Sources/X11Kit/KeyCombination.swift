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
