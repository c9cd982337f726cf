import CGtk

/// Bytes that GLib can share without copying them again (a `GBytes`).
public final class Bytes: Sendable {
  // Immutable, and its reference count is atomic (GLib's documentation of the type).
  nonisolated(unsafe) let pointer: OpaquePointer?

  /// Copies the bytes, once.
  public init(_ bytes: [UInt8]) {
    pointer = bytes.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
  }

  init(taking pointer: OpaquePointer?) { self.pointer = pointer }

  deinit { g_bytes_unref(pointer) }

  /// How many there are.
  public var count: Int { Int(g_bytes_get_size(pointer)) }

  /// A part of them, which shares their memory.
  func part(from start: Int, atMost length: Int) -> Bytes {
    Bytes(taking: g_bytes_new_from_bytes(pointer, gsize(start), gsize(min(length, count - start))))
  }
}
