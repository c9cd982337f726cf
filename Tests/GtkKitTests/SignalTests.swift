import CGtk
import Testing

@testable import GtkKit

@MainActor
@Suite struct SignalTests {
  private func action() -> Object {
    Object(Owned(taking: UnsafeMutableRawPointer(g_simple_action_new("test", nil).unsafelyUnwrapped)))
  }

  @Test func `a handler is called until it is disconnected`() {
    let action = action()
    var calls = 0
    action.connectAction { _ in calls += 1 }
    g_action_activate(action.opaque, nil)
    #expect(calls == 1)
    let connection = action.connectNotify("enabled") { calls += 10 }
    g_simple_action_set_enabled(action.opaque, 0)
    #expect(calls == 11)
    action.disconnect(connection)
    g_simple_action_set_enabled(action.opaque, 1)
    #expect(calls == 11)
  }

  @Test func `disconnecting releases the closure`() {
    let action = action()
    weak var captured: Token?
    do {
      let token = Token()
      captured = token
      let connection = action.connectNotify("enabled") { _ = token }
      #expect(captured != nil)
      action.disconnect(connection)
    }
    #expect(captured == nil)
  }

  @Test func `the object's end releases every closure`() {
    expectNoLeak { token in
      let action = action()
      action.connect("notify::name") { _ = token }
      action.connectNotify("enabled") { _ = token }
      action.connectAction { _ in _ = token }
      return action
    }
  }
}
