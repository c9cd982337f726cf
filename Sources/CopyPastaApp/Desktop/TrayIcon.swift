import Glibc
import GtkKit
import SerialQueue

/// The icon in the desktop's tray, shown while the preference is on, and shown again after a tray host has restarted.
///
/// It is a StatusNotifierItem, which registers with each watcher that appears on the bus. Without a tray or a session
/// bus the icon is missing, and CopyPasta shows no error, because the icon is optional. See
/// https://www.freedesktop.org/wiki/Specifications/StatusNotifierItem/.
@MainActor
final class TrayIcon {
  /// What the user requests with the icon or its menu.
  enum Request: Equatable {
    case toggle, show, pause, preferences, quit
  }

  private let preferences: Preferences
  private let pause: ReadingPause
  private let isSandboxed: Bool
  private let connect: @MainActor () async throws(BusError) -> Bus
  private let requested: @MainActor (Request, Activation) -> Void
  private let shownChanged: @MainActor (Bool) -> Void
  private var isShown = false {
    didSet { if isShown != oldValue { shownChanged(isShown) } }
  }
  /// The activation token that the host sent for its next call.
  private var token: String?
  private var host: TrayHost?
  private var observation: ListenerToken?
  private var registrations: [Bus.Registration] = []
  private var pauseObservation: ListenerToken?

  /// - Parameters:
  ///   - isSandboxed: Whether a sandbox forbids the icon's own bus name.
  ///   - connect: Returns the bus that the tray is on.
  ///   - requested: Called for each user request, with the activation that lets a window take the focus.
  ///   - shownChanged: Called when a tray host starts or stops showing the icon.
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

  private func update() {
    guard preferences[flag: .showsTrayIcon] else {
      registrations = []
      pauseObservation = nil
      host = nil
      isShown = false
      return
    }
    Task.unpooled { [weak self, connect] in
      do throws(BusError) {
        try self?.appear(on: try await connect())
      } catch {
        // Without a bus the icon is not shown; the application has already reported the missing bus at startup.
      }
    }
  }

  private func appear(on bus: Bus) throws(BusError) {
    // Check again, because the preference may have changed while connecting.
    guard preferences[flag: .showsTrayIcon], registrations.isEmpty else { return }
    // In a sandbox, use the connection's unique name. The specification's name contains the process id, which is the
    // same in every sandbox, and no sandbox allows that name.
    let name = isSandboxed ? bus.uniqueName : "org.kde.StatusNotifierItem-\(getpid())-1"
    let menu = TrayMenu(pause, chosen: weakly(self) { $0.request($1, at: $2) })
    registrations = [
      try bus.export(
        Self.introspection, at: "/StatusNotifierItem", methods: methods, properties: Self.properties),
      try menu.export(on: bus),
    ]
    pauseObservation = pause.changes.add { menu.signalPauseChange(on: bus) }
    if !isSandboxed { registrations.append(bus.ownName(name)) }
    host = TrayHost(on: bus) { () throws(BusError) in
      try await bus.call(
        TrayHost.watcher, "RegisterStatusNotifierItem", [.string(name)], startsService: false)
    } changed: { [weak self] in
      self?.isShown = $0
    }
  }

  // MARK: Calls from hosts

  private var methods: [String: Bus.Method] {
    let toggle: Bus.Method = { [weak self] _ in self?.request(.toggle) ?? [] }
    return [
      "Activate": toggle, "SecondaryActivate": toggle,
      // Called by a host that cannot draw the menu. Show the window instead, because a Wayland program cannot place
      // a menu at the given position on the screen.
      "ContextMenu": { [weak self] _ in self?.request(.show) ?? [] },
      "Scroll": { _ in [] },
      "ProvideXdgActivationToken": { [weak self] arguments in
        self?.token = arguments[0]?.string
        return []
      },
    ]
  }

  /// Passes on a request with the activation token that the host sent for it, and clears the token.
  ///
  /// - Returns: The empty answer to the host's call.
  @discardableResult
  private func request(_ request: Request, at time: UInt32 = 0) -> [Variant] {
    let activation: Activation =
      if let token { .token(token) } else if time != 0 { .time(time) } else { .ambient }
    token = nil
    requested(request, activation)
    return []
  }

  // MARK: Properties for hosts

  /// The icon sizes of panels, in pixels; a host scales the next larger one down.
  static let sizes = [16, 22, 24, 32, 48]
  private static let symbolicIcon = CopyPasta.id + "-symbolic"

  /// The icon in each size as `(iiay)`, drawn by `meson-helpers/internal/build tray-icon`.
  ///
  /// Drawing it at run time would need more memory and, from gdk-pixbuf 2.44 on, a sandboxed process.
  private static let pixmaps: [Variant] = {
    var rest = PackageResources.tray_icon_argb[...]
    return sizes.map { size in
      defer { rest = rest.dropFirst(size * size * 4) }
      return .tuple([.int32(Int32(size)), .int32(Int32(size)), .bytes(Array(rest.prefix(size * size * 4)))])
    }
  }()

  /// Whether the host can find the icon by name in the theme, and so draw it in the panel's colour.
  private static var hasName: Bool { ProgramFiles.areKnownToOthers && Theme.hasIcon(symbolicIcon) }

  /// The icon's name: the symbolic icon, except on sway, whose bars would draw it black on a dark background.
  static func iconName(on desktops: [String]) -> String {
    desktops.contains("sway") ? CopyPasta.id : symbolicIcon
  }

  /// The item's properties; each value is created when a host requests it.
  private static var properties: [String: Bus.Property] {
    [
      "Category": { .string("ApplicationStatus") },
      "Id": { .string(CopyPasta.id) },
      "Title": { .string(CopyPasta.name) },
      "Status": { .string("Active") },
      "IconName": { .string(hasName ? iconName(on: Desktop.names) : "") },
      "IconPixmap": { .array(of: "(iiay)", hasName ? [] : pixmaps) },
      "IconThemePath": { .string("") },
      // Must not contain a clip's text, because other programs read this tooltip.
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
