import CGtk
import Glibc

/// How GTK draws: light or dark, and with how much contrast.
///
/// From 4.20 on GTK follows the desktop by itself, if the display tells what it prefers. Otherwise it knows only the
/// name of a theme, and whether to take the theme's dark variant. The user's own settings for GTK count more than
/// a wish here.
@MainActor
public final class Theme {
  private let settings: Object
  /// The former values of the properties that are set here.
  private var before: [String: Object.Property] = [:]

  /// The theme of the default display, which has to be open.
  public init() {
    settings = Object(Owned(borrowing: gtk_settings_get_default()))
  }

  /// Whether the desktop's icon theme has an icon of this name.
  public static func hasIcon(_ name: String) -> Bool {
    guard let display = gdk_display_get_default() else { return false }
    return gtk_icon_theme_has_icon(gtk_icon_theme_get_for_display(display), name) != 0
  }

  /// Asks for what the desktop prefers, in the place of what was asked for before.
  public func prefer(isDark: Bool, hasHighContrast: Bool) {
    // The name stood for the dark variant of the theme without "Inverse"; GTK 4 does not know it any more.
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
      // 0: the display does not tell. 2: dark, or more.
      override(name, with: isWanted && (isInverse || original(name) == .number(0)) ? .number(2) : nil)
    }
  }

  /// Whether the user has chosen a theme of GTK's own, or none, by GTK's settings.
  public var isOfGTK: Bool { forced == nil && chosen.map(Self.names.contains) == true }

  /// Whether GTK draws its own theme, whatever chose it; also in the place of one that is not there for GTK 4.
  public var isDrawnByGTK: Bool {
    guard let name = forced ?? chosen else { return true }
    return Self.names.contains(name) || !isInstalled(name, "gtk.css")
  }

  /// Whether GTK draws the variant of its own theme that has more contrast.
  public var hasHighContrast: Bool {
    if let forced { return forced.hasPrefix("HighContrast") || forced.hasPrefix("Default-hc") }
    if case .text(let name)? = settings[property: "gtk-theme-name"], name.hasPrefix("HighContrast") {
      return true
    }
    return settings[property: "gtk-interface-contrast"] == .number(2)
  }

  /// Calls `body` when another theme, or another variant of it, is drawn.
  public func onChange(_ body: @escaping @MainActor () -> Void) {
    settings.connect("notify::gtk-theme-name", body)
    if settings[property: "gtk-interface-contrast"] != nil {
      settings.connect("notify::gtk-interface-contrast", body)
    }
  }

  private static let names: Set<String> = [
    "", "Default", "Default-dark", "Default-hc", "Default-hc-dark", "Adwaita", "Adwaita-dark", "HighContrast",
    "HighContrastInverse",
  ]

  /// The theme that the environment sets, without its variant but for `hc`; it counts more than the settings.
  private var forced: String? {
    guard let value = g_getenv("GTK_THEME") else { return nil }
    let parts = String(cString: value).split(separator: ":")
    guard let name = parts.first else { return "" }
    return name == "Default" && parts.last?.hasPrefix("hc") == true ? "Default-hc" : String(name)
  }

  /// The theme that the user has chosen.
  private var chosen: String? {
    guard case .text(let name)? = original("gtk-theme-name") else { return nil }
    return name
  }

  /// Whether a theme has a file for GTK 4.
  private func isInstalled(_ name: String, _ file: String) -> Bool {
    let folders =
      [Desktop.Folders.data + "/themes", Desktop.Folders.home + "/.themes"]
      + Desktop.Folders.systemData.map { $0 + "/themes" }
    return folders.contains { access("\($0)/\(name)/gtk-4.0/\(file)", F_OK) == 0 }
  }

  /// Whether there is a dark variant of the theme; without one GTK draws its own dark theme in the place of the user's.
  private var canBeDark: Bool {
    guard !isOfGTK, let chosen else { return true }
    // A theme that is not installed for GTK 4 is GTK's own.
    return isInstalled(chosen, "gtk-dark.css") || !isInstalled(chosen, "gtk.css")
  }

  private func original(_ name: String) -> Object.Property? { before[name] ?? settings[property: name] }

  /// Sets a property, or gives it back what it was.
  private func override(_ name: String, with new: Object.Property?) {
    if let new {
      if before[name] == nil { before[name] = settings[property: name] }
      settings[property: name] = new
    } else if let old = before.removeValue(forKey: name) {
      gtk_settings_reset_property(settings.opaque, name)
      // Resetting forgets what the user's own file says.
      if settings[property: name] != old { settings[property: name] = old }
    }
  }
}
