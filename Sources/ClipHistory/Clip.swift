/// An entry of the history, as the list shows it; `HistoryStore.text(of:)` loads its whole text.
///
/// Ids ascend with each capture, and a deleted clip's id never passes to another clip, so sorting by `id` gives the
/// order of capture. `description` omits the preview, so that no text reaches a log.
public struct Clip: Sendable, Equatable, Identifiable {
  /// The row's id in the database.
  public let id: Int64

  /// When the text was captured, in microseconds since 1970 UTC; 0 if unknown.
  public let capturedAt: Int64

  /// The size of the whole text in bytes.
  public let byteCount: Int

  /// The beginning of the text, at most `Preview.byteLimit` bytes; the whole text if it fits.
  public let preview: String

  /// Whether the text is longer than the preview.
  public var goesOn: Bool { byteCount > preview.utf8.count }

  /// Creates a clip from its parts, for example in a test.
  public init(id: Int64, capturedAt: Int64, byteCount: Int, preview: String) {
    self.id = id
    self.capturedAt = capturedAt
    self.byteCount = byteCount
    self.preview = preview
  }

  /// A clip with its whole text.
  public struct Full: Sendable, Equatable, Identifiable {
    /// The row's id in the database.
    public let id: Int64

    /// When the text was captured, in microseconds since 1970 UTC; 0 if unknown.
    public let capturedAt: Int64

    /// The text; its description shows only the size.
    public let text: ClipText

    /// Hashes a text and its time; a hash is valid only within one process.
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

  /// Omits the preview, because `dump` prints the mirror.
  public var customMirror: Mirror {
    Mirror(self, children: ["id": id, "capturedAt": capturedAt, "byteCount": byteCount])
  }
}

/// A deleted row with its whole text, for `HistoryStore.restore`.
///
/// It exists only in memory, which is freed without being overwritten. `description` does not contain the text.
public struct DeletedClip: Sendable, Equatable, Identifiable {
  /// The id of the deleted row; restoring reuses it.
  public let id: Int64

  /// When the text was captured, in microseconds since 1970 UTC; 0 if unknown.
  public let capturedAt: Int64

  /// The text's bytes as stored; they may be invalid, because damaged rows can be deleted, too.
  let bytes: [UInt8]

  /// The size of the text in bytes.
  public var byteCount: Int { bytes.count }
}

extension DeletedClip: CustomStringConvertible, CustomReflectable {
  /// The id and the size, never the text.
  public var description: String { "DeletedClip(\(id), \(byteCount) bytes)" }

  /// Omits the text, because `dump` prints the mirror.
  public var customMirror: Mirror {
    Mirror(self, children: ["id": id, "capturedAt": capturedAt, "byteCount": byteCount])
  }
}

/// Valid capture times, in microseconds since 1970 UTC.
///
/// Times read from the database must be checked, because a flipped bit can change a time to any number without an error
/// from SQLite.
enum CaptureTime {
  static let unknown: Int64 = 0

  /// The last microsecond of the year 9999, the latest time that ISO 8601 can express.
  static let latest: Int64 = 253_402_300_799_999_999

  /// The wall-clock times that count as plausible: from 1980 to 2100.
  static let believableClocks: Range<Int64> = 315_532_800_000_000..<4_102_444_800_000_000

  /// The largest backward step of the clock, in microseconds, that counts as an adjustment rather than a jump.
  private static let adjustment: Int64 = 60_000_000

  /// Returns `time`, or `unknown` if it is out of range.
  static func plausible(_ time: Int64) -> Int64 { (1...latest).contains(time) ? time : unknown }

  /// Returns the time to store for a capture at `now` that follows a capture at `last`.
  ///
  /// Normally this is `now`, even if `now` is earlier than `last`, so that a wrong clock affects only the rows that are
  /// recorded while the clock is wrong. If the clock was set back by no more than `adjustment`, this is `last`, so that
  /// times ascend with ids.
  static func next(after last: Int64, at now: Int64) -> Int64 {
    let (last, now) = (plausible(last), plausible(now))
    return last > now && last - now <= adjustment ? last : now
  }
}
