import CGtk
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp
@testable import GtkKit

/// The desktop's preferences, as the portal and GTK report them.
@MainActor @Suite(.tags(.isAccessible)) struct AppearanceTests {
  private let settings: Object
  private var style: ProgramStyle { .ofTests }

  init() async throws {
    try await openDisplay()
    settings = Object(Owned(borrowing: gtk_settings_get_default()))
  }

  nonisolated private static var hasReducedMotion: Bool {
    gtk_get_major_version() > 4 || gtk_get_minor_version() >= 22
  }

  private var animates: Bool { settings[property: "gtk-enable-animations"] == .flag(true) }

  @Test func `the desktop's preference for reduced motion only disables animations`() {
    #expect(animates)
    for _ in 1...2 {
      style.show(Appearance(portal: ["reduced-motion": .uint32(1)]))
      #expect(!animates)
      style.show(Appearance(portal: ["reduced-motion": .uint32(0)]))
      #expect(animates)
    }
    // Animations that the user has disabled stay disabled.
    settings[property: "gtk-enable-animations"] = .flag(false)
    defer { settings[property: "gtk-enable-animations"] = .flag(true) }
    for value: UInt32 in [1, 0] {
      style.show(Appearance(portal: ["reduced-motion": .uint32(value)]))
      #expect(!animates)
    }
  }

  @Test(.enabled(if: hasReducedMotion, "GTK supports this from 4.22 on"))
  func `GTK's own preference for reduced motion is followed at once`() {
    for value in [1, 0] {
      settings[property: "gtk-interface-reduced-motion"] = .number(value)
      #expect(animates == (value == 0))
    }
  }

  @Test func `a portal's answer from before a change does not undo the change`() async throws {
    let scene = try await BusScene.start()
    let folder = try TemporaryFolder()
    let follower = Appearance.Follower(
      keptIn: KeyFile(path: folder.path + "/appearance.ini", group: "appearance")
    ) { _ in }
    follower.follow(on: scene.client)
    for _ in 1...3 { try await scene.settle() }
    // The follower asks the portal as soon as the portal appears on the bus.
    let portal = try Program(
      Fixture.python(
        "portal.py", ["--change-at-first-question", "contrast", "uint32 1", "color-scheme", "uint32 0"]),
      environment: ["PATH": "/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": scene.daemon.address])
    var said: [Substring] { String(decoding: portal.output, as: UTF8.self).split(separator: "\n") }
    try await pump("the request") { said.contains("asked") }
    // The main loop is not running here, so neither the answer nor the change has been handled yet.
    try await waitUntil("the change") { said.contains("told") }
    try await pump("the change applied") { follower.appearance.hasHighContrast }
    for _ in 1...3 { try await scene.settle() }
    try await pump("the contrast still applied") { follower.appearance.hasHighContrast }
    portal.signal(SIGTERM)
  }
}
