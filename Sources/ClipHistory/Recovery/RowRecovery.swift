/// Finds the readable rows of a damaged history by examining every page, whether or not other pages refer to it.
///
/// Unused pages hold no rows, because `secure_delete` has overwritten them.
struct RowRecovery {
  struct Position {
    let id: Int64
    let page: UInt32
    let offset: UInt16
    /// The difference between the row's id and the closer id of its two neighbours in the page; `.max` if the ids are
    /// not in order.
    let gap: UInt16
  }

  /// What the damaged history stored about the last captured text.
  struct LastCapture {
    let key: [UInt8]
    let digest: [UInt8]
    let byteCount: Int
    let capturedAt: Int64
  }

  static let ids = 1...Schema.largestID

  let pages: DatabasePages
  /// The rows, ascending by id; rows with implausible ids come last.
  ///
  /// An id may occur twice, because SQLite was moving the row, or because damage changed a different row's id to this
  /// one. The row whose neighbours' ids are closer comes first.
  private(set) var positions: [Position] = []
  private(set) var lastCapture: LastCapture?
  /// The largest id ever assigned, as far as that is known.
  private(set) var largestID: Int64 = 0

  /// How many overflow pages may still be followed.
  ///
  /// Each page belongs to one row, so twice the number of pages is enough. Without a limit, every damaged row could
  /// lead through the whole file.
  private var linksLeft: Int

  /// Examines every page.
  ///
  /// - Throws: `.folderUnusable` if a file exists but is unreadable.
  init(_ location: HistoryLocation) throws(StoreError) {
    pages = try DatabasePages(location)
    linksLeft = 2 * pages.count
    for number in 0..<pages.fileCount { look(at: number + 1) }
    for number in pages.logOnly { look(at: number) }
    positions.sort {
      let (first, second) = (Self.ids.contains($0.id), Self.ids.contains($1.id))
      guard first == second else { return first }
      return $0.id == $1.id ? $0.gap < $1.gap : $0.id < $1.id
    }
    // New ids must exceed the ids of all rows that are copied.
    largestID = positions.reduce(largestID) { Self.ids.contains($1.id) ? max($0, $1.id) : $0 }
  }

  /// Returns the clip at a position; nil if the clip is incomplete or invalid.
  ///
  /// The text's size is stored three times: as its length, in the size column, and within the record's size. Two of
  /// them must agree. The time cannot be verified.
  mutating func clip(at position: Position) -> Clip.Full? {
    guard let page = pages.page(Int(position.page)), let row = LeafCell(in: page, at: Int(position.offset)),
      let values = row.values(pages, links: &linksLeft), case .integer(let capturedAt) = values[.capturedAt],
      case .integer(let byteCount) = values[.byteCount], case .text(let bytes) = values[.text],
      byteCount == bytes.count || row.addsUp
    else { return nil }
    do {
      return Clip.Full(
        id: row.id, capturedAt: CaptureTime.plausible(capturedAt), text: try ClipText(validating: bytes))
    } catch {
      return nil
    }
  }

  private mutating func look(at number: Int) {
    guard let page = pages.page(number) else { return }
    let rows = LeafCell.offsets(in: page, isFirst: number == 1).map { ($0, LeafCell(in: page, at: $0)) }
    for (index, (offset, row)) in rows.enumerated() {
      guard let row else { continue }
      if Self.isClip(row) {
        let before = index > 0 ? rows[index - 1].1?.id : nil
        let after = index + 1 < rows.count ? rows[index + 1].1?.id : nil
        let gap = Self.gap(of: row.id, between: before, and: after)
        positions.append(Position(id: row.id, page: UInt32(number), offset: UInt16(offset), gap: gap))
      } else {
        note(row)
      }
    }
  }

  private static func gap(of id: Int64, between before: Int64?, and after: Int64?) -> UInt16 {
    guard before ?? .min < id, id < after ?? .max else { return .max }
    // The difference of damaged ids may overflow an Int64.
    let below = before.map { UInt64(bitPattern: id &- $0) } ?? .max
    let above = after.map { UInt64(bitPattern: $0 &- id) } ?? .max
    return UInt16(clamping: min(below, above))
  }

  /// Whether the row's serial types fit the table `clip`.
  ///
  /// The id is stored outside the record, which has NULL in its place.
  private static func isClip(_ row: LeafCell) -> Bool {
    let columns = Schema.ClipColumn.allCases
    guard (Schema.ClipColumn.fewest...columns.count).contains(row.types.count) else { return false }
    return zip(columns, row.types).allSatisfy { column, type in
      switch column {
      case .id: type == 0
      case .capturedAt, .byteCount: isInteger(type)
      case .preview: type == 0 || isText(type)
      case .text: isText(type)
      }
    }
  }

  private static func isInteger(_ type: Int) -> Bool { (1...6).contains(type) || type == 8 || type == 9 }

  private static func isText(_ type: Int) -> Bool { type >= 13 && type % 2 == 1 }

  /// Stores the values of a row of `sqlite_sequence` or `last_capture`; ignores other rows.
  private mutating func note(_ row: LeafCell) {
    guard row.types.count == 2 || row.types.count == 5, let values = row.localValues else { return }
    if values.count == 2, values[0] == .text(Array("clip".utf8)), case .integer(let id) = values[1],
      Self.ids.contains(id)
    {
      largestID = max(largestID, id)
    } else if values.count == 5, case .blob(let key) = values[1], key.count == 32,
      case .blob(let digest) = values[2], case .integer(let size) = values[3], size >= 0,
      case .integer(let stored) = values[4], case let time = CaptureTime.plausible(stored),
      time >= lastCapture?.capturedAt ?? .min
    {
      lastCapture = LastCapture(key: key, digest: digest, byteCount: Int(size), capturedAt: time)
    }
  }
}

extension [LeafCell.Value] {
  /// The value of a column; NULL if the row was written before the column was added.
  fileprivate subscript(column: Schema.ClipColumn) -> LeafCell.Value {
    column.rawValue < count ? self[column.rawValue] : .null
  }
}
