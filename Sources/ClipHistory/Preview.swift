/// The part of a text that the list shows: its beginning, small enough to be laid out and to be read by the page.
public enum Preview {
  /// The size of the largest preview, and of the largest text that needs none, in bytes.
  ///
  /// SQLite keeps at least 489 bytes of a large row on the row's own page: with 400 the list never
  /// follows a row to its overflow pages.
  public static let byteLimit = 400

  /// How far into a text something visible is looked for, in bytes.
  static let searchLimit = 4096

  /// The preview of a text, or nil if the text itself is short enough to be shown.
  ///
  /// The preview begins at the first character that is not white space, or at the first of all if the first
  /// 4 KiB are blank, and ends between two characters as a reader sees them, never inside an emoji or
  /// between a letter and its accent; only if a single character is larger than the limit, inside that one.
  /// The cost depends on these limits, not on the size of the text.
  ///
  /// ```swift
  /// let text = try ClipText(validating: Array((String(repeating: "\n", count: 500) + "hello").utf8))
  /// Preview.make(of: text)  // "hello"
  /// ```
  public static func make(of text: ClipText) -> String? {
    guard text.byteCount > byteLimit else { return nil }
    // A scalar more than can be used: whether a character ends at the limit depends on what follows it.
    let window = text.leading(searchLimit + byteLimit + 4)
    return cut(window[firstVisible(in: window)...])
  }

  private static func firstVisible(in window: String) -> String.Index {
    guard let index = window.firstIndex(where: { !isBlank($0) }),
      window.utf8.distance(from: window.startIndex, to: index) <= searchLimit
    else { return window.startIndex }
    return index
  }

  /// A space that carries an accent is not blank.
  private static func isBlank(_ character: Character) -> Bool {
    character.unicodeScalars.allSatisfy(\.properties.isWhitespace)
  }

  private static func cut(_ text: Substring) -> String {
    let utf8 = text.utf8
    guard var limit = utf8.index(utf8.startIndex, offsetBy: byteLimit, limitedBy: utf8.endIndex),
      limit < utf8.endIndex
    else { return String(text) }
    var end = text.startIndex
    while case let next = text.index(after: end), next <= limit { end = next }
    if end > text.startIndex { return String(text[..<end]) }
    while UTF8.isContinuation(utf8[limit]) { limit = utf8.index(before: limit) }
    return String(text[..<limit])
  }
}
