import Glibc
import GtkKit

/// The icon in the desktop's tray, until it is released; shown again after a tray host has restarted.
///
/// It is a StatusNotifierItem, which registers with each watcher that appears on the bus. See
/// https://www.freedesktop.org/wiki/Specifications/StatusNotifierItem/.
@MainActor
final class TrayIcon {
  /// What the user requests with the icon or its menu.
  enum Request: Equatable {
    case toggle, show, pause, preferences, quit
  }

  private let requested: @MainActor (Request, Activation) -> Void
  /// The activation token that the host sent for its next call.
  private var token: String?
  private var registrations: [Bus.Registration] = []
  private var pauseObservation: ListenerToken?
  private var host: TrayHost?

  /// - Parameters:
  ///   - isSandboxed: Whether a sandbox forbids the icon's own bus name.
  ///   - requested: Called for each user request, with the activation that lets a window take the focus.
  ///   - shownChanged: Called with whether a tray host shows the icon, each time that this may have changed.
  init(
    on bus: Bus, pause: ReadingPause, isSandboxed: Bool = Desktop.isFlatpak,
    requested: @escaping @MainActor (Request, Activation) -> Void,
    shownChanged: @escaping @MainActor (Bool) -> Void
  ) throws(BusError) {
    self.requested = requested
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
    host = TrayHost(
      on: bus,
      register: { () throws(BusError) in
        try await bus.call(
          TrayHost.watcher, "RegisterStatusNotifierItem", [.string(name)], startsService: false)
      }, changed: shownChanged)
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
