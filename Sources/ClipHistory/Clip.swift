/// An entry of the history, as the list shows it; `HistoryStore.text(of:)` fetches its whole text.
///
/// Ids ascend with each capture and are never given out twice, so ordering by `id` is the order of capture.
/// The description leaves the preview out, so that no clip reaches a log.
public struct Clip: Sendable, Equatable, Identifiable {
  /// The row's id in the database.
  public let id: Int64

  /// When the text was captured, in microseconds since 1970 UTC; 0 if unknown.
  public let capturedAt: Int64

  /// The size of the whole text in bytes.
  public let byteCount: Int

  /// The beginning of the text, at most `Preview.byteLimit` bytes; the text itself if it is that short.
  public let preview: String

  /// Whether the text has more than the preview.
  public var goesOn: Bool { byteCount > preview.utf8.count }

  /// Makes a clip of its parts, for whatever stands in for the history.
  public init(id: Int64, capturedAt: Int64, byteCount: Int, preview: String) {
    self.id = id
    self.capturedAt = capturedAt
    self.byteCount = byteCount
    self.preview = preview
  }

  /// A clip with its whole text.
  public struct Whole: Sendable, Equatable, Identifiable {
    /// The row's id in the database.
    public let id: Int64

    /// When the text was captured, in microseconds since 1970 UTC; 0 if unknown.
    public let capturedAt: Int64

    /// The text, whose description shows its size only.
    public let text: ClipText

    /// A number that two clips with the same text and time share; it differs from process to process.
    static func hash(of text: [UInt8], at time: Int64) -> Int {
      var hasher = Hasher()
      hasher.combine(time)
      text.withUnsafeBytes { hasher.combine(bytes: $0) }
      return hasher.finalize()
    }
  }
}

extension Clip: CustomStringConvertible, CustomReflectable {
  /// The id and the size, never the text.
  public var description: String { "Clip(\(id), \(byteCount) bytes)" }

  /// All but the preview: `dump` looks here.
  public var customMirror: Mirror {
    Mirror(self, children: ["id": id, "capturedAt": capturedAt, "byteCount": byteCount])
  }
}

/// A deleted row, whole, which `HistoryStore.restore` brings back.
///
/// A deleted clip exists in memory only, which is freed, not overwritten. Its description shows no text.
public struct DeletedClip: Sendable, Equatable, Identifiable {
  /// The id that the row had, and gets again.
  public let id: Int64

  /// When the text was captured, in microseconds since 1970 UTC; 0 if unknown.
  public let capturedAt: Int64

  /// The text as it was in the row; not a `ClipText`, because a damaged row can be deleted too.
  let bytes: [UInt8]

  /// The size of the text in bytes.
  public var byteCount: Int { bytes.count }
}

extension DeletedClip: CustomStringConvertible, CustomReflectable {
  /// The id and the size, never the text.
  public var description: String { "DeletedClip(\(id), \(byteCount) bytes)" }

  /// All but the text: `dump` looks here.
  public var customMirror: Mirror {
    Mirror(self, children: ["id": id, "capturedAt": capturedAt, "byteCount": byteCount])
  }
}

/// Which times a capture can have, in microseconds since 1970 UTC.
///
/// The file is not trusted: one flipped bit turns a time into any number, and SQLite finds no error.
enum CaptureTime {
  /// A time that nobody knows.
  static let unknown: Int64 = 0

  /// The last microsecond of the year 9999, the last that ISO 8601 can write.
  static let latest: Int64 = 253_402_300_799_999_999

  /// The clocks that may be right: from 1980 to 2100.
  static let believableClocks: Range<Int64> = 315_532_800_000_000..<4_102_444_800_000_000

  /// The most, in microseconds, that an adjustment sets a clock back; more than that is a jump.
  private static let adjustment: Int64 = 60_000_000

  /// The time itself, or `unknown` if nothing can have been captured then.
  static func plausible(_ time: Int64) -> Int64 { (1...latest).contains(time) ? time : unknown }

  /// The time of a capture at `now`, after one at `last`.
  ///
  /// The time is the clock's own, so that a jump is forgotten with the rows that were recorded during it. Only while a
  /// clock is adjusted a little, the time stands still, so that times ascend with ids as far as they can.
  static func next(after last: Int64, at now: Int64) -> Int64 {
    let (last, now) = (plausible(last), plausible(now))
    return last > now && last - now <= adjustment ? last : now
  }
}
