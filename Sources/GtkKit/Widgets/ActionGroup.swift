import CGtk

/// Named actions that menus and keys run.
@MainActor
public final class ActionGroup: Object {
  /// Makes a group without actions.
  public convenience init() {
    self.init(Owned(taking: g_simple_action_group_new()))
  }

  /// Adds an action without a parameter.
  public func add(_ name: String, _ body: @escaping @MainActor () -> Void) {
    addAction(name, to: opaque, body)
  }
}

/// Adds an action to whatever keeps actions: a group, an application, a window.
@MainActor
func addAction(_ name: String, to map: OpaquePointer, _ body: @escaping @MainActor () -> Void) {
  let action = Object(
    Owned(taking: g_simple_action_new(name, nil)))
  action.connectAction(body)
  withExtendedLifetime(action) { g_action_map_add_action(map, action.opaque) }
}
