import CGtk
import Glibc

/// How GTK draws: light or dark, and with how much contrast.
///
/// From 4.20 on GTK follows the desktop by itself, if the display tells what it prefers. Otherwise it knows only the
/// name of a theme, and whether to take the theme's dark variant. What the user has set for GTK counts more than what
/// is asked for here.
@MainActor
public final class Theme {
  private enum Value: Equatable {
    case flag(Bool), text(String), number(Int)
  }

  private let settings: Object
  /// The former values of the properties that are set here.
  private var before: [String: Value] = [:]

  /// The theme of the default display, which has to be open.
  public init() {
    settings = Object(
      Owned(borrowing: gtk_settings_get_default()))
  }

  /// Whether the desktop's icon theme has an icon of this name.
  public static func hasIcon(_ name: String) -> Bool {
    guard let display = gdk_display_get_default() else { return false }
    return gtk_icon_theme_has_icon(gtk_icon_theme_get_for_display(display), name) != 0
  }

  /// Asks for what the desktop prefers, in the place of what was asked for before.
  public func prefer(isDark: Bool, hasHighContrast: Bool) {
    // GTK 4 knows this name no more: what it stood for is the dark variant of the theme without "Inverse".
    let isInverse = isOfGTK && original("gtk-theme-name") == .text("HighContrastInverse")
    let (isDark, hasHighContrast) = (isDark || isInverse, hasHighContrast || isInverse)
    guard settings.hasProperty("gtk-interface-color-scheme") else {
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

  private func original(_ name: String) -> Value? { before[name] ?? value(of: name) }

  /// Sets a property, or gives it back what it was.
  private func override(_ name: String, with new: Value?) {
    if let new {
      if before[name] == nil { before[name] = value(of: name) }
      set(name, to: new)
    } else if let old = before.removeValue(forKey: name) {
      gtk_settings_reset_property(settings.opaque, name)
      // Resetting forgets what the user's own file says.
      if value(of: name) != old { set(name, to: old) }
    }
  }

  private func value(of name: String) -> Value? {
    switch name {
    case "gtk-theme-name": .text(settings.textProperty(name) ?? "")
    case "gtk-application-prefer-dark-theme": settings.flagProperty(name).map(Value.flag)
    default: settings.enumProperty(name).map(Value.number)
    }
  }

  private func set(_ name: String, to value: Value) {
    switch value {
    case .flag(let flag): settings.setProperty(name, to: flag)
    case .text(let text): settings.setProperty(name, to: text)
    case .number(let number): settings.setProperty(name, toCase: number)
    }
  }
}
