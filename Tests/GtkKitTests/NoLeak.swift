import CGtk
import GtkTestSupport
import Testing

@testable import GtkKit

/// A Swift object that a closure captures, so that a test can check whether the closure was released.
final class Token: Sendable {}

/// Expects that the GObject returned by `make`, the descendants of a widget, and what their closures capture, are
/// released.
///
/// `make` receives an object to capture in each closure.
@MainActor
func expectNoLeak(
  sourceLocation: SourceLocation = #_sourceLocation, _ make: (Token) throws -> Object
) rethrows {
  weak var captured: Token?
  var lifetimes: [Lifetime] = []
  do {
    let token = Token()
    captured = token
    let object = try make(token)
    lifetimes = object is Widget ? Lifetime.ofAll(within: object.raw) : [Lifetime(of: object.raw)]
    let isAlive = !lifetimes.contains { $0.isOver }
    #expect(isAlive, sourceLocation: sourceLocation)
  }
  // GTK may have pending work for the object, such as the end of an animation.
  while g_main_context_iteration(nil, 0) != 0 {}
  let areOver = lifetimes.allSatisfy { $0.isOver }
  #expect(areOver, "an object outlives its owner", sourceLocation: sourceLocation)
  #expect(captured == nil, "a closure outlives its connection", sourceLocation: sourceLocation)
}

extension Window {
  /// The dialog above this window.
  func dialog() throws -> Window {
    let all = Object(Owned(borrowing: gtk_window_get_toplevels()))
    let windows = (0..<g_list_model_get_n_items(all.opaque)).compactMap {
      g_list_model_get_object(all.opaque, $0).map { Window(Owned(taking: $0)) }
    }
    return try #require(windows.first { gtk_window_get_transient_for($0.cast()) == cast(to: GtkWindow.self) })
  }
}
