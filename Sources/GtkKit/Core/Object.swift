import CGtk

/// A Swift view of a GObject; the root of GtkKit's classes.
@MainActor
open class Object {
  let owned: Owned

  init(_ owned: Owned) {
    self.owned = owned
  }

  /// The instance as an untyped pointer.
  final var raw: UnsafeMutableRawPointer { owned.raw }

  /// The instance as a pointer to a type whose fields C does not show.
  final var opaque: OpaquePointer { OpaquePointer(owned.raw) }

  /// The instance as a pointer to a type whose struct C shows.
  final func cast<Instance>(to type: Instance.Type = Instance.self) -> UnsafeMutablePointer<Instance> {
    owned.raw.assumingMemoryBound(to: type)
  }

  // MARK: - Properties

  // Properties by their names, for those that not every version of a library has.

  /// Whether the object has a property of this name.
  final func hasProperty(_ name: String) -> Bool { property(name) != nil }

  /// The text of a property that is one.
  final func textProperty(_ name: String) -> String? {
    value(of: name) { g_value_get_string(&$0).map { String(cString: $0) } } ?? nil
  }

  /// The number of a property that is an enumeration.
  final func enumProperty(_ name: String) -> Int? { value(of: name) { Int(g_value_get_enum(&$0)) } }

  /// The truth value of a property that is one.
  final func flagProperty(_ name: String) -> Bool? { value(of: name) { g_value_get_boolean(&$0) != 0 } }

  /// Sets a property that is a text.
  final func setProperty(_ name: String, to text: String) { set(name) { g_value_set_string(&$0, text) } }

  /// Sets a property that is a truth value.
  final func setProperty(_ name: String, to flag: Bool) {
    set(name) { g_value_set_boolean(&$0, flag ? 1 : 0) }
  }

  /// Sets a property that is an enumeration.
  final func setProperty(_ name: String, toCase number: Int) {
    set(name) { g_value_set_enum(&$0, gint(number)) }
  }

  private func value<Result>(of name: String, _ read: (inout GValue) -> Result) -> Result? {
    guard var value = newValue(for: name) else { return nil }
    defer { g_value_unset(&value) }
    g_object_get_property(cast(), name, &value)
    return read(&value)
  }

  private func set(_ name: String, _ fill: (inout GValue) -> Void) {
    guard var value = newValue(for: name) else { return }
    defer { g_value_unset(&value) }
    fill(&value)
    g_object_set_property(cast(), name, &value)
  }

  private func newValue(for name: String) -> GValue? {
    guard let property = property(name) else { return nil }
    var value = GValue()
    g_value_init(&value, property.pointee.value_type)
    return value
  }

  private func property(_ name: String) -> UnsafeMutablePointer<GParamSpec>? {
    let instance = raw.assumingMemoryBound(to: GTypeInstance.self)
    let type = UnsafeMutableRawPointer(instance.pointee.g_class)?.assumingMemoryBound(to: GObjectClass.self)
    return g_object_class_find_property(type, name)
  }

  // MARK: - Signals

  /// A handler's connection to a signal, by which it can be ended early.
  ///
  /// A connection ends with its object.
  public struct SignalConnection: Sendable {
    let id: UInt
  }

  /// Connects to a signal without arguments.
  ///
  /// The closure lives as long as the connection, which lives as long as the object: capture views weakly.
  @discardableResult
  public final func connect(_ signal: String, _ body: @escaping @MainActor () -> Void) -> SignalConnection {
    let callback: @MainActor @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
      Closure<@MainActor () -> Void>.behind(data)()
    }
    return attach(signal, body, callback)
  }

  /// Connects to the next time that a signal without arguments is emitted.
  public final func connectOnce(_ signal: String, _ body: @escaping @MainActor () -> Void) {
    let connection = Shared<SignalConnection?>(nil)
    // The closure keeps the object until the connection ends, which is at the first call.
    connection.value = connect(signal) {
      if let connection = connection.value { self.disconnect(connection) }
      body()
    }
  }

  /// Connects to the change of a property, `notify::name`.
  @discardableResult
  public final func connectNotify(
    _ property: String, _ body: @escaping @MainActor () -> Void
  ) -> SignalConnection {
    let callback: @MainActor @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
      Closure<@MainActor () -> Void>.behind(data)()
    }
    return attach("notify::" + property, body, callback)
  }

  /// Connects to a signal whose one argument is a position.
  @discardableResult
  public final func connectPosition(
    _ signal: String, _ body: @escaping @MainActor (Int) -> Void
  ) -> SignalConnection {
    let callback: @MainActor @convention(c) (gpointer?, guint, gpointer?) -> Void = { _, position, data in
      Closure<@MainActor (Int) -> Void>.behind(data)(Int(position))
    }
    return attach(signal, body, callback)
  }

  /// Connects to a signal whose handler says whether it dealt with the matter.
  @discardableResult
  public final func connectHandled(
    _ signal: String, _ body: @escaping @MainActor () -> Bool
  ) -> SignalConnection {
    let callback: @MainActor @convention(c) (gpointer?, gpointer?) -> gboolean = { _, data in
      Closure<@MainActor () -> Bool>.behind(data)() ? 1 : 0
    }
    return attach(signal, body, callback)
  }

  /// Connects to a signal whose one argument is an object, borrowed for the call.
  @discardableResult
  final func connectObject(
    _ signal: String, _ body: @escaping @MainActor (UnsafeMutableRawPointer) -> Void
  ) -> SignalConnection {
    let callback: @MainActor @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, object, data in
      guard let object else { return }
      Closure<@MainActor (UnsafeMutableRawPointer) -> Void>.behind(data)(object)
    }
    return attach(signal, body, callback)
  }

  /// Connects to a signal whose one argument is a text.
  @discardableResult
  final func connectText(_ signal: String, _ body: @escaping @MainActor (String) -> Void) -> SignalConnection
  {
    let callback: @MainActor @convention(c) (gpointer?, UnsafePointer<CChar>?, gpointer?) -> Void = {
      _, text, data in
      guard let text else { return }
      Closure<@MainActor (String) -> Void>.behind(data)(String(cString: text))
    }
    return attach(signal, body, callback)
  }

  /// Connects to a model's `items-changed`: from which position on how many rows went and came.
  @discardableResult
  final func connectItemsChanged(
    _ body: @escaping @MainActor (_ position: Int, _ removed: Int, _ added: Int) -> Void
  ) -> SignalConnection {
    typealias Body = @MainActor (_ position: Int, _ removed: Int, _ added: Int) -> Void
    let callback: @MainActor @convention(c) (gpointer?, guint, guint, guint, gpointer?) -> Void = {
      _, position, removed, added, data in Closure<Body>.behind(data)(Int(position), Int(removed), Int(added))
    }
    return attach("items-changed", body, callback)
  }

  /// Connects to a gesture's press or release: how many in a row, and where, in the widget's coordinates.
  @discardableResult
  final func connectPress(
    _ signal: String, _ body: @escaping @MainActor (_ count: Int, _ x: Double, _ y: Double) -> Void
  ) -> SignalConnection {
    typealias Body = @MainActor (_ count: Int, _ x: Double, _ y: Double) -> Void
    let callback: @MainActor @convention(c) (gpointer?, gint, Double, Double, gpointer?) -> Void = {
      _, count, x, y, data in Closure<Body>.behind(data)(Int(count), x, y)
    }
    return attach(signal, body, callback)
  }

  /// Connects to a gesture's signal of two numbers: a place, or how far from its beginning it is.
  @discardableResult
  final func connectPlace(
    _ signal: String, _ body: @escaping @MainActor (Double, Double) -> Void
  ) -> SignalConnection {
    let callback: @MainActor @convention(c) (gpointer?, Double, Double, gpointer?) -> Void = {
      _, x, y, data in
      Closure<@MainActor (Double, Double) -> Void>.behind(data)(x, y)
    }
    return attach(signal, body, callback)
  }

  /// Connects to `scroll`: how far, in both directions; `body` returns whether it dealt with it.
  @discardableResult
  final func connectScroll(
    _ body: @escaping @MainActor (Double, Double) -> Bool
  ) -> SignalConnection {
    let callback: @MainActor @convention(c) (gpointer?, Double, Double, gpointer?) -> gboolean = {
      _, x, y, data in Closure<@MainActor (Double, Double) -> Bool>.behind(data)(x, y) ? 1 : 0
    }
    return attach("scroll", body, callback)
  }

  /// Connects to a key controller's `key-pressed`: the key's number, its place and the modifiers' bits; `body` returns
  /// whether it dealt with the key.
  @discardableResult
  final func connectKeyPress(
    _ body: @escaping @MainActor (_ key: UInt32, _ code: UInt32, _ state: UInt32) -> Bool
  ) -> SignalConnection {
    typealias Body = @MainActor (_ key: UInt32, _ code: UInt32, _ state: UInt32) -> Bool
    let callback: @MainActor @convention(c) (gpointer?, guint, guint, guint, gpointer?) -> gboolean = {
      _, key, code, state, data in Closure<Body>.behind(data)(key, code, state) ? 1 : 0
    }
    return attach("key-pressed", body, callback)
  }

  /// Connects to a question about a drop or an event, which is borrowed for the call.
  @discardableResult
  final func connectQuestion(
    _ signal: String, _ body: @escaping @MainActor (UnsafeMutableRawPointer) -> Bool
  ) -> SignalConnection {
    let callback: @MainActor @convention(c) (gpointer?, gpointer?, gpointer?) -> gboolean = {
      _, asked, data in
      guard let asked else { return 0 }
      return Closure<@MainActor (UnsafeMutableRawPointer) -> Bool>.behind(data)(asked) ? 1 : 0
    }
    return attach(signal, body, callback)
  }

  /// Connects to a drop target's `drop`; `body` returns whether it is taken.
  @discardableResult
  final func connectDrop(
    _ body: @escaping @MainActor (UnsafeMutableRawPointer) -> Bool
  ) -> SignalConnection {
    let callback: @MainActor @convention(c) (gpointer?, gpointer?, Double, Double, gpointer?) -> gboolean = {
      _, drop, _, _, data in
      guard let drop else { return 0 }
      return Closure<@MainActor (UnsafeMutableRawPointer) -> Bool>.behind(data)(drop) ? 1 : 0
    }
    return attach("drop", body, callback)
  }

  /// Connects to a drag source's `prepare`: where the drag begins; `body` returns a content provider (transfer full).
  @discardableResult
  final func connectDragPrepare(
    _ body: @escaping @MainActor (Point) -> UnsafeMutableRawPointer?
  ) -> SignalConnection {
    typealias Body = @MainActor (Point) -> UnsafeMutableRawPointer?
    let callback: @MainActor @convention(c) (gpointer?, Double, Double, gpointer?) -> gpointer? = {
      _, x, y, data in Closure<Body>.behind(data)(Point(x: x, y: y))
    }
    return attach("prepare", body, callback)
  }

  /// Connects to a bus connection's `closed`, whose reason is not used.
  @discardableResult
  final func connectClosed(_ body: @escaping @MainActor () -> Void) -> SignalConnection {
    let callback: @MainActor @convention(c) (gpointer?, gboolean, gpointer?, gpointer?) -> Void = {
      _, _, _, data in Closure<@MainActor () -> Void>.behind(data)()
    }
    return attach("closed", body, callback)
  }

  /// Connects to a simple action's `activate`; its parameter is a variant, borrowed for the call, or none.
  @discardableResult
  final func connectAction(_ body: @escaping @MainActor (OpaquePointer?) -> Void) -> SignalConnection {
    let callback: @MainActor @convention(c) (gpointer?, OpaquePointer?, gpointer?) -> Void = {
      _, parameter, data in
      Closure<@MainActor (OpaquePointer?) -> Void>.behind(data)(parameter)
    }
    return attach("activate", body, callback)
  }

  /// Ends a connection; its closure is released.
  public final func disconnect(_ connection: SignalConnection) {
    g_signal_handler_disconnect(raw, gulong(connection.id))
  }

  /// Connects a C function that finds `body` behind its user data.
  @discardableResult
  final func attach<Body, Callback>(
    _ signal: String, _ body: Body, _ callback: Callback
  ) -> SignalConnection {
    let id = g_signal_connect_data(
      raw, signal, unsafeBitCast(callback, to: GCallback.self), Closure.retained(body),
      { data, _ in releaseClosure(data) }, GConnectFlags(rawValue: 0))
    return SignalConnection(id: UInt(id))
  }
}
