/// All clips of a history with their whole texts, oldest first, one at a time.
///
/// It has a connection of its own, so it may be made and used on any one thread, beside a store and its readers.
/// Between two clips it holds no lock: nobody waits for it, what is deleted meanwhile is not in it, and a deleted
/// text does not stay in the log for its sake. It holds one text at a time.
///
/// ```swift
/// let clips = try WholeClips(location: location)
/// while let clip = try clips.next() { write(clip.text.bytes) }
/// ```
public final class WholeClips {
  private let following: Statement
  private var last = Int64.min

  /// Opens an existing history, and writes nothing; throws as `HistoryStore.init` does.
  public init(location: HistoryLocation) throws(StoreError) {
    following = try Statement(
      "SELECT id, captured_at, text FROM clip WHERE id > ?1 ORDER BY id LIMIT 1",
      on: HistoryReader.connect(to: location).connection)
  }

  /// The next newer clip, nil after the newest.
  ///
  /// `.damaged` where it holds no valid text; the call after that goes on behind it.
  public func next() throws(StoreError) -> WholeClip? {
    try following.run { row throws(StoreError) in
      row.bind(last, at: 1)
      guard try row.step() else { return nil }
      last = row.integer(0)
      return WholeClip(id: last, capturedAt: row.integer(1), text: try ClipText(stored: row.bytes(2)))
    }
  }
}

/// A clip with its whole text.
public struct WholeClip: Sendable, Equatable, Identifiable {
  /// The row's id in the database.
  public let id: Int64

  /// When the text was captured, in microseconds since 1970 UTC.
  public let capturedAt: Int64

  /// The text, whose description shows its size only.
  public let text: ClipText
}
