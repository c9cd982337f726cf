import ClipboardCore

extension Atoms {
  /// Converts an owner's answer to UTF-8; returns nil if its type is not a text type.
  ///
  /// `STRING` is ISO 8859-1 (ICCCM 2.6.2), unless it is valid UTF-8: xclip, xsel and others send UTF-8 as `STRING`, and
  /// a real text in ISO 8859-1 with characters beyond ASCII is practically never valid UTF-8.
  func utf8(_ bytes: [UInt8], type: Atom, target: TextFormat) -> [UInt8]? {
    guard let named = TextFormat.allCases.first(where: { self[$0] == type }) else { return nil }
    let mayBeLatin1 = [.string, .text].contains(target) && [.string, .plain, .text].contains(named)
    guard mayBeLatin1, !bytes.isValidUTF8 else { return bytes }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + bytes.count { $0 >= 0x80 })
    for byte in bytes {
      if byte < 0x80 {
        text.append(byte)
      } else {
        text.append(0xc0 | byte >> 6)
        text.append(0x80 | byte & 0x3f)
      }
    }
    return text
  }
}

extension [UInt8] {
  fileprivate var isValidUTF8: Bool {
    do {
      _ = try UTF8Span(validating: span)
      return true
    } catch {
      return false
    }
  }
}
