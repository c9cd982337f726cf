import CGtk

extension String {
  /// Takes over a text that C allocated, and frees it; empty for NULL.
  init(taking text: UnsafeMutablePointer<CChar>?) {
    self = text.map { String(cString: $0) } ?? ""
    g_free(text)
  }
}

/// The texts of a list that ends with NULL, which stays C's.
func strings(in list: UnsafePointer<UnsafePointer<CChar>?>) -> [String] {
  sequence(first: 0) { $0 + 1 }.lazy.map { list[$0] }.prefix { $0 != nil }
    .compactMap { $0.map { String(cString: $0) } }
}

/// Calls with a list of texts as C has it, which ends with NULL and is valid for the call.
func withCStrings<Result>(
  _ texts: [String], _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
  var list: [UnsafePointer<CChar>?] = texts.map { UnsafePointer(g_strdup($0)) } + [nil]
  defer { for text in list { g_free(UnsafeMutablePointer(mutating: text)) } }
  return list.withUnsafeMutableBufferPointer { body($0.baseAddress) }
}
