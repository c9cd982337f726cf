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

  /// Whether GTK draws its own theme, and not one that the user has chosen.
  public var isOfGTK: Bool {
    guard g_getenv("GTK_THEME") == nil, case .text(let name)? = original("gtk-theme-name") else {
      return false
    }
    return ["", "Default", "Adwaita", "Adwaita-dark", "HighContrast", "HighContrastInverse"].contains(name)
  }

  /// Whether there is a dark variant of the theme; without one GTK draws its own dark theme in the place of the user's.
  private var canBeDark: Bool {
    guard !isOfGTK, case .text(let name)? = original("gtk-theme-name") else { return true }
    let folders =
      [Desktop.Folders.data + "/themes", Desktop.Folders.home + "/.themes"]
      + Desktop.Folders.systemData.map { $0 + "/themes" }
    func isThere(_ file: String) -> Bool {
      folders.contains { access("\($0)/\(name)/gtk-4.0/\(file)", F_OK) == 0 }
    }
    // A theme that is not installed for GTK 4 is GTK's own.
    return isThere("gtk-dark.css") || !isThere("gtk.css")
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
