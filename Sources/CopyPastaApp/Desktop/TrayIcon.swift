import Glibc
import GtkKit
import SerialQueue

/// The icon in the desktop's tray: there while the user wants one, and back after a tray host has restarted.
///
/// A StatusNotifierItem, registered with each watcher that appears on the bus, see
/// https://www.freedesktop.org/wiki/Specifications/StatusNotifierItem/. A watcher keeps the list of items; hosts, such
/// as a panel, show what is on the list. Most hosts are a watcher as well. If there is no tray, or no session bus,
/// there is no icon and no message: nothing depends on the icon.
@MainActor
final class TrayIcon {
  /// A request of the user, made with the icon or its menu.
  enum Request: Equatable {
    case toggle, show, pause, preferences, quit
  }

  private static let watcher = RemoteObject(
    name: "org.kde.StatusNotifierWatcher", path: "/StatusNotifierWatcher",
    interface: "org.kde.StatusNotifierWatcher")

  private let preferences: Preferences
  private let pause: ReadingPause
  private let isSandboxed: Bool
  private let connect: @MainActor () async throws(BusError) -> Bus
  private let requested: @MainActor (Request, Activation) -> Void
  private let shownChanged: @MainActor (Bool) -> Void
  /// Whether a tray host shows the icon.
  private var isShown = false {
    didSet { if isShown != oldValue { shownChanged(isShown) } }
  }
  /// The activation token that the host sent for its next call.
  private var token: String?
  private var watcherOwner: String?
  private var observation: ListenerToken?
  /// Hold while the icon is on the bus.
  private var registrations: [Bus.Registration] = []
  private var pauseObservation: ListenerToken?

  /// - Parameters:
  ///   - isSandboxed: whether the program may have no name of its own for the icon.
  ///   - connect: the bus that the tray is on.
  ///   - requested: called for each request of the user, with the proof that the user made it.
  ///   - shownChanged: called when a tray host begins or ceases to show the icon.
  init(
    preferences: Preferences, pause: ReadingPause, isSandboxed: Bool = Desktop.isFlatpak,
    connect: @escaping @MainActor () async throws(BusError) -> Bus = Bus.session,
    requested: @escaping @MainActor (Request, Activation) -> Void,
    shownChanged: @escaping @MainActor (Bool) -> Void
  ) {
    self.preferences = preferences
    self.pause = pause
    self.isSandboxed = isSandboxed
    self.connect = connect
    self.requested = requested
    self.shownChanged = shownChanged
    observation = preferences.observe(.showsTrayIcon, weakly(self) { $0.update() })
    update()
  }

  /// Puts the icon there or takes it away, by the preference.
  private func update() {
    guard preferences[flag: .showsTrayIcon] else {
      registrations = []
      pauseObservation = nil
      watcherOwner = nil
      isShown = false
      return
    }
    Task.unpooled { [weak self, connect] in
      do throws(BusError) {
        try self?.appear(on: try await connect())
      } catch {
        // Without a bus there is no tray; the program's start says so.
      }
    }
  }

  private func appear(on bus: Bus) throws(BusError) {
    // The preference may have changed again while the bus was waited for.
    guard preferences[flag: .showsTrayIcon], registrations.isEmpty else { return }
    // In a sandbox the name is the connection's own: no sandbox allows the name that the specification wants, which has
    // the process's number, and that is the same in every sandbox.
    let name = isSandboxed ? bus.uniqueName : "org.kde.StatusNotifierItem-\(getpid())-1"
    let menu = TrayMenu(pause, chosen: weakly(self) { $0.request($1, at: $2) })
    registrations = [
      try bus.export(
        Self.introspection, at: "/StatusNotifierItem", methods: methods, properties: Self.properties),
      try menu.export(on: bus),
    ]
    pauseObservation = pause.changes.add { menu.signalPauseChange(on: bus) }
    if !isSandboxed { registrations.append(bus.ownName(name)) }
    registrations += ["StatusNotifierHostRegistered", "StatusNotifierHostUnregistered"].map { signal in
      bus.subscribe(to: signal, of: Self.watcher) { [weak self] _ in self?.askForHost(on: bus) }
    }
    registrations.append(
      bus.watchName(Self.watcher.name) { [weak self] in
        self?.watcherOwner = $0
        self?.register(name, on: bus)
      } vanished: { [weak self] in
        self?.watcherOwner = nil
        self?.isShown = false
      })
  }

  // MARK: The watcher

  private func register(_ name: String, on bus: Bus) {
    // The icon is held weakly, or it would stay until a slow watcher has answered.
    Task.unpooled { [weak self] in
      do throws(BusError) {
        try await bus.call(
          Self.watcher, "RegisterStatusNotifierItem", [.string(name)], startsService: false)
        self?.askForHost(on: bus)
      } catch {
        // A watcher that takes no items, or that has gone again: there is no icon.
      }
    }
  }

  private func askForHost(on bus: Bus) {
    let properties = RemoteObject(
      name: Self.watcher.name, path: Self.watcher.path, interface: "org.freedesktop.DBus.Properties")
    let asked = watcherOwner
    Task.unpooled { [weak self] in
      var isHosted = false
      do throws(BusError) {
        let answer = try await bus.call(
          properties, "Get", [.string(Self.watcher.interface), .string("IsStatusNotifierHostRegistered")],
          startsService: false)
        isHosted = answer[0]?.unboxed?.bool ?? false
      } catch {
        // If a watcher does not tell, no host can be relied on.
      }
      // The watcher may have gone meanwhile, or the icon.
      if let asked, asked == self?.watcherOwner { self?.isShown = isHosted }
    }
  }

  // MARK: What hosts call

  private var methods: [String: Bus.Method] {
    let toggle: Bus.Method = { [weak self] _ in self?.request(.toggle) ?? [] }
    return [
      "Activate": toggle, "SecondaryActivate": toggle,
      // For a host that cannot show the menu; a Wayland window cannot go to the place on the screen that it names.
      "ContextMenu": { [weak self] _ in self?.request(.show) ?? [] },
      "Scroll": { _ in [] },
      "ProvideXdgActivationToken": { [weak self] arguments in
        self?.token = arguments[0]?.string
        return []
      },
    ]
  }

  /// Passes on what the user asks for, with the token that came for it, which counts once.
  ///
  /// - Returns: no values, the answer to the host's call.
  @discardableResult
  private func request(_ request: Request, at time: UInt32 = 0) -> [Variant] {
    let activation: Activation =
      if let token { .token(token) } else if time != 0 { .time(time) } else { .ambient }
    token = nil
    requested(request, activation)
    return []
  }

  // MARK: What hosts show

  /// The sizes that panels use, in pixels; a host takes the next larger one and scales it down.
  static let sizes = [16, 22, 24, 32, 48]
  private static let symbolicIcon = CopyPasta.id + "-symbolic"

  /// The icon in each size, `(iiay)`, as `meson-helpers/internal/draw-tray-icon` has drawn it.
  ///
  /// To draw it here would cost memory, and from gdk-pixbuf 2.44 on a process in a sandbox.
  private static let pixmaps: [Variant] = {
    var rest = PackageResources.tray_icon_argb[...]
    return sizes.map { size in
      defer { rest = rest.dropFirst(size * size * 4) }
      return .tuple([.int32(Int32(size)), .int32(Int32(size)), .bytes(Array(rest.prefix(size * size * 4)))])
    }
  }()

  /// Whether the host finds the icon in the theme, by its name, and so can give it the panel's colour.
  private static var hasName: Bool { ProgramFiles.areKnownToOthers && Theme.hasIcon(symbolicIcon) }

  /// The icon to look up: the one that takes the panel's colour, but for sway, whose bars would draw it black on dark.
  static func iconName(on desktops: [String]) -> String {
    desktops.contains("sway") ? CopyPasta.id : symbolicIcon
  }

  /// The properties of the item; each value is made when a host asks for it.
  private static var properties: [String: Bus.Property] {
    [
      "Category": { .string("ApplicationStatus") },
      "Id": { .string(CopyPasta.id) },
      "Title": { .string(CopyPasta.name) },
      "Status": { .string("Active") },
      "IconName": { .string(hasName ? iconName(on: Desktop.names) : "") },
      "IconPixmap": { .array(of: "(iiay)", hasName ? [] : pixmaps) },
      "IconThemePath": { .string("") },
      // Never a clip's text: other programs read this.
      "ToolTip": {
        .tuple([
          .string(""), .array(of: "(iiay)", []), .string(CopyPasta.name), .string(tr("Clipboard history")),
        ])
      },
      "ItemIsMenu": { .bool(false) },
      "Menu": { .objectPath(TrayMenu.path) },
    ]
  }

  private static let introspection = """
    <node>
      <interface name="org.kde.StatusNotifierItem">
        <method name="Activate"><arg type="i" direction="in"/><arg type="i" direction="in"/></method>
        <method name="SecondaryActivate"><arg type="i" direction="in"/><arg type="i" direction="in"/></method>
        <method name="ContextMenu"><arg type="i" direction="in"/><arg type="i" direction="in"/></method>
        <method name="Scroll"><arg type="i" direction="in"/><arg type="s" direction="in"/></method>
        <method name="ProvideXdgActivationToken"><arg type="s" direction="in"/></method>
        <property name="Category" type="s" access="read"/>
        <property name="Id" type="s" access="read"/>
        <property name="Title" type="s" access="read"/>
        <property name="Status" type="s" access="read"/>
        <property name="IconName" type="s" access="read"/>
        <property name="IconPixmap" type="a(iiay)" access="read"/>
        <property name="IconThemePath" type="s" access="read"/>
        <property name="ToolTip" type="(sa(iiay)ss)" access="read"/>
        <property name="ItemIsMenu" type="b" access="read"/>
        <property name="Menu" type="o" access="read"/>
      </interface>
    </node>
    """
}
