import Foundation
import GtkKit
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct AppearanceFollowerTests {
  init() { keepSettingsInMemory() }

  @Test func `a portal answer that was sent before an appearance change does not undo the change`()
    async throws
  {
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
