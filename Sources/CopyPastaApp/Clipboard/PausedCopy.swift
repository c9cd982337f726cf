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
  /// - Parameter isFirst: Whether the delivery is the offer that was on the clipboard when following began.
  mutating func includes(_ delivery: ClipboardDelivery, isFirst: Bool) -> Bool {
    let text: [UInt8]? = if case .success(.text(let bytes)) = delivery { bytes } else { nil }
    guard isFirst else {
      if text != nil { self = .none }
      return false
    }
    switch self {
    case .none: return false
    case .text(let hash) where text?.hashValue == hash: return true
    case .text:
      // Once something else was on the clipboard, a copy of the same text is a new one.
      if case .success = delivery { self = .none }
      return false
    case .unread where delivery == .success(.secret) || delivery == .failure(.cancelled): return false
    case .unread:
      self = text.map { .text(hash: $0.hashValue) } ?? .none
      return true
    }
  }
}
