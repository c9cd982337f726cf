import CGtk
import Synchronization

/// Tells whether a GObject is gone, without keeping it.
///
/// A connection to a bus may end on GDBus's own thread.
public final class Lifetime: Sendable {
  private let ended = Atomic(false)

  /// Whether it is.
  public var isOver: Bool { ended.load(ordering: .acquiring) }

  /// Looks at a GObject from now on.
  @MainActor
  public init(of object: UnsafeMutableRawPointer) {
    let ended: GWeakNotify = { data, _ in
      let lifetime = Unmanaged<Lifetime>.fromOpaque(data.unsafelyUnwrapped).takeRetainedValue()
      lifetime.ended.store(true, ordering: .releasing)
    }
    g_object_weak_ref(
      object.assumingMemoryBound(to: GObject.self), ended, Unmanaged.passRetained(self).toOpaque())
  }
}
