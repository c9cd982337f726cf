import CGtk
import GtkTestSupport
import Testing

@testable import CopyPastaApp
@testable import GtkKit

@MainActor @Suite struct ReducedMotionTests {
  private let settings: Object
  private let style: ProgramStyle

  init() async throws {
    try await TestDisplay.open()
    settings = Object(Owned(borrowing: gtk_settings_get_default()))
    style = ProgramStyle()
  }

  private var animates: Bool { settings[property: "gtk-enable-animations"] == .flag(true) }

  @Test func `the desktop's preference for reduced motion disables animations while it is set`() {
    #expect(animates)
    for _ in 1...2 {
      style.show(Appearance(portal: ["reduced-motion": .uint32(1)]))
      #expect(!animates)
      style.show(Appearance(portal: ["reduced-motion": .uint32(0)]))
      #expect(animates)
    }
  }

  @Test func `animations that the user has disabled stay disabled`() {
    settings[property: "gtk-enable-animations"] = .flag(false)
    defer { settings[property: "gtk-enable-animations"] = .flag(true) }
    for value: UInt32 in [1, 0] {
      style.show(Appearance(portal: ["reduced-motion": .uint32(value)]))
      #expect(!animates)
    }
  }

  /// GTK 4.22 and newer.
  @Test func `GTK's own preference for reduced motion is followed at once`() {
    guard settings[property: "gtk-interface-reduced-motion"] != nil else { return }
    for value in [1, 0] {
      settings[property: "gtk-interface-reduced-motion"] = .number(value)
      #expect(animates == (value == 0))
    }
  }
}
