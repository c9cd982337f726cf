/// The readable rows of a damaged history, in the order of their ids.
///
/// Finds them by examining every page, whether or not other pages refer to it. Unused pages hold no rows, because
/// `secure_delete` has overwritten them. `SalvagedFile` shows the rows to SQLite as a table.
public struct SalvagedRows: Sendable {
  struct Row: Sendable {
    var id: Int64
    let page: UInt32
    let offset: UInt16
    /// The logarithm of the distance between this id and those of the row's neighbours on the page.
    let distance: UInt8
    /// Whether the row has an impossible id in the file, or another row's id.
    var isRenumbered = false
  }

  /// What the damaged history stored about the last captured text.
  struct LastCapture: Sendable {
    let key: [UInt8]
    let digest: [UInt8]
    let byteCount: Int
    let capturedAt: Int64
  }

  private static let ids = 1...Schema.largestID

  /// Ascending by id.
  private(set) var rows: [Row] = []
  private(set) var lastCapture: LastCapture?
  /// The largest id ever assigned, as far as that is known.
  private(set) var largestID: Int64 = 0
  /// Whether a row, or a page that other pages refer to, is unreadable.
  private(set) var isIncomplete = false

  /// Examines every page.
  init(_ file: DatabasePages) {
    // Each overflow page belongs to one row. Without a limit, every damaged row could lead through the whole file.
    var overflowLeft = 2 * file.count * file.layout.pageSize
    for number in file.numbers {
      guard let page = file.page(number) else { continue }
      findUnreadableChildren(of: page, in: file)
      let leaf = LeafPage(page, file.layout, overflowLeft: &overflowLeft)
      if leaf.isIncomplete { isIncomplete = true }
      leaf.others.forEach { readMetadata($0) }
      for (index, cell) in leaf.clips.enumerated() {
        let distance = Self.distance(of: cell.id, at: index, among: leaf.clips)
        rows.append(
          Row(id: cell.id, page: UInt32(number), offset: UInt16(cell.offset), distance: distance))
      }
    }
    rows.sort { ($0.id, $0.distance, $0.page) < ($1.id, $1.distance, $1.page) }
    renumber(in: file)
  }

  private static func distance(of id: Int64, at index: Int, among clips: [LeafCell]) -> UInt8 {
    // The id of a row that is alone on its page may be right or not.
    guard clips.count > 1 else { return 4 }
    let before = index > 0 ? (id &- clips[index - 1].id).magnitude : 0
    let after = index + 1 < clips.count ? (clips[index + 1].id &- id).magnitude : 0
    return UInt8(UInt64.bitWidth - max(before, after).leadingZeroBitCount)
  }

  /// Gives the rows with impossible ids, and all but one of those that share an id, new ids above all others; removes
  /// copies of rows.
  ///
  /// If two rows share an id, the row whose neighbours' ids are closer keeps it.
  private mutating func renumber(in file: DatabasePages) {
    var renumbered: [Row] = []
    var first: Row?
    rows.removeAll { row in
      if let first, first.id == row.id {
        if file.cell(first.page, first.offset) == file.cell(row.page, row.offset) { return true }
      } else {
        first = row
        if Self.ids.contains(row.id) { return false }
      }
      renumbered.append(row)
      return true
    }
    largestID = max(largestID, rows.last?.id ?? 0)
    for var row in renumbered {
      largestID += 1
      (row.id, row.isRenumbered) = (largestID, true)
      rows.append(row)
    }
  }

  /// Stores the values of a row of `sqlite_sequence` or `last_capture`; ignores other rows.
  private mutating func readMetadata(_ row: LeafCell) {
    guard let values = row.localValues else { return }
    if values.count == 2, case .bytes(let name) = values[0], name.filter({ $0 != 0 }) == Array("clip".utf8),
      case .integer(let id) = values[1], Self.ids.contains(id)
    {
      largestID = max(largestID, id)
    } else if values.count == 5, case .bytes(let key) = values[1], key.count == 32,
      case .bytes(let digest) = values[2], case .integer(let size) = values[3], size >= 0,
      case .integer(let stored) = values[4], case let time = CaptureTime.plausible(stored),
      time >= lastCapture?.capturedAt ?? .min
    {
      lastCapture = LastCapture(key: key, digest: digest, byteCount: Int(size), capturedAt: time)
    }
  }

  /// Only the table of clips is large enough to have interior pages.
  private mutating func findUnreadableChildren(of page: [UInt8], in file: DatabasePages) {
    guard !isIncomplete, page[0] == 0x05, case let start = 12 + 2 * page.uint16(at: 3), start <= page.count
    else { return }
    let cells = stride(from: 12, to: start, by: 2).map { page.uint16(at: $0) }
    // With auto-vacuum, a pointer map may begin like an interior page.
    guard cells.allSatisfy({ (start...page.count - 4).contains($0) }) else { return }
    isIncomplete = ([8] + cells).contains { ![0x05, 0x0d].contains(file.page(page.uint32(at: $0))?.first) }
  }
}
