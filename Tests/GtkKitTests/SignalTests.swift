import CGtk
import Testing

@testable import GtkKit

@MainActor
@Suite struct SignalTests {
  private func action() -> Object {
    Object(Owned(taking: UnsafeMutableRawPointer(g_simple_action_new("test", nil).unsafelyUnwrapped)))
  }

  @Test(arguments: [true, false])
  func `a signal handler is called until disconnected, or once, and then released`(isOnce: Bool) {
    let action = action()
    var calls = 0
    weak var captured: Token?
    do {
      let token = Token()
      captured = token
      let handler: @MainActor () -> Void = {
        _ = token
        calls += 1
      }
      let connection = isOnce ? nil : action.connect("activate", handler)
      if isOnce { action.connectOnce("activate", handler) }
      g_action_activate(action.opaque, nil)
      #expect(calls == 1)
      if let connection { action.disconnect(connection) }
    }
    #expect(captured == nil)
    g_action_activate(action.opaque, nil)
    #expect(calls == 1)
  }

  @Test func `a signal handler receives as many arguments as its closure declares`() {
    let list = Object(Owned(taking: UnsafeMutableRawPointer(g_list_store_new(copypasta_type_object()))))
    var changes: [[guint]] = []
    list.connect("items-changed") { changes.append([]) }
    list.connect("items-changed") { (position: guint) in changes.append([position]) }
    list.connect("items-changed") { (position: guint, removed: guint, added: guint) in
      changes.append([position, removed, added])
    }
    g_list_model_items_changed(list.opaque, 1, 2, 3)
    #expect(changes == [[], [1], [1, 2, 3]])
  }

  @Test func `releasing an object releases its signal handlers' closures`() {
    expectNoLeak { token in
      let action = action()
      action.connect("notify::name") { _ = token }
      action.connect("notify::enabled") { _ = token }
      action.connect("activate") { _ = token }
      return action
    }
  }
}
