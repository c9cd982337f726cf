import GtkKit

/// How the user wants programs to look, as the desktop knows it.
struct Appearance: Equatable, Sendable {
  /// Light texts on dark ground.
  var isDark = false
  /// Edges and texts that stand out more.
  var hasHighContrast = false
  /// The colour that marks things; nil for the theme's own.
  var accent: Colour?

  /// A colour, in the parts that a screen has of it, each from 0 to 255.
  struct Colour: Equatable, Sendable {
    var red: Int
    var green: Int
    var blue: Int

    /// As style sheets have it.
    var css: String { "rgb(\(red),\(green),\(blue))" }

    /// How bright it is to the eye, from 0 to 1, by the Web Content Accessibility Guidelines.
    ///
    /// Near enough without the exponent of the standard, for a choice between black and white.
    var isBright: Bool { red * 299 + green * 587 + blue * 114 > 160 * 1000 }
  }
}

extension Appearance {
  /// The settings portal's namespace for it.
  static let namespace = "org.freedesktop.appearance"

  /// Reads what the settings portal says; a value that is missing, of another type or out of range counts as unset.
  init(portal values: [String: Variant]) {
    isDark = values["color-scheme"]?.uint32 == 1
    hasHighContrast = values["contrast"]?.uint32 == 1
    let parts = values["accent-color"]?.children?.compactMap(\.double) ?? []
    if parts.count == 3, parts.allSatisfy({ (0...1).contains($0) }) {
      let bytes = parts.map { Int(($0 * 255).rounded()) }
      accent = Colour(red: bytes[0], green: bytes[1], blue: bytes[2])
    }
  }
}

extension Appearance {
  /// Reads what was kept in a file for the next start; nil if nothing was.
  init?(keptIn file: KeyFile) {
    let values = file.integers(["dark", "contrast", "accent"])
    guard let dark = values["dark"] else { return nil }
    isDark = dark == 1
    hasHighContrast = values["contrast"] == 1
    if let number = values["accent"], (0...0xff_ffff).contains(number) {
      accent = Colour(red: number >> 16, green: number >> 8 & 0xff, blue: number & 0xff)
    }
  }

  /// Keeps it for the next start.
  func keep(in file: KeyFile) throws(GLibError) {
    let number = accent.map { $0.red << 16 | $0.green << 8 | $0.blue }
    try file.write([
      ("dark", isDark ? 1 : 0), ("contrast", hasHighContrast ? 1 : 0), ("accent", number ?? -1),
    ])
  }
}
