/// How a database file is divided into pages, and how it encodes texts.
///
/// Another program can change the layout of a file, for example with VACUUM; SQLite reads and writes it as before.
struct PageLayout: Equatable, Sendable {
  /// The layout of the histories that CopyPasta creates.
  static let ours = PageLayout(pageSize: 4096, reserved: 0, encoding: 1)

  static let pageSizes = (9...16).map { 1 << $0 }

  private static let leastUsable = 480

  let pageSize: Int
  /// How many bytes at the end of each page SQLite does not use.
  let reserved: Int
  /// 1 for UTF-8, 2 for little-endian and 3 for big-endian UTF-16.
  let encoding: Int

  var usable: Int { pageSize - reserved }
}

extension PageLayout {
  /// Reads the layout from the first 100 bytes of a file; nil if they are not a valid header.
  init?(header: [UInt8]) {
    guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else { return nil }
    let size = header.uint16(at: 16)
    self.init(
      pageSize: size == 1 ? 1 << 16 : size, reserved: Int(header[20]), encoding: header.uint32(at: 56))
    guard Self.pageSizes.contains(pageSize), usable >= Self.leastUsable, (1...3).contains(encoding) else {
      return nil
    }
  }

  /// The layout that a file's header states; nil if the header is damaged.
  init?(of file: RawFile?) {
    guard let header = file?.bytes(at: 0, count: 100) else { return nil }
    self.init(header: header)
  }

  /// The layout that the header states, or the one that fits more rows at the start of the file.
  ///
  /// Without a sound header, the size of the pages, their end and the encoding are found by trying them.
  init(of files: RawFiles) {
    let stated = PageLayout(of: files.database)
    var best = stated ?? .ours
    var most = stated == .ours ? Int.max : best.soundRows(in: Sample(of: files, best))
    for pageSize in Self.pageSizes where most < .max {
      var sample = Sample(of: files, PageLayout(pageSize: pageSize, reserved: 0, encoding: 2))
      guard let usable = sample.usable else { continue }
      sample.leaves = sample.leaves.map { Array($0[..<usable]) }
      for encoding in 1...3 {
        let layout = PageLayout(pageSize: pageSize, reserved: pageSize - usable, encoding: encoding)
        let count = layout.soundRows(in: sample)
        if count > most { (best, most) = (layout, count) }
      }
    }
    self = best
  }

  /// The leaf pages at the start of a file.
  private struct Sample {
    var leaves: [[UInt8]]
    let lastPage: Int
    /// How much of each page SQLite uses; nil if a page is not as large as in `layout`.
    let usable: Int?

    init(of files: RawFiles, _ layout: PageLayout) {
      let pages = DatabasePages(files, layout: layout)
      lastPage = pages.last
      leaves = pages.numbers.prefix((2 << 20) / layout.pageSize).compactMap { pages.page($0) }
        .filter { $0[0] == 0x0d }
      // The first row of a page is at the end of the used part. A small row has no overflow pages in any layout.
      let rows = leaves.flatMap { LeafPage($0, layout).clips.filter { $0.size < leastUsable - 35 } }
      let end = rows.map(\.end).max() ?? layout.pageSize
      usable = max(leastUsable, layout.pageSize - 255)...layout.pageSize ~= end ? end : nil
    }
  }

  /// Returns how many rows have a text of the stored size or, if the text is not only on this page, a possible page for
  /// the rest.
  private func soundRows(in sample: Sample) -> Int {
    sample.leaves.reduce(0) { sum, page in
      sum
        + LeafPage(page, self).clips.count { cell in
          guard let values = cell.localValues else {
            return (2...max(2, sample.lastPage)).contains(page.uint32(at: cell.end - 4))
          }
          guard case .integer(let size) = values[Schema.ClipColumn.byteCount.rawValue],
            case .bytes(let text) = values[Schema.ClipColumn.text.rawValue]
          else { return false }
          return Int(size) == utf8Count(of: text)
        }
    }
  }

  private func utf8Count(of text: [UInt8]) -> Int {
    guard encoding > 1 else { return text.count }
    let units = stride(from: 0, to: text.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(text[index]), UInt16(text[index + 1]))
      return encoding == 3 ? first << 8 | second : second << 8 | first
    }
    return String(decoding: units, as: UTF16.self).utf8.count
  }
}
