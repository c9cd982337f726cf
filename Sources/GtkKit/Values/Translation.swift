import CGtk

/// The name of the catalogue that the translations are in.
let translationDomain = "copypasta"

/// A text in the user's language.
public func tr(_ text: String) -> String {
  // Untranslated, the answer is the argument itself: it is copied while that is there.
  text.withCString { String(cString: g_dgettext(translationDomain, $0)) }
}

/// A text in the user's language, in the form that goes with a number.
public func trn(_ one: String, _ many: String, _ count: Int) -> String {
  one.withCString { one in
    many.withCString { String(cString: g_dngettext(translationDomain, one, $0, gulong(clamping: count))) }
  }
}

extension String {
  /// The text with its first `%s` replaced.
  public func filled(with value: String) -> String {
    // Split by hand: `String.replacing` would bring the regular expression library along.
    var rest = self[...]
    while let percent = rest.firstIndex(of: "%") {
      let next = index(after: percent)
      guard next < endIndex else { break }
      if self[next] == "s" { return self[..<percent] + value + self[index(after: next)...] }
      rest = self[next...]
    }
    return self
  }
}
