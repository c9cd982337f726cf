import GtkKit
import SerialQueue

/// The desktop's preferences for the appearance of programs.
struct Appearance: Equatable, Sendable {
  var isDark = false
  var hasHighContrast = false
  var reducesMotion = false
  /// The accent colour as `0xRRGGBB`; nil for the theme's own.
  var accent: Int?
}

extension Appearance {
  /// The settings portal's namespace for the appearance.
  static let namespace = "org.freedesktop.appearance"

  /// Reads the settings portal's values; values that are missing, out of range or of the wrong type count as unset.
  init(portal values: [String: Variant]) {
    isDark = values["color-scheme"]?.uint32 == 1
    hasHighContrast = values["contrast"]?.uint32 == 1
    reducesMotion = values["reduced-motion"]?.uint32 == 1
    let parts = values["accent-color"]?.children?.compactMap(\.double) ?? []
    if parts.count == 3, parts.allSatisfy({ (0...1).contains($0) }) {
      accent = parts.map { Int(($0 * 255).rounded()) }.reduce(0) { $0 << 8 | $1 }
    }
  }

  /// Reads the appearance that an earlier run stored; nil if it stored none.
  init?(keptIn file: KeyFile) {
    let values = file.integers(["dark", "contrast", "reduced-motion", "accent"])
    guard let dark = values["dark"] else { return nil }
    isDark = dark == 1
    hasHighContrast = values["contrast"] == 1
    reducesMotion = values["reduced-motion"] == 1
    if let kept = values["accent"], (0...0xff_ffff).contains(kept) { accent = kept }
  }

  func keep(in file: KeyFile) throws(GLibError) {
    try file.write([
      ("dark", isDark ? 1 : 0), ("contrast", hasHighContrast ? 1 : 0),
      ("reduced-motion", reducesMotion ? 1 : 0), ("accent", accent ?? -1),
    ])
  }
}

extension Appearance {
  /// Follows the appearance in the settings portal, or in GNOME's settings on a desktop without the portal.
  ///
  /// Does not wait for the portal, which may have to start first. Until it answers, the stored values apply.
  @MainActor
  final class Follower {
    private static let portal = RemoteObject(
      name: "org.freedesktop.portal.Desktop", path: "/org/freedesktop/portal/desktop",
      interface: "org.freedesktop.portal.Settings")
    /// GDBus's value for no timeout, because a portal that hangs may recover.
    private static let timeout = Duration.milliseconds(Int64(Int32.max))

    private(set) var appearance: Appearance {
      didSet { if appearance != oldValue { changed(appearance) } }
    }

    private let file: KeyFile
    private let changed: @MainActor (Appearance) -> Void
    private lazy var gnome = GnomeAppearance(changed: weakly(self) { $0.apply() })
    /// The portal's values by key; empty without a portal, or if it lacks appearance settings.
    private var values: [String: Variant] = [:]
    private var registrations: [Bus.Registration] = []

    /// - Parameters:
    ///   - file: Stores the last appearance for the next start.
    ///   - changed: Called with each new appearance.
    init(keptIn file: KeyFile, changed: @escaping @MainActor (Appearance) -> Void) {
      self.file = file
      self.changed = changed
      // Read GNOME's settings only if no earlier run stored a file, because reading them takes longer.
      appearance = Appearance(keptIn: file) ?? GnomeAppearance {}.appearance
    }

    /// Reads the portal's values, now and after each change; call this after the first frame.
    func follow(on bus: Bus) {
      registrations = [
        bus.subscribe(to: "SettingChanged", of: Self.portal) { [weak self] in
          if $0[0]?.string == Appearance.namespace { self?.read(on: bus) }
        },
        // Read again when the portal starts or restarts.
        bus.watchName(Self.portal.name, appeared: { [weak self] _ in self?.read(on: bus) }, vanished: {}),
      ]
      read(on: bus)
    }

    private func read(on bus: Bus) {
      Task.unpooled { [weak self] in
        do throws(BusError) {
          let answer = try await bus.call(
            Self.portal, "ReadAll", [.strings([Appearance.namespace])], timeout: Self.timeout)
          let ours = answer[0]?.children?.first { $0[0]?.string == Appearance.namespace }
          self?.values = ours?[1]?.dictionary ?? [:]
        } catch {
          self?.values = [:]
        }
        self?.apply()
      }
    }

    private func apply() {
      appearance = values.isEmpty ? gnome.appearance : Appearance(portal: values)
      guard Appearance(keptIn: file) != appearance else { return }
      // If the file cannot be written, the next start uses older values, or those in GNOME's settings, until the portal
      // answers.
      do throws(GLibError) { try appearance.keep(in: file) } catch {}
    }
  }
}

/// The appearance in GNOME's settings, which other desktops also use.
@MainActor
private struct GnomeAppearance {
  private let interface: Settings
  private let accessibility: Settings

  init(changed: @escaping @MainActor () -> Void) {
    interface = Settings(
      SettingsSchema("org.gnome.desktop.interface"), initially: ["color-scheme": .string("default")]
    ) { _ in changed() }
    accessibility = Settings(
      SettingsSchema("org.gnome.desktop.a11y.interface"),
      initially: ["high-contrast": .bool(false), "reduced-motion": .string("no-preference")]
    ) { _ in changed() }
  }

  var appearance: Appearance {
    Appearance(
      isDark: interface["color-scheme"] == .string("prefer-dark"),
      hasHighContrast: accessibility["high-contrast"] == .bool(true),
      reducesMotion: accessibility["reduced-motion"] == .string("reduce"))
  }
}

/// The style of all windows: the program's CSS, adapted to the desktop's appearance and the GTK theme.
@MainActor
final class ProgramStyle {
  /// A separator below each row, drawn as a background so that it takes no space.
  private static let separators = """
    .copypasta listview.history > row:not(:last-child) {
      background: image(alpha(currentColor, 0.1)) no-repeat center bottom / calc(100% - 24px) 1px;
    }
    """

  /// Flat windows with GTK's own theme; a theme that the user has chosen keeps its look, with separators between rows.
  private let look = StyleSheet("", level: -1)
  private let contrast = StyleSheet("", level: 1)
  private let own = StyleSheet(ProgramStyle.text(PackageResources.style_css))
  private let theme = Theme()
  private let shape = StyleSheet("", level: 1)
  private let accent = StyleSheet("", level: 1)
  private var appearance = Appearance()

  init() {
    Display.onCompositionChange(weakly(self) { $0.shapeWindows() })
    shapeWindows()
    theme.onChange(weakly(self) { $0.followTheme() })
    theme.onMotionChange(weakly(self) { $0.show($0.appearance) })
    followTheme()
  }

  private static func text(_ css: [UInt8]) -> String { String(decoding: css, as: UTF8.self) }

  private func followTheme() {
    look.css = theme.isDrawnByGTK ? Self.text(PackageResources.look_css) : Self.separators
    contrast.css =
      theme.isDrawnByGTK && theme.hasHighContrast ? Self.text(PackageResources.contrast_css) : ""
  }

  /// Applies the desktop's appearance, except where the user has chosen a theme.
  func show(_ appearance: Appearance) {
    self.appearance = appearance
    theme.prefer(
      isDark: appearance.isDark, hasHighContrast: appearance.hasHighContrast,
      reducesMotion: appearance.reducesMotion)
    accent.css = theme.isOfGTK ? appearance.accent.map(Self.rules(of:)) ?? "" : ""
  }

  /// The CSS for an accent colour: the colour names that the program's style uses, and rules for widgets whose colours
  /// GTK's theme fixes.
  private static func rules(of accent: Int) -> String {
    let (red, green, blue) = (accent >> 16, accent >> 8 & 0xff, accent & 0xff)
    // Compute the brightness with the weights of ITU-R BT.601, which are close enough to the luminance in the
    // guidelines (WCAG).
    let isBright = red * 299 + green * 587 + blue * 114 > 160 * 1000
    return """
      @define-color theme_selected_bg_color rgb(\(red),\(green),\(blue));
      @define-color theme_selected_fg_color \(isBright ? "black" : "white");
      switch:checked { background-color: @theme_selected_bg_color; color: @theme_selected_fg_color; }
      selection { background-color: @theme_selected_bg_color; color: @theme_selected_fg_color; }
      """
  }

  private func shapeWindows() {
    shape.css = Display.isComposited ? "" : Self.text(PackageResources.square_css)
  }
}
