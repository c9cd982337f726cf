import CGtk

/// A key and the modifiers that are held with it, as GTK writes them: `<Control><Super>v`.
///
/// ```swift
/// let accelerator = Accelerator("<Control><Super>v")
/// accelerator?.label   // "Ctrl+Super+V"
/// ```
public struct Accelerator: Equatable, Sendable {
  /// The keys that change what another one means.
  public struct Modifiers: OptionSet, Sendable {
    /// GDK's bits.
    public let rawValue: UInt32

    /// Makes a set of GDK's bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Shift.
    public static let shift = Modifiers(rawValue: copypasta_GDK_SHIFT_MASK.rawValue)
    /// Control.
    public static let control = Modifiers(rawValue: copypasta_GDK_CONTROL_MASK.rawValue)
    /// Alt.
    public static let alt = Modifiers(rawValue: copypasta_GDK_ALT_MASK.rawValue)
    /// Super, the key with the logo.
    public static let logo = Modifiers(rawValue: copypasta_GDK_SUPER_MASK.rawValue)
    /// Hyper, which few keyboards have.
    public static let hyper = Modifiers(rawValue: copypasta_GDK_HYPER_MASK.rawValue)
    /// Meta, which few keyboards have beside Alt.
    public static let meta = Modifiers(rawValue: copypasta_GDK_META_MASK.rawValue)

    /// The modifiers above, without the locks and the pointer's buttons.
    static let all: Modifiers = [.shift, .control, .alt, .logo, .hyper, .meta]
  }

  /// GDK's number of the key, which is X11's keysym; of a letter the small one.
  public let key: UInt32
  /// The modifiers held with the key.
  public let modifiers: Modifiers

  /// Reads what GTK writes; nil if that names no key.
  public init?(_ name: String) {
    var key: guint = 0
    var modifiers = GdkModifierType(rawValue: 0)
    guard gtk_accelerator_parse(name, &key, &modifiers) != 0, key != 0 else { return nil }
    self.init(key: key, modifiers: Modifiers(rawValue: modifiers.rawValue))
  }

  /// Makes an accelerator of a key's number and the modifiers that an event has with it.
  init(key: UInt32, modifiers: Modifiers) {
    self.key = gdk_keyval_to_lower(key)
    self.modifiers = modifiers.intersection(.all)
  }

  /// The form that GTK reads.
  public var name: String { String(taking: gtk_accelerator_name(key, gdkModifiers)) }

  /// The form that the user reads, in their language: “Ctrl+Super+V”.
  public var label: String { String(taking: gtk_accelerator_get_label(key, gdkModifiers)) }

  /// The key alone by its name in GDK and in X11, such as `v` or `F12`; empty if it has none.
  public var keyName: String { gdk_keyval_name(key).map { String(cString: $0) } ?? "" }

  /// Whether the key is one that is held with others, such as Control.
  public var isModifierAlone: Bool {
    // The keysyms of X11's modifiers and locks, and of ISO 9995's.
    (0xffe1...0xffee).contains(key) || (0xfe01...0xfe13).contains(key) || [0xff7e, 0xff7f].contains(key)
  }

  private var gdkModifiers: GdkModifierType { GdkModifierType(rawValue: modifiers.rawValue) }
}
