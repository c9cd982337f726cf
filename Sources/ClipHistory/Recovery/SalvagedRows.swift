import CSQLite

/// Where the readable rows of a damaged history are, in the order of their ids.
///
/// Finds them by examining every page, whether or not other pages refer to it. Unused pages hold no rows, because
/// `secure_delete` has overwritten them. `SalvagedFile` shows the rows to SQLite as a table.
public struct SalvagedRows: Sendable {
  /// A leaf page of the table that SQLite sees: a page of the file, or a single row with the id `lastID`.
  struct Leaf: Sendable {
    let page: UInt32
    /// The offset of the single row; 0 for all rows that are in order.
    let offset: UInt16
    let lastID: Int64
  }

  /// What the damaged history stored about the last captured text.
  struct LastCapture: Sendable {
    let key: [UInt8]
    let digest: [UInt8]
    let byteCount: Int
    let capturedAt: Int64
  }

  static let ids = 1...Schema.largestID

  /// Ascending by `lastID`.
  private(set) var leaves: [Leaf] = []
  private(set) var rowCount = 0
  private(set) var lastCapture: LastCapture?
  /// The largest id ever assigned, as far as that is known.
  private(set) var largestID: Int64 = 0
  /// Whether a row, or a page that other pages refer to, is unreadable.
  private(set) var isIncomplete = false

  /// A row whose id is not in the order of its page, or whose page overlaps with another page.
  private struct LooseRow {
    let id: Int64
    let page: UInt32
    let offset: UInt16
  }

  private struct Page {
    let number: UInt32
    let ids: ClosedRange<Int64>
    let rowCount: Int
  }

  /// Examines every page.
  init(_ file: DatabasePages) {
    var pages: [Page] = []
    var loose: [LooseRow] = []
    // Each overflow page belongs to one row. Without a limit, every damaged row could lead through the whole file.
    var overflowLeft = 2 * file.count * file.layout.pageSize
    for number in file.numbers {
      guard let page = file.page(number) else { continue }
      if !file.isPointerMap(number) { findUnreadableChildren(of: page, in: file) }
      let rows = LeafPage(page, file.layout, overflowLeft: &overflowLeft)
      if rows.isIncomplete { isIncomplete = true }
      rows.others.forEach { readMetadata($0) }
      let (ordered, misplaced) = rows.split()
      loose += misplaced.map { LooseRow(id: $0.id, page: UInt32(number), offset: UInt16($0.offset)) }
      guard let first = ordered.first, let last = ordered.last else { continue }
      pages.append(Page(number: UInt32(number), ids: first.id...last.id, rowCount: ordered.count))
    }
    pages.sort { ($0.ids.lowerBound, $0.ids.upperBound) < ($1.ids.lowerBound, $1.ids.upperBound) }
    var kept: [Page] = []
    for page in pages {
      // Of two pages that overlap, a damaged id has enlarged the one that begins first, or SQLite has moved its rows.
      while let last = kept.last, last.ids.upperBound >= page.ids.lowerBound {
        kept.removeLast()
        loose += Self.rows(of: last, in: file)
      }
      kept.append(page)
    }
    add(kept, loose, of: file)
  }

  /// Merges the pages with the loose rows: a row keeps its id if no page and no other row has it, and gets a new id
  /// above all others if not.
  private mutating func add(_ pages: [Page], _ loose: [LooseRow], of file: DatabasePages) {
    leaves = pages.map { Leaf(page: $0.number, offset: 0, lastID: $0.ids.upperBound) }
    rowCount = pages.reduce(0) { $0 + $1.rowCount }
    largestID = (pages.map(\.ids.upperBound) + loose.map(\.id)).reduce(largestID) {
      Self.ids.contains($1) ? max($0, $1) : $0
    }
    guard !loose.isEmpty else { return }
    var single: [Leaf] = []
    var taken: [Int64: [LooseRow]] = [:]
    var renumbered: [LooseRow] = []
    for row in loose.sorted(by: { $0.id < $1.id }) {
      let index = leaves.partition { $0.lastID < row.id }
      let page = index < pages.count && pages[index].ids.contains(row.id) ? pages[index] : nil
      let rivals =
        page.map { Self.rows(of: $0, in: file).filter { $0.id == row.id } } ?? taken[row.id] ?? []
      if rivals.contains(where: { file.cell($0.page, $0.offset) == file.cell(row.page, row.offset) }) {
        continue
      }
      taken[row.id, default: []].append(row)
      if page == nil, rivals.isEmpty, Self.ids.contains(row.id) {
        single.append(Leaf(page: row.page, offset: row.offset, lastID: row.id))
      } else {
        renumbered.append(row)
      }
    }
    for row in renumbered {
      largestID += 1
      single.append(Leaf(page: row.page, offset: row.offset, lastID: largestID))
    }
    rowCount += single.count
    leaves = (leaves + single).sorted { $0.lastID < $1.lastID }
  }

  private static func rows(of page: Page, in file: DatabasePages) -> [LooseRow] {
    guard let bytes = file.page(Int(page.number)) else { return [] }
    return LeafPage(bytes, file.layout).split().ordered.map {
      LooseRow(id: $0.id, page: page.number, offset: UInt16($0.offset))
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
    guard !isIncomplete, page[0] == 0x05, case let count = page.uint16(at: 3), 12 + 2 * count <= page.count
    else { return }
    let offsets = [8] + (0..<count).map { page.uint16(at: 12 + 2 * $0) }
    isIncomplete = offsets.contains { offset in
      guard offset + 4 <= page.count else { return true }
      return ![0x05, 0x0d].contains(file.page(page.uint32(at: offset))?.first)
    }
  }
}

extension Array {
  /// The first index of a sorted array whose element does not satisfy `isBefore`.
  func partition(where isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
