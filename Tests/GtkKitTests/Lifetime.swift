import CGtk
import Synchronization
import Testing

@testable import GtkKit

/// Tells whether a GObject is gone, without keeping it.
///
/// A connection to a bus may end on GDBus's own thread.
final class Lifetime: Sendable {
  private let ended = Atomic(false)

  var isOver: Bool { ended.load(ordering: .acquiring) }

  @MainActor
  init(of object: Object) {
    let ended: GWeakNotify = { data, _ in
      let lifetime = Unmanaged<Lifetime>.fromOpaque(data.unsafelyUnwrapped).takeRetainedValue()
      lifetime.ended.store(true, ordering: .releasing)
    }
    g_object_weak_ref(object.cast(), ended, Unmanaged.passRetained(self).toOpaque())
  }
}

/// A Swift object that a closure captures, to see whether the closure is released.
final class Token: Sendable {}

/// Expects that neither the GObject behind what `make` returns nor what its closures capture outlives it.
///
/// `make` gets an object to capture in each closure that it hands over.
@MainActor
func expectNoLeak(
  sourceLocation: SourceLocation = #_sourceLocation, _ make: (Token) throws -> Object
) rethrows {
  weak var captured: Token?
  var lifetime: Lifetime?
  do {
    let token = Token()
    captured = token
    let object = try make(token)
    lifetime = Lifetime(of: object)
    #expect(lifetime?.isOver == false, sourceLocation: sourceLocation)
  }
  // What GTK still had to do with it, such as the end of an animation.
  while g_main_context_iteration(nil, 0) != 0 {}
  #expect(lifetime?.isOver == true, "the object outlives its owner", sourceLocation: sourceLocation)
  #expect(captured == nil, "a closure outlives its connection", sourceLocation: sourceLocation)
}
