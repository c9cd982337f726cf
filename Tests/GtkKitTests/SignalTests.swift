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
}
