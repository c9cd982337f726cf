import CGtk

extension String {
  /// The text's bytes in the encoding of the user's locale, for a terminal.
  ///
  /// Characters that the encoding lacks are replaced by similar characters, such as a straight quotation mark, or by
  /// `?`.
  public var inLocaleEncoding: [UInt8] {
    var charset: UnsafePointer<CChar>?
    guard g_get_charset(&charset) == 0, let charset else { return Array(utf8) }
    if String(cString: charset) == "ANSI_X3.4-1968" {
      return Array(String(taking: g_str_to_ascii(self, nil)).utf8)
    }
    let length = gssize(utf8.count)
    var size = gsize(0)
    // With this suffix, the C library's iconv replaces characters, except for ASCII; another iconv may not know it.
    let similar = String(cString: charset) + "//TRANSLIT"
    guard
      let converted = g_convert(self, length, similar, "UTF-8", nil, &size, nil)
        ?? g_convert_with_fallback(self, length, charset, "UTF-8", "?", nil, &size, nil)
    else { return Array(utf8) }
    defer { g_free(converted) }
    return Array(UnsafeRawBufferPointer(start: converted, count: Int(size)))
  }

  /// Reads and frees a text in the encoding of the user's locale.
  init(takingLocaleEncoded text: UnsafeMutablePointer<CChar>) {
    defer { g_free(text) }
    if let converted = g_locale_to_utf8(text, -1, nil, nil, nil) {
      self = String(taking: converted)
    } else {
      self = String(cString: text)
    }
  }
}

/// The system's message for an `errno`, in the user's language.
public func systemMessage(_ errno: Int32) -> String { String(cString: g_strerror(errno)) }
