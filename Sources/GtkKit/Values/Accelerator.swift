import CGtk

/// A key with modifiers, in GTK's notation: `<Control><Super>v`.
///
/// ```swift
/// let accelerator = Accelerator("<Control><Super>v")
/// accelerator?.label   // "Ctrl+Super+V"
/// ```
public struct Accelerator: Equatable, Sendable {
  public struct Modifiers: OptionSet, Sendable {
    /// The bits of GdkModifierType.
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let shift = Modifiers(rawValue: copypasta_GDK_SHIFT_MASK.rawValue)
    public static let control = Modifiers(rawValue: copypasta_GDK_CONTROL_MASK.rawValue)
    public static let alt = Modifiers(rawValue: copypasta_GDK_ALT_MASK.rawValue)
    /// Super, the key with the logo.
    public static let logo = Modifiers(rawValue: copypasta_GDK_SUPER_MASK.rawValue)
    public static let hyper = Modifiers(rawValue: copypasta_GDK_HYPER_MASK.rawValue)
    public static let meta = Modifiers(rawValue: copypasta_GDK_META_MASK.rawValue)

    /// The modifiers above, without locks and pointer buttons.
    static let all: Modifiers = [.shift, .control, .alt, .logo, .hyper, .meta]
  }

  /// GDK's keyval, which is the X11 keysym; lower case for letters.
  public let key: UInt32
  public let modifiers: Modifiers

  /// Parses GTK's notation; nil if it contains no key.
  public init?(_ name: String) {
    var key: guint = 0
    var modifiers = GdkModifierType(rawValue: 0)
    guard gtk_accelerator_parse(name, &key, &modifiers) != 0, key != 0 else { return nil }
    self.init(key: key, modifiers: Modifiers(rawValue: modifiers.rawValue))
  }

  init(key: UInt32, modifiers: Modifiers) {
    self.key = gdk_keyval_to_lower(key)
    self.modifiers = modifiers.intersection(.all)
  }

  /// GTK's notation.
  public var name: String { String(taking: gtk_accelerator_name(key, gdkModifiers)) }

  /// The label for users, in their language: “Ctrl+Super+V”.
  public var label: String {
    let label = String(taking: gtk_accelerator_get_label(key, gdkModifiers))
    // GTK calls this key “Return” in English, unlike today's keyboards.
    if label.hasSuffix("Return") { return label.dropLast(6) + "Enter" }
    // GTK writes “Page Up” for the key Page_Up, but its Japanese translation keeps the underscore.
    return keyName.contains("_") ? String(label.map { $0 == "_" ? " " : $0 }) : label
  }

  /// The key's name in GDK and X11, without modifiers, such as `v` or `F12`; empty if the key has no name.
  public var keyName: String { gdk_keyval_name(key).map { String(cString: $0) } ?? "" }

  /// Whether the key is a modifier, such as Control.
  public var isModifierAlone: Bool {
    // The keysyms of modifiers and locks in X11 and ISO 9995.
    (0xffe1...0xffee).contains(key) || (0xfe01...0xfe13).contains(key) || [0xff7e, 0xff7f].contains(key)
  }

  private var gdkModifiers: GdkModifierType { GdkModifierType(rawValue: modifiers.rawValue) }
}
