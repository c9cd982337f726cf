/// A deleted row, whole, which `HistoryStore.restore` brings back.
///
/// It is nowhere but in memory. Its memory is given back, not overwritten, when it is let go of. Its description shows no text.
public struct DeletedClip: Sendable, Equatable, Identifiable {
  /// The id that the row had, and gets again.
  public let id: Int64

  /// When the text was captured, in microseconds since 1970 UTC; 0 if nobody knows.
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
