import Glibc
import GtkKit
import GtkTestSupport
import Testing

@testable import CopyPastaApp

/// The tray icon on a private bus, and the requests that it has passed on.
@MainActor
final class TrayScene {
  // Declare the icon first, so that it is released before the bus.
  private var icon: TrayIcon?
  let scene: BusScene
  let pause = ReadingPause()
  private(set) var requests: [TrayIcon.Request] = []
  private(set) var activations: [Activation] = []
  private(set) var shown: [Bool] = []

  /// The icon's name on the bus, and its two objects.
  let name: String
  var item: RemoteObject {
    RemoteObject(name: name, path: "/StatusNotifierItem", interface: "org.kde.StatusNotifierItem")
  }
  var menu: RemoteObject { RemoteObject(name: name, path: "/MenuBar", interface: "com.canonical.dbusmenu") }

  private init(_ scene: BusScene, isSandboxed: Bool) throws(BusError) {
    self.scene = scene
    name = isSandboxed ? scene.service.uniqueName : "org.kde.StatusNotifierItem-\(getpid())-1"
    icon = try TrayIcon(
      on: scene.service, pause: pause, isSandboxed: isSandboxed
    ) { [weak self] request, activation in
      self?.requests.append(request)
      self?.activations.append(activation)
    } shownChanged: { [weak self] isShown in
      if let self, shown.last ?? false != isShown { shown.append(isShown) }
    }
  }

  func removeIcon() { icon = nil }

  static func start(isSandboxed: Bool = false) async throws -> TrayScene {
    let tray = try TrayScene(try await BusScene.start(), isSandboxed: isSandboxed)
    while try await !tray.hasItem() {}
    return tray
  }

  /// Whether the icon's name has an owner on the bus.
  func hasItem() async throws -> Bool {
    try await scene.call(.bus, "NameHasOwner", [.string(name)])[0]?.bool == true
  }

  /// All properties of one of the icon's objects.
  func properties(of object: RemoteObject) async throws -> [String: Variant] {
    let answer = try await scene.call(
      RemoteObject(name: object.name, path: object.path, interface: "org.freedesktop.DBus.Properties"),
      "GetAll",
      [.string(object.interface)])
    return try #require(answer[0]?.dictionary)
  }
}

/// A watcher that the test controls.
@MainActor
final class ScriptedWatcher {
  private static let introspection = """
    <node>
      <interface name="org.kde.StatusNotifierWatcher">
        <method name="RegisterStatusNotifierItem"><arg type="s" direction="in"/></method>
        <property name="IsStatusNotifierHostRegistered" type="b" access="read"/>
        <signal name="StatusNotifierHostRegistered"/>
      </interface>
    </node>
    """
  private static let name = "org.kde.StatusNotifierWatcher"
  private static let path = "/StatusNotifierWatcher"

  private let bus: Bus
  private(set) var items: [String] = []
  private var registrations: [Bus.Registration] = []
  var hasHost: Bool { didSet { bus.emit("StatusNotifierHostRegistered", of: Self.name, at: Self.path) } }

  /// - Parameter refuses: whether to answer registrations with an error.
  init(on bus: Bus, hasHost: Bool = true, refuses: Bool = false) throws {
    self.bus = bus
    self.hasHost = hasHost
    let register: Bus.Method = { [weak self] arguments throws(BusError) in
      self?.items.append(arguments[0]?.string ?? "")
      if refuses { throw .invalidArguments("full") }
      return []
    }
    registrations = [
      try bus.export(
        Self.introspection, at: Self.path, methods: ["RegisterStatusNotifierItem": register],
        properties: ["IsStatusNotifierHostRegistered": { [weak self] in .bool(self?.hasHost ?? false) }]),
      bus.ownName(Self.name),
    ]
  }
}
