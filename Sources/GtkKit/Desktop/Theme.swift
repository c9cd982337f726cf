import CGtk
import Glibc

/// The appearance of GTK's widgets: light or dark, and their contrast.
///
/// Since 4.20 GTK follows the desktop automatically, if the display provides the desktop's preference. Older versions
/// have settings only for the theme's name and for its dark variant. The user's own GTK settings take precedence.
@MainActor
public final class Theme {
  private let settings: Object
  /// The original values of the properties that were changed, which all instances share, as they share the settings.
  private static var before: [String: Object.Property] = [:]

  /// Accesses the theme of the default display, which must be open.
  public init() {
    settings = Object(Owned(borrowing: gtk_settings_get_default()))
  }

  /// Whether the desktop's icon theme has an icon of this name.
  public static func hasIcon(_ name: String) -> Bool {
    guard let display = gdk_display_get_default() else { return false }
    return gtk_icon_theme_has_icon(gtk_icon_theme_get_for_display(display), name) != 0
  }

  /// Applies the desktop's preference, in place of an earlier one.
  ///
  /// Reduced motion disables GTK's animations, so that changes appear immediately. No version of GTK does this itself.
  public func prefer(isDark: Bool, hasHighContrast: Bool, reducesMotion: Bool) {
    let isReduced = reducesMotion || settings[property: Self.reducedMotionProperty] == .number(1)
    override("gtk-enable-animations", with: isReduced ? .flag(false) : nil)
    // HighContrastInverse was the dark variant of HighContrast; GTK 4 no longer supports it.
    let isInverse = isOfGTK && original("gtk-theme-name") == .text("HighContrastInverse")
    let (isDark, hasHighContrast) = (isDark || isInverse, hasHighContrast || isInverse)
    guard settings[property: "gtk-interface-color-scheme"] != nil else {
      override("gtk-application-prefer-dark-theme", with: isDark && canBeDark ? .flag(true) : nil)
      override("gtk-theme-name", with: hasHighContrast && isOfGTK ? .text("HighContrast") : nil)
      return
    }
    for (name, isWanted) in [
      ("gtk-interface-color-scheme", isDark), ("gtk-interface-contrast", hasHighContrast),
    ] {
      // Value 0: the display provides no preference. Value 2: dark, or high contrast.
      override(name, with: isWanted && (isInverse || original(name) == .number(0)) ? .number(2) : nil)
    }
  }

  /// Whether `GTK_THEME` is unset, and the theme name in GTK's settings is empty or one of GTK's own themes.
  public var isOfGTK: Bool { forced == nil && chosen.map(Self.names.contains) == true }

  /// Whether GTK draws its own theme, which it also does if the chosen theme does not support GTK 4.
  public var isDrawnByGTK: Bool {
    guard let name = forced ?? chosen else { return true }
    return Self.names.contains(name) || !isInstalled(name, "gtk.css")
  }

  /// Whether GTK draws the high-contrast variant of its own theme.
  public var hasHighContrast: Bool {
    if let forced { return forced.hasPrefix("HighContrast") || forced.hasPrefix("Default-hc") }
    if case .text(let name)? = settings[property: "gtk-theme-name"], name.hasPrefix("HighContrast") {
      return true
    }
    return settings[property: "gtk-interface-contrast"] == .number(2)
  }

  /// Calls `body` when the theme's name or contrast changes.
  public func onChange(_ body: @escaping @MainActor () -> Void) {
    settings.connect("notify::gtk-theme-name", body)
    if settings[property: "gtk-interface-contrast"] != nil {
      settings.connect("notify::gtk-interface-contrast", body)
    }
  }

  /// Calls `body` when GTK's own preference for reduced motion changes (GTK 4.22 and newer); `prefer` applies it.
  public func onMotionChange(_ body: @escaping @MainActor () -> Void) {
    if settings[property: Self.reducedMotionProperty] != nil {
      settings.connect("notify::" + Self.reducedMotionProperty, body)
    }
  }

  private static let reducedMotionProperty = "gtk-interface-reduced-motion"

  private static let names: Set<String> = [
    "", "Default", "Default-dark", "Default-hc", "Default-hc-dark", "Adwaita", "Adwaita-dark", "HighContrast",
    "HighContrastInverse",
  ]

  /// The theme's name from `GTK_THEME`, which overrides the settings; without the variant, except for `Default-hc`.
  private var forced: String? {
    guard let value = g_getenv("GTK_THEME") else { return nil }
    let parts = String(cString: value).split(separator: ":")
    guard let name = parts.first else { return "" }
    return name == "Default" && parts.last?.hasPrefix("hc") == true ? "Default-hc" : String(name)
  }

  private var chosen: String? {
    guard case .text(let name)? = original("gtk-theme-name") else { return nil }
    return name
  }

  private func isInstalled(_ name: String, _ file: String) -> Bool {
    let folders =
      [Desktop.Folders.data + "/themes", Desktop.Folders.home + "/.themes"]
      + Desktop.Folders.systemData.map { $0 + "/themes" }
    return folders.contains { access("\($0)/\(name)/gtk-4.0/\(file)", F_OK) == 0 }
  }

  /// Whether the theme has a dark variant; without one, GTK would replace the user's theme with its own dark theme.
  private var canBeDark: Bool {
    guard !isOfGTK, let chosen else { return true }
    // GTK draws its own theme in place of one that does not support GTK 4.
    return isInstalled(chosen, "gtk-dark.css") || !isInstalled(chosen, "gtk.css")
  }

  private func original(_ name: String) -> Object.Property? { Self.before[name] ?? settings[property: name] }

  /// Sets a property; nil restores its original value.
  private func override(_ name: String, with new: Object.Property?) {
    if let new {
      if Self.before[name] == nil { Self.before[name] = settings[property: name] }
      settings[property: name] = new
    } else if let old = Self.before.removeValue(forKey: name) {
      gtk_settings_reset_property(settings.opaque, name)
      // Resetting discards the value in the user's settings file, so set it again.
      if settings[property: name] != old { settings[property: name] = old }
    }
  }
}
