import CGtk
import GtkTestSupport
import Testing

@testable import GtkKit

@MainActor @Suite struct FontTests {
  /// Otherwise parts of letters stay where a text was.
  @Test func `text is not drawn in GTK's automatic mode`() async throws {
    try await TestDisplay.open()
    let mode = Object(Owned(borrowing: gtk_settings_get_default()))[property: "gtk-font-rendering"]
    #expect(mode == nil || mode == .number(1))
  }

  @Test func `the tests find only their own fonts, whatever the machine has`() async throws {
    try await TestDisplay.open()
    var families: UnsafeMutablePointer<UnsafeMutablePointer<PangoFontFamily>?>?
    var count: Int32 = 0
    pango_font_map_list_families(pango_cairo_font_map_get_default(), &families, &count)
    defer { g_free(families) }
    let names = (0..<Int(count)).compactMap { families?[$0] }
      .map { String(cString: pango_font_family_get_name($0)) }
    let fonts = Set(names).subtracting(["Sans", "Serif", "Monospace", "System-ui"])
    #expect(fonts.contains("DejaVu Sans"))
    #expect(fonts.isSubset(of: ["DejaVu Sans", "DejaVu Sans Mono", "Noto Color Emoji"]))
  }
}
