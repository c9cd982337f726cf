import CGtk

/// Keyed digests.
///
/// Any thread may compute them.
public enum Checksum {
  /// HMAC-SHA-256 of some bytes under a key: 32 bytes.
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
