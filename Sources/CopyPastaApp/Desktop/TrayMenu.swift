import GtkKit

/// The tray icon's menu, drawn by the tray host through `com.canonical.dbusmenu`, version 3.
///
/// The entries never change, so the revision is constant; the check mark of an entry is a property. See
/// https://github.com/AyatanaIndicators/libdbusmenu/blob/main/libdbusmenu-glib/dbus-menu.xml.
@MainActor
struct TrayMenu {
  static let path = "/MenuBar"
  private static let root: Int32 = 0
  private static let revision: UInt32 = 1

  private let pause: ReadingPause
  private let entries: [Entry]
  private let chosen: @MainActor (TrayIcon.Request, _ time: UInt32) -> Void

  private typealias Entry = (label: String, request: TrayIcon.Request)

  /// - Parameter chosen: Called with the request of the clicked entry and the X server's time of the click; 0 if
  ///   unknown.
  init(_ pause: ReadingPause, chosen: @escaping @MainActor (TrayIcon.Request, _ time: UInt32) -> Void) {
    // As in GTK, the underscore marks the access key.
    entries = [
      (tr("_Show History"), .show), (tr("Pause _Recording"), .pause), (tr("_Preferences"), .preferences),
      (tr("_Quit"), .quit),
    ]
    self.pause = pause
    self.chosen = chosen
  }

  func export(on bus: Bus) throws(BusError) -> Bus.Registration {
    try bus.export(
      Self.introspection, at: Self.path,
      methods: [
        "GetLayout": layout, "GetGroupProperties": groupProperties, "GetProperty": property, "Event": event,
        "EventGroup": eventGroup, "AboutToShow": aboutToShow, "AboutToShowGroup": aboutToShowGroup,
      ],
      properties: [
        "Version": { .uint32(3) },
        "TextDirection": { .string(Display.isRightToLeft ? "rtl" : "ltr") },
        "Status": { .string("normal") },
        "IconThemePath": { .strings([]) },
      ])
  }

  /// Notifies the hosts that recording was paused or resumed.
  func signalPauseChange(on bus: Bus) {
    let changed = ids.dropFirst().filter { entry($0).request == .pause }
    bus.emit(
      "ItemsPropertiesUpdated", of: "com.canonical.dbusmenu", at: Self.path,
      [
        .array(
          of: "(ia{sv})", changed.map { .tuple([.int32($0), properties(of: $0, named: ["toggle-state"])]) }),
        .array(of: "(ias)", []),
      ])
  }

  // MARK: The items

  private var ids: ClosedRange<Int32> { Self.root...Int32(entries.count) }

  private func entry(_ id: Int32) -> Entry { entries[Int(id) - 1] }

  /// The properties of an item with the given names, or all of them if `names` is empty.
  private func properties(of id: Int32, named names: [String]) -> Variant {
    var all: [String: Variant] = [:]
    if id == Self.root {
      all["children-display"] = .string("submenu")
    } else {
      all["label"] = .string(entry(id).label)
      if entry(id).request == .pause {
        all["toggle-type"] = .string("checkmark")
        all["toggle-state"] = .int32(pause.isPaused ? 1 : 0)
      }
    }
    return .dictionary(names.isEmpty ? all : all.filter { names.contains($0.key) })
  }

  /// An item with `depth` levels of children; -1 for all levels.
  private func item(_ id: Int32, depth: Int32, properties names: [String]) -> Variant {
    let children = id == Self.root && depth != 0 ? Array(ids.dropFirst()) : []
    return .tuple([
      .int32(id), properties(of: id, named: names),
      .array(of: "v", children.map { .boxed(item($0, depth: 0, properties: names)) }),
    ])
  }

  private func known(_ id: Int32?) throws(BusError) -> Int32 {
    guard let id, ids.contains(id) else { throw .invalidArguments("no such item") }
    return id
  }

  // MARK: Calls from hosts

  private func layout(_ arguments: Variant) throws(BusError) -> [Variant] {
    let id = try known(arguments[0]?.int32)
    let names = arguments[2]?.strings ?? []
    return [.uint32(Self.revision), item(id, depth: arguments[1]?.int32 ?? -1, properties: names)]
  }

  private func groupProperties(_ arguments: Variant) -> [Variant] {
    let wanted = Set(arguments[0]?.int32s ?? [])
    let names = arguments[1]?.strings ?? []
    let found = ids.filter { wanted.isEmpty || wanted.contains($0) }
    return [.array(of: "(ia{sv})", found.map { .tuple([.int32($0), properties(of: $0, named: names)]) })]
  }

  private func property(_ arguments: Variant) throws(BusError) -> [Variant] {
    let name = arguments[1]?.string ?? ""
    let values = properties(of: try known(arguments[0]?.int32), named: [name])
    guard let value = values.dictionary?[name] else { throw .invalidArguments("no such property") }
    return [.boxed(value)]
  }

  private func event(_ arguments: Variant) throws(BusError) -> [Variant] {
    let id = try known(arguments[0]?.int32)
    if id != Self.root, arguments[1]?.string == "clicked" {
      chosen(entry(id).request, arguments[3]?.uint32 ?? 0)
    }
    return []
  }

  /// - Returns: The ids that do not exist.
  private func eventGroup(_ arguments: Variant) -> [Variant] {
    var unknown: [Int32] = []
    for one in arguments[0]?.children ?? [] {
      do throws(BusError) { _ = try event(one) } catch { unknown.append(one[0]?.int32 ?? 0) }
    }
    return [.int32s(unknown)]
  }

  /// - Returns: Whether the host has to request the layout again.
  private func aboutToShow(_ arguments: Variant) throws(BusError) -> [Variant] {
    _ = try known(arguments[0]?.int32)
    return [.bool(false)]
  }

  /// - Returns: The ids whose layout the host has to request again, and the ids that do not exist.
  private func aboutToShowGroup(_ arguments: Variant) -> [Variant] {
    [.int32s([]), .int32s((arguments[0]?.int32s ?? []).filter { !ids.contains($0) })]
  }

  private static let introspection = """
    <node>
      <interface name="com.canonical.dbusmenu">
        <method name="GetLayout">
          <arg type="i" direction="in"/><arg type="i" direction="in"/><arg type="as" direction="in"/>
          <arg type="u" direction="out"/><arg type="(ia{sv}av)" direction="out"/>
        </method>
        <method name="GetGroupProperties">
          <arg type="ai" direction="in"/><arg type="as" direction="in"/><arg type="a(ia{sv})" direction="out"/>
        </method>
        <method name="GetProperty">
          <arg type="i" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/>
        </method>
        <method name="Event">
          <arg type="i" direction="in"/><arg type="s" direction="in"/>
          <arg type="v" direction="in"/><arg type="u" direction="in"/>
        </method>
        <method name="EventGroup"><arg type="a(isvu)" direction="in"/><arg type="ai" direction="out"/></method>
        <method name="AboutToShow"><arg type="i" direction="in"/><arg type="b" direction="out"/></method>
        <method name="AboutToShowGroup">
          <arg type="ai" direction="in"/><arg type="ai" direction="out"/><arg type="ai" direction="out"/>
        </method>
        <property name="Version" type="u" access="read"/>
        <property name="TextDirection" type="s" access="read"/>
        <property name="Status" type="s" access="read"/>
        <property name="IconThemePath" type="as" access="read"/>
        <signal name="ItemsPropertiesUpdated"><arg type="a(ia{sv})"/><arg type="a(ias)"/></signal>
      </interface>
    </node>
    """
}
