import CGtk

let translationDomain = "copypasta"

/// Translates a text into the user's language.
public func tr(_ text: String) -> String {
  // Without a translation, `g_dgettext` returns its argument, so copy the result while the argument is valid.
  text.withCString { String(cString: g_dgettext(translationDomain, $0)) }
}

/// Translates a text into the user's language, in the plural form for `count`.
public func trn(_ one: String, _ many: String, _ count: Int) -> String {
  one.withCString { one in
    many.withCString { String(cString: g_dngettext(translationDomain, one, $0, gulong(clamping: count))) }
  }
}

extension String {
  /// A label's text without mnemonic underscores; two underscores stand for a literal underscore.
  public var withoutMnemonic: String {
    var plain = ""
    var followsMark = false
    for character in self {
      let isMark = character == "_" && !followsMark
      if !isMark { plain.append(character) }
      followsMark = isMark
    }
    return plain
  }

  /// Replaces each `%s` with the next value, and `%2$s` with the second value, for languages that need a different
  /// order.
  ///
  /// Placeholders within the values are not replaced.
  public func filled(with values: String...) -> String {
    // Do not use `String.replacing`, because it would link the regular-expression library.
    var filled = ""
    var rest = self[...]
    var next = 0
    while let percent = rest.firstIndex(of: "%") {
      filled += rest[..<percent]
      rest = rest[index(after: percent)...]
      let digits = rest.prefix(while: \.isWholeNumber)
      if let number = Int(digits), values.indices ~= number - 1,
        rest.dropFirst(digits.count).starts(with: "$s")
      {
        filled += values[number - 1]
        rest = rest.dropFirst(digits.count + 2)
      } else if rest.first == "s", next < values.count {
        filled += values[next]
        next += 1
        rest = rest.dropFirst()
      } else {
        filled += "%"
      }
    }
    return filled + rest
  }
}
