import CSQLite

/// A damaged history as SQLite can read it: a first page with the table `clip`, interior pages over all leaf pages with
/// readable rows, and those leaf pages without their unreadable rows.
///
/// SQLite reads it through `FileMethods`, so the same statements work as in a sound history. Pages of the file keep
/// their numbers, because rows refer to their overflow pages; the pages that are made up have numbers behind them.
final class SalvagedFile: PageSource {
  let rows: SalvagedRows
  let pages: DatabasePages
  /// The number of the first page that is made up.
  private let start: Int
  /// The index of the first row of each leaf page.
  private let leaves: [Int]
  /// How many pages each level of the tree has, beginning with the leaf pages.
  private let levels: [Int]
  private var schema: [UInt8] = []

  /// - Parameter rows: what an earlier examination of the same file has found; nil to examine every page.
  init(_ pages: DatabasePages, _ rows: SalvagedRows? = nil) throws(StoreError) {
    let rows = rows ?? SalvagedRows(pages)
    (self.pages, self.rows) = (pages, rows)
    leaves = rows.rows.indices.filter { index in
      let (row, previous) = (rows.rows[index], index > 0 ? rows.rows[index - 1] : nil)
      return row.isRenumbered || row.page != previous?.page || previous?.isRenumbered == true
    }
    // An interior page has 12 bytes of header; a cell takes at most 13 bytes, and its pointer two.
    let fanOut = (pages.layout.usable - 12) / 15
    var levels = [max(leaves.count, 1)]
    while let count = levels.last, count > 1 { levels.append((count + fanOut - 1) / fanOut) }
    self.levels = levels
    // SQLite does not use the page that contains the byte at 1 GiB, on which it takes its locks.
    let lockPage = (1 << 30) / pages.layout.pageSize + 1
    let total = levels.reduce(0, +)
    let next = pages.last + 1
    start = next <= lockPage && lockPage < next + total ? lockPage + 1 : next
    schema = try Self.schema(pages.layout, root: start + total - 1, pageCount: start + total - 1)
  }

  var count: Int { start + levels.reduce(0, +) - 1 }

  func page(_ number: Int) -> [UInt8]? {
    if number == 1 { return schema }
    guard number >= start else { return pages.page(number) }
    var index = number - start
    for (level, count) in levels.enumerated() {
      if index < count { return level == 0 ? leaf(index) : interior(level, index) }
      index -= count
    }
    return nil
  }

  // MARK: - Pages that are made up

  private func rows(ofLeaf index: Int) -> ArraySlice<SalvagedRows.Row> {
    guard index < leaves.count else { return [] }
    return rows.rows[leaves[index]..<(index + 1 < leaves.count ? leaves[index + 1] : rows.rows.count)]
  }

  private func leaf(_ index: Int) -> [UInt8] {
    let rows = rows(ofLeaf: index)
    guard let first = rows.first, var page = pages.page(Int(first.page)) else { return self.page(kind: 0x0d) }
    guard first.isRenumbered else {
      let header = self.header(kind: 0x0d, rows.map { Int($0.offset) })
      page.replaceSubrange(..<header.count, with: header)
      return page
    }
    guard let row = LeafCell(in: page, at: Int(first.offset)) else { return self.page(kind: 0x0d) }
    let cell = page[row.offset..<row.idOffset] + Self.varint(first.id) + page[row.local.startIndex..<row.end]
    return self.page(kind: 0x0d, cells: [Array(cell)])
  }

  private func interior(_ level: Int, _ index: Int) -> [UInt8] {
    let children = children(level, index)
    let first = start + levels[..<(level - 1)].reduce(0, +)
    let cells = children.dropLast().map { child in
      Self.bytes(first + child, 4) + Self.varint(rows(ofLeaf: lastLeaf(level - 1, child)).last?.id ?? 0)
    }
    return page(kind: 0x05, right: Self.bytes(first + children.upperBound - 1, 4), cells: cells)
  }

  /// Distributes the pages of a level evenly, because SQLite rejects interior pages with a single child.
  private func children(_ level: Int, _ index: Int) -> Range<Int> {
    let (count, parents) = (levels[level - 1], levels[level])
    return index * count / parents..<(index + 1) * count / parents
  }

  private func lastLeaf(_ level: Int, _ index: Int) -> Int {
    level == 0 ? index : lastLeaf(level - 1, children(level, index).upperBound - 1)
  }

  /// Returns a page whose cells are at its end.
  private func page(kind: UInt8, right: [UInt8] = [], cells: [[UInt8]] = []) -> [UInt8] {
    var end = pages.layout.usable
    let offsets = cells.map { cell in
      end -= cell.count
      return end
    }
    let header = self.header(kind: kind, right: right, offsets)
    return header + [UInt8](repeating: 0, count: end - header.count) + cells.reversed().flatMap { $0 }
  }

  /// Returns the header of a page, with the pointers to its cells.
  private func header(kind: UInt8, right: [UInt8] = [], _ offsets: [Int]) -> [UInt8] {
    let content = offsets.min() ?? pages.layout.usable
    let numbers = [offsets.count, content].flatMap { Self.bytes($0, 2) }
    let header: [UInt8] = [kind, 0, 0] + numbers + [0]
    return header + right + offsets.flatMap { Self.bytes($0, 2) }
  }

  private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Returns a number below 2^56 as a varint.
  private static func varint(_ number: Int64) -> [UInt8] {
    var bytes = [UInt8(number & 0x7f)]
    var rest = number >> 7
    while rest > 0 {
      bytes.insert(UInt8(rest & 0x7f) | 0x80, at: 0)
      rest >>= 7
    }
    return bytes
  }

  /// Lets SQLite make the first page of a database with a single table.
  private static func schema(
    _ layout: PageLayout, root: Int, pageCount: Int
  ) throws(StoreError) -> [UInt8] {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    guard sqlite3_open(":memory:", &handle) == SQLITE_OK else { throw .failed(code: SQLITE_NOMEM) }
    var reserved = Int32(layout.reserved)
    let encoding = ["UTF-8", "UTF-16le", "UTF-16be"][layout.encoding - 1]
    let settings = "PRAGMA page_size = \(layout.pageSize); PRAGMA encoding = '\(encoding)'"
    let sql = """
      CREATE TABLE clip(id INTEGER PRIMARY KEY, captured_at, byte_count, preview, text);
      PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = \(root)
      """
    var size: sqlite3_int64 = 0
    guard sqlite3_exec(handle, settings, nil, nil, nil) == SQLITE_OK,
      sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved) == SQLITE_OK,
      sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK,
      let content = sqlite3_serialize(handle, "main", &size, 0)
    else { throw .failed(code: sqlite3_extended_errcode(handle)) }
    defer { sqlite3_free(content) }
    var page = Array(UnsafeBufferPointer(start: content, count: layout.pageSize))
    // The size counts only if the change counter equals the number at 92.
    page.replaceSubrange(24..<32, with: bytes(1, 4) + bytes(pageCount, 4))
    page.replaceSubrange(92..<96, with: bytes(1, 4))
    return page
  }
}
