import ClipboardCore

/// What was on the clipboard when a pause ended, which is not recorded.
enum PausedCopy: Equatable {
  case none
  case unread
  case text(hash: Int)

  /// Returns whether a delivery is this copy; ends the pause's effect if the clipboard holds something else.
  ///
  /// When the window becomes active again, the same text may come as a new offer, and is then recognised by its hash.
  ///
  /// - Parameter isFirst: Whether the delivery is an offer that was on the clipboard when following began.
  mutating func includes(_ delivery: ClipboardDelivery, isFirst: Bool) -> Bool {
    let text: [UInt8]? = if case .success(.text(let bytes)) = delivery { bytes } else { nil }
    guard isFirst else {
      if text != nil { self = .none }
      return false
    }
    switch (self, delivery) {
    case (.none, _), (.text, .failure): return false
    // Until it was read, the next content may still be it.
    case (.unread, .failure): return true
    case (.text(let hash), _) where text?.hashValue == hash: return true
    // Once something else was on the clipboard, a copy of the same text is a new one. A secret is never recorded anyway.
    case (.text, _), (.unread, .success(.secret)):
      self = .none
      return false
    case (.unread, _):
      self = text.map { .text(hash: $0.hashValue) } ?? .none
      return true
    }
  }
}
