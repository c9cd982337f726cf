import CGtk
import Foundation
import GtkKit
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp

/// The tray icon, with a scripted watcher.
@MainActor
@Suite(.serialized, .tags(.survivesOthers)) struct TrayIconTests {
  let tray: TrayScene

  init() async throws { tray = try await TrayScene.start() }

  @Test func `the tray icon is registered with each watcher that appears`() async throws {
    for _ in 1...3 {
      let watcher = try ScriptedWatcher(on: tray.scene.client)
      try await pump("the item") { watcher.items == [tray.name] }
      try await pump("shown") { tray.shown.last == true }
      // The watcher leaves the bus at the end of each iteration.
      withExtendedLifetime(watcher) {}
    }
    try await pump("the last watcher gone") { tray.shown == [true, false, true, false, true, false] }
  }

  @Test func `in a sandbox, the tray icon registers under the bus connection's unique name`() async throws {
    let tray = try await TrayScene.start(isSandboxed: true)
    let watcher = try ScriptedWatcher(on: tray.scene.client)
    try await pump("shown") { tray.shown == [true] }
    #expect(watcher.items == [tray.scene.service.uniqueName])
    #expect(try await tray.properties(of: tray.item)["Title"]?.string == "CopyPasta")
  }

  @Test func `the tray icon counts as shown only while a watcher and a host accept it`() async throws {
    do {
      let refusing = try ScriptedWatcher(on: tray.scene.client, refuses: true)
      try await pump("the item") { refusing.items == [tray.name] }
      try await tray.scene.settle()
      #expect(tray.shown == [])
      withExtendedLifetime(refusing) {}
    }
    let watcher = try ScriptedWatcher(on: tray.scene.client, hasHost: false)
    try await pump("the item") { watcher.items == [tray.name] }
    try await tray.scene.settle()
    #expect(tray.shown == [])
    watcher.hasHost = true
    try await pump("shown") { tray.shown == [true] }
    watcher.hasHost = false
    try await pump("hidden") { tray.shown == [true, false] }
  }

  @Test func `a tray icon that is released leaves the bus`() async throws {
    let watcher = try ScriptedWatcher(on: tray.scene.client)
    try await pump("shown") { tray.shown == [true] }
    tray.removeIcon()
    try await tray.scene.settle()
    #expect(try await !tray.hasItem())
    withExtendedLifetime(watcher) {}
  }

  // MARK: Requests

  @Test func `tray icon clicks toggle the window, and a call of ContextMenu shows the window`() async throws {
    for method in ["Activate", "SecondaryActivate", "ContextMenu"] {
      #expect(try await tray.scene.call(tray.item, method, [.int32(20), .int32(-5)]) == .tuple([]))
    }
    _ = try await tray.scene.call(tray.item, "Scroll", [.int32(1), .string("vertical")])
    #expect(tray.requests == [.toggle, .toggle, .show])
    // A token applies only to the next request.
    _ = try await tray.scene.call(tray.item, "ProvideXdgActivationToken", [.string("token")])
    for _ in 1...2 { _ = try await tray.scene.call(tray.item, "Activate", [.int32(0), .int32(0)]) }
    #expect(tray.activations == [.ambient, .ambient, .ambient, .token("token"), .ambient])
  }

  // MARK: Appearance

  @Test func `the tray icon's properties identify the program`() async throws {
    let properties = try await tray.properties(of: tray.item)
    #expect(properties.count == 10)
    #expect(properties["Category"]?.string == "ApplicationStatus")
    #expect(properties["Id"]?.string == "org.copypasta.CopyPasta")
    #expect(properties["Title"]?.string == "CopyPasta")
    #expect(properties["Status"]?.string == "Active")
    #expect(properties["ItemIsMenu"]?.bool == false)
    #expect(properties["Menu"]?.string == "/MenuBar")
    #expect(properties["ToolTip"]?[2]?.string == "CopyPasta")
  }

  @Test func `the tray icon is symbolic on KDE and coloured on sway`() {
    #expect(TrayIcon.iconName(on: ["KDE"]) == "org.copypasta.CopyPasta-symbolic")
    #expect(TrayIcon.iconName(on: ["sway"]) == "org.copypasta.CopyPasta")
  }

  @Test func `the tray icon is sent as pixels if no theme contains the icon`() async throws {
    let properties = try await tray.properties(of: tray.item)
    #expect(properties["IconName"]?.string == "")
    let pixmaps = try #require(properties["IconPixmap"]?.children)
    #expect(pixmaps.map { $0[0]?.int32 } == [16, 22, 24, 32, 48])
    for pixmap in pixmaps {
      let size = try #require(pixmap[0]?.int32)
      let bytes = try #require(pixmap[2]?.bytes)
      #expect(pixmap[1]?.int32 == size && bytes.count == Int(size * size) * 4)
      // The corner is transparent, and the middle is opaque.
      let middle = Int(size / 2 * size + size / 2) * 4
      #expect(bytes[0] == 0 && bytes[middle] == 255)
      // Check that `build tray-icon` was run after the last change of the icon. Versions of librsvg differ in a few
      // edges.
      guard let drawn = Self.drawn(size) else { continue }
      let difference = zip(bytes, drawn).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      #expect(bytes.count == drawn.count && difference < bytes.count, "\(size): \(difference)")
    }
  }

  /// The icon as gdk-pixbuf draws it now; nil if gdk-pixbuf cannot draw SVG files here.
  private static func drawn(_ size: Int32) -> [UInt8]? {
    let icon = #filePath.components(separatedBy: "/Tests/")[0] + "/data/icons/org.copypasta.CopyPasta.svg"
    guard let picture = gdk_pixbuf_new_from_file_at_scale(icon, size, size, 1, nil),
      let pixels = gdk_pixbuf_get_pixels(picture)
    else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(picture)) }
    let stride = Int(gdk_pixbuf_get_rowstride(picture))
    return (0..<Int(size)).flatMap { row in
      (0..<Int(size)).flatMap { column in
        let pixel = pixels + row * stride + column * 4
        return [pixel[3], pixel[0], pixel[1], pixel[2]]
      }
    }
  }
}
