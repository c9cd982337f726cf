import CGtk

/// Immutable bytes that GLib shares without copying them (a `GBytes`).
public final class Bytes: Sendable {
  // Safe because a `GBytes` is immutable and its reference count is atomic, according to GLib's documentation.
  nonisolated(unsafe) let pointer: OpaquePointer?

  /// Makes a single copy of `bytes`.
  public init(_ bytes: [UInt8]) {
    pointer = bytes.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
  }

  init(taking pointer: OpaquePointer?) { self.pointer = pointer }

  deinit { g_bytes_unref(pointer) }

  public var count: Int { Int(g_bytes_get_size(pointer)) }

  /// Returns at most `length` bytes from `start`, without copying them.
  func part(from start: Int, atMost length: Int) -> Bytes {
    Bytes(taking: g_bytes_new_from_bytes(pointer, gsize(start), gsize(min(length, count - start))))
  }
}

extension String {
  /// Copies a string that GLib allocated, and frees the original; NULL gives an empty string.
  init(taking text: UnsafeMutablePointer<CChar>?) {
    self = text.map { String(cString: $0) } ?? ""
    g_free(text)
  }
}

/// Copies a NULL-terminated list of strings, without taking ownership of it.
func strings(in list: UnsafePointer<UnsafePointer<CChar>?>) -> [String] {
  sequence(first: 0) { $0 + 1 }.lazy.map { list[$0] }.prefix { $0 != nil }
    .compactMap { $0.map { String(cString: $0) } }
}

/// Calls `body` with a NULL-terminated list of C strings, which is valid during the call.
func withCStrings<Result>(
  _ texts: [String], _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
  var list: [UnsafePointer<CChar>?] = texts.map { UnsafePointer(g_strdup($0)) } + [nil]
  defer { for text in list { g_free(UnsafeMutablePointer(mutating: text)) } }
  return list.withUnsafeMutableBufferPointer { body($0.baseAddress) }
}

/// Keyed digests, which any thread may compute.
public enum Checksum {
  /// Returns the HMAC-SHA-256 of `bytes` with `key`: 32 bytes.
  public static func hmacSHA256(key: [UInt8], of bytes: [UInt8]) -> [UInt8] {
    guard let hmac = g_hmac_new(G_CHECKSUM_SHA256, key, gsize(key.count)) else { return [] }
    defer { g_hmac_unref(hmac) }
    bytes.withUnsafeBufferPointer { g_hmac_update(hmac, $0.baseAddress, gssize($0.count)) }
    var digest = [UInt8](repeating: 0, count: 32)
    var length = gsize(digest.count)
    g_hmac_get_digest(hmac, &digest, &length)
    return Array(digest.prefix(Int(length)))
  }
}
