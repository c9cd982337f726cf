import ClipboardCore

/// How the bytes of an answer are meant.
enum TextEncoding {
  /// As they are to be handed out.
  case unchanged
  /// ISO 8859-1, as ICCCM 2.6.2 has it for `STRING`.
  case latin1

  /// Judges by what was asked for, and by the type that the owner gave its answer; nil for what is no text.
  init?(type: Atom, target: TextFormat, _ atoms: Atoms) {
    guard let named = TextFormat.allCases.first(where: { atoms[$0] == type }) else { return nil }
    switch (target, named) {
    case (.string, .string), (.string, .plain), (.string, .text): self = .latin1
    case (.text, .string), (.text, .plain), (.text, .text): self = .latin1
    default: self = .unchanged
    }
  }

  /// The bytes as UTF-8.
  ///
  /// ISO 8859-1 that is valid UTF-8 already is left alone: xclip, xsel and others give UTF-8 for `STRING` too,
  /// and a text in ISO 8859-1 that happens to be valid UTF-8, beyond ASCII, is not one that anybody writes.
  func utf8(_ bytes: [UInt8]) -> [UInt8] {
    guard self == .latin1, !bytes.isValidUTF8 else { return bytes }
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
