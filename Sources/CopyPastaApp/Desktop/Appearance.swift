import GtkKit
import SerialQueue

/// How the user wants programs to look, as the desktop knows it.
struct Appearance: Equatable, Sendable {
  /// Light texts on dark ground.
  var isDark = false
  /// Edges and texts that stand out more.
  var hasHighContrast = false
  /// The colour that marks things, as `0xRRGGBB`; nil for the theme's own.
  var accent: Int?
}

extension Appearance {
  /// The settings portal's namespace for the appearance.
  static let namespace = "org.freedesktop.appearance"

  /// Reads what the settings portal says; a value that is missing, of another type or out of range counts as unset.
  init(portal values: [String: Variant]) {
    isDark = values["color-scheme"]?.uint32 == 1
    hasHighContrast = values["contrast"]?.uint32 == 1
    let parts = values["accent-color"]?.children?.compactMap(\.double) ?? []
    if parts.count == 3, parts.allSatisfy({ (0...1).contains($0) }) {
      accent = parts.map { Int(($0 * 255).rounded()) }.reduce(0) { $0 << 8 | $1 }
    }
  }

  /// Reads what was kept in a file for the next start; nil if nothing was.
  init?(keptIn file: KeyFile) {
    let values = file.integers(["dark", "contrast", "accent"])
    guard let dark = values["dark"] else { return nil }
    isDark = dark == 1
    hasHighContrast = values["contrast"] == 1
    if let kept = values["accent"], (0...0xff_ffff).contains(kept) { accent = kept }
  }

  /// Keeps the appearance for the next start.
  func keep(in file: KeyFile) throws(GLibError) {
    try file.write([
      ("dark", isDark ? 1 : 0), ("contrast", hasHighContrast ? 1 : 0), ("accent", accent ?? -1),
    ])
  }
}

extension Appearance {
  /// Follows how the desktop wants programs to look, by its settings portal, or by GNOME's settings if there is none.
  ///
  /// The portal is another program, which may have to start first: nothing waits for it. Until it answers, its last
  /// answer holds.
  @MainActor
  final class Follower {
    private static let portal = RemoteObject(
      name: "org.freedesktop.portal.Desktop", path: "/org/freedesktop/portal/desktop",
      interface: "org.freedesktop.portal.Settings")
    /// No limit: a portal that hangs may recover at any time.
    private static let timeout = Duration.milliseconds(Int64(Int32.max))

    /// How programs are to look at present.
    private(set) var appearance: Appearance {
      didSet { if appearance != oldValue { changed(appearance) } }
    }

    private let file: KeyFile
    private let changed: @MainActor (Appearance) -> Void
    private lazy var gnome = GnomeAppearance(changed: weakly(self) { $0.apply() })
    /// The portal's values, by their keys; none if there is no portal, or it knows of none.
    private var values: [String: Variant] = [:]
    private var registrations: [Bus.Registration] = []
    private var reading: Task<Void, Never>?

    /// - Parameters:
    ///   - file: keeps the last answer for the next start.
    ///   - changed: called with each new appearance.
    init(keptIn file: KeyFile, changed: @escaping @MainActor (Appearance) -> Void) {
      self.file = file
      self.changed = changed
      // At the very first start GNOME's settings are better than nothing. To read them takes longer than the file.
      appearance = Appearance(keptIn: file) ?? GnomeAppearance {}.appearance
    }

    /// Begins to ask and to listen; nothing before the first frame needs it.
    func follow(on bus: Bus) {
      registrations = [
        bus.subscribe(to: "SettingChanged", of: Self.portal) { [weak self] in
          self?.portalChanged($0, on: bus)
        },
        // A portal that comes, or comes back, is asked anew.
        bus.watchName(Self.portal.name, appeared: { [weak self] _ in self?.read(on: bus) }, vanished: {}),
      ]
      read(on: bus)
    }

    private func read(on bus: Bus) {
      reading?.cancel()
      reading = Task.unpooled { [weak self] in
        do throws(BusError) {
          let answer = try await bus.call(
            Self.portal, "ReadAll", [.strings([Appearance.namespace])], timeout: Self.timeout)
          let ours = answer[0]?.children?.first { $0[0]?.string == Appearance.namespace }
          self?.values = ours?[1]?.dictionary ?? [:]
          self?.apply()
        } catch {
          switch error {
          case .refused, .noBus:
            self?.values = [:]
            self?.apply()
          // The portal may be slow; until it answers, the last answer holds.
          case .timedOut, .cancelled: break
          }
        }
        if !Task.isCancelled { self?.reading = nil }
      }
    }

    private func portalChanged(_ arguments: Variant, on bus: Bus) {
      guard arguments[0]?.string == Appearance.namespace, let key = arguments[1]?.string,
        let value = arguments[2]?.unboxed
      else { return }
      values[key] = value
      apply()
      // An answer that is on its way may be from before the change.
      if reading != nil { read(on: bus) }
    }

    private func apply() {
      appearance = values.isEmpty ? gnome.appearance : Appearance(portal: values)
      guard Appearance(keptIn: file) != appearance else { return }
      // If it cannot be kept, the next start asks GNOME's settings again, and the portal corrects what they say.
      do throws(GLibError) { try appearance.keep(in: file) } catch {}
    }
  }
}

/// How programs are to look by GNOME's own settings, which other desktops have, too.
@MainActor
private struct GnomeAppearance {
  private let interface: Settings
  private let accessibility: Settings

  init(changed: @escaping @MainActor () -> Void) {
    interface = Settings(
      SettingsSchema("org.gnome.desktop.interface"), initially: ["color-scheme": .string("default")]
    ) { _ in changed() }
    accessibility = Settings(
      SettingsSchema("org.gnome.desktop.a11y.interface"), initially: ["high-contrast": .bool(false)]
    ) { _ in changed() }
  }

  var appearance: Appearance {
    Appearance(
      isDark: interface["color-scheme"] == .string("prefer-dark"),
      hasHighContrast: accessibility["high-contrast"] == .bool(true))
  }
}

/// How all windows look: the program's own style, and what the desktop prefers.
@MainActor
final class ProgramStyle {
  /// For a display without a compositor, where what a window leaves transparent is black.
  ///
  /// Menus, tooltips and what is dragged are windows of their own, which otherwise have round corners and a shadow.
  private static let square = """
    popover > contents, tooltip, .drag-card {
      border-radius: 0;
      box-shadow: none;
      border-color: mix(@theme_bg_color, @theme_fg_color, 0.3);
      background-clip: border-box;
    }
    .drag-card, dropdown > popover { margin: 0; }
    """

  /// The look of GTK's theme that has more contrast: edges and full colours.
  private static let contrast = """
    button, switch, entry, spinbutton, popover > contents, tooltip, .preferences .boxed-list, .drag-card {
      border-color: currentColor;
    }
    button.flat, headerbar button, spinbutton > button { border-color: transparent; }
    .clip .details, .clip .digit, .preferences .explanation, .reading-indicator .dot, .reading-indicator.idle label {
      opacity: 1;
    }
    .clip.on-clipboard .details { color: @theme_text_color; font-weight: bold; }
    .copypasta listview.history > row { outline-color: @theme_text_color; }
    scrolledwindow > undershoot.top { box-shadow: inset 0 1px currentColor; }
    """ + separators("currentColor")

  /// A line below each row, as far as the texts go; it takes no room.
  private static func separators(_ colour: String) -> String {
    """
    .copypasta listview.history > row:not(:last-child) {
      background: image(\(colour)) no-repeat center bottom / calc(100% - 24px) 1px;
    }
    """
  }

  /// Flat windows in the place of GTK's theme; a theme that the user has chosen keeps its own look.
  private let look = StyleSheet("", level: -1)
  private let contrast = StyleSheet("", level: 1)
  private let own = StyleSheet(String(decoding: PackageResources.style_css, as: UTF8.self))
  private let theme = Theme()
  private let shape = StyleSheet("", level: 1)
  private let accent = StyleSheet("", level: 1)

  init() {
    Display.onCompositionChange(weakly(self) { $0.shapeWindows() })
    shapeWindows()
    theme.onChange(weakly(self) { $0.followTheme() })
    followTheme()
  }

  private func followTheme() {
    look.css =
      theme.isDrawnByGTK
      ? String(decoding: PackageResources.look_css, as: UTF8.self)
      : Self.separators("alpha(currentColor, 0.1)")
    contrast.css = theme.isDrawnByGTK && theme.hasHighContrast ? Self.contrast : ""
  }

  /// Looks as the desktop prefers it, as far as the user has not set a theme of their own.
  func show(_ appearance: Appearance) {
    theme.prefer(isDark: appearance.isDark, hasHighContrast: appearance.hasHighContrast)
    accent.css = theme.isOfGTK ? appearance.accent.map(Self.rules(of:)) ?? "" : ""
  }

  /// The name that the program's own style has for the accent, and what GTK's theme has fixed colours for.
  private static func rules(of accent: Int) -> String {
    let (red, green, blue) = (accent >> 16, accent >> 8 & 0xff, accent & 0xff)
    // The brightness to the eye, near enough without the exponent of the Web Content Accessibility Guidelines.
    let isBright = red * 299 + green * 587 + blue * 114 > 160 * 1000
    return """
      @define-color theme_selected_bg_color rgb(\(red),\(green),\(blue));
      @define-color theme_selected_fg_color \(isBright ? "black" : "white");
      switch:checked { background-color: @theme_selected_bg_color; color: @theme_selected_fg_color; }
      selection { background-color: @theme_selected_bg_color; color: @theme_selected_fg_color; }
      """
  }

  private func shapeWindows() { shape.css = Display.isComposited ? "" : Self.square }
}
