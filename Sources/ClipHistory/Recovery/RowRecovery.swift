/// The readable rest of a damaged history: every page is looked at by itself, whatever led to it before.
///
/// Pages that are no longer in use hold no rows, as `secure_delete` has overwritten them.
struct RowRecovery {
  /// Where a row of `clip` lies.
  struct Position {
    let id: Int64
    let page: UInt32
    let offset: UInt16
    /// How far the row's id is from that of the nearer neighbour in the page; the largest number if the id does not
    /// lie between those of its neighbours.
    let gap: UInt16
  }

  /// The damaged history's knowledge of the last captured text.
  struct LastCapture {
    let key: [UInt8]
    let digest: [UInt8]
    let byteCount: Int
    let capturedAt: Int64
  }

  /// The ids that are believed.
  static let ids = 1...Schema.largestID

  let pages: DatabasePages
  /// The rows, ascending by id; rows whose ids are not believed come last.
  ///
  /// An id may be there twice: of a row that SQLite was just moving, or of two rows, one of which has it by damage. The
  /// row whose id is nearer to its neighbours' comes first.
  private(set) var positions: [Position] = []
  private(set) var lastCapture: LastCapture?
  /// The largest id that was given out, as far as that is known.
  private(set) var largestID: Int64 = 0

  /// How many overflow pages, which hold the rest of large texts, may still be followed.
  ///
  /// Each page belongs to one row, so twice the number of pages is enough. Without a limit every damaged row could lead
  /// through the whole file.
  private var linksLeft: Int

  /// Looks at every page.
  ///
  /// - Throws: `.folderUnusable` if a file is there, and may not be read.
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
    // A row that gets a new id must not get that of a row that is carried over later.
    largestID = positions.reduce(largestID) { Self.ids.contains($1.id) ? max($0, $1.id) : $0 }
  }

  /// The clip at a position; nil if it is not whole, or not what can have been recorded.
  ///
  /// The size is in the row three times, once for the text and twice with the other columns; two have to agree. Nothing
  /// tells whether the time is right.
  mutating func clip(at position: Position) -> Clip.Whole? {
    guard let page = pages.page(Int(position.page)), let row = LeafCell(in: page, at: Int(position.offset)),
      let values = row.values(pages, links: &linksLeft), case .integer(let capturedAt) = values[.capturedAt],
      case .integer(let byteCount) = values[.byteCount], case .text(let bytes) = values[.text],
      byteCount == bytes.count || row.addsUp
    else { return nil }
    do {
      return Clip.Whole(
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
    // Damaged ids may be further apart than an Int64 can say.
    let below = before.map { UInt64(bitPattern: id &- $0) } ?? .max
    let above = after.map { UInt64(bitPattern: $0 &- id) } ?? .max
    return UInt16(clamping: min(below, above))
  }

  /// Whether a row is of `clip`, by the types of its columns: the id lies beside the record, which has NULL for it.
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

  /// Keeps what the two small tables hold.
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
  /// The value of a column; NULL in a row that is older than the column.
  fileprivate subscript(column: Schema.ClipColumn) -> LeafCell.Value {
    column.rawValue < count ? self[column.rawValue] : .null
  }
}
