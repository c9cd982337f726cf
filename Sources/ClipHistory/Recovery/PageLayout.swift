/// How a database file is divided into pages, and how it encodes texts.
///
/// Another program can change the layout of a file, for example with VACUUM; SQLite reads and writes it as before.
struct PageLayout: Equatable, Sendable {
  /// The layout of the histories that CopyPasta creates.
  static let ours = PageLayout(pageSize: 4096, reserved: 0, encoding: 1, isAutoVacuum: false)

  static let pageSizes = (9...16).map { 1 << $0 }

  let pageSize: Int
  /// How many bytes at the end of each page SQLite does not use.
  let reserved: Int
  /// 1 for UTF-8, 2 for little-endian and 3 for big-endian UTF-16.
  let encoding: Int
  let isAutoVacuum: Bool

  var usable: Int { pageSize - reserved }
}

extension PageLayout {
  /// Reads the layout from the first 100 bytes of a file; nil if they are not a valid header.
  init?(header: [UInt8]) {
    guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else { return nil }
    let size = header.uint16(at: 16)
    self.init(
      pageSize: size == 1 ? 1 << 16 : size, reserved: Int(header[20]), encoding: header.uint32(at: 56),
      isAutoVacuum: header.uint32(at: 52) > 0)
    guard Self.pageSizes.contains(pageSize), usable >= 480, (1...3).contains(encoding) else { return nil }
  }

  /// The layout that a file's header states; nil if the header is damaged.
  init?(of file: RawFile?) {
    guard let header = file?.bytes(at: 0, count: 100) else { return nil }
    self.init(header: header)
  }

  /// The layout that the header states, or ours if more rows at the start of the file fit to it.
  init(of files: RawFiles) {
    let stated = PageLayout(of: files.database) ?? .ours
    self = stated == .ours || Self.soundRows(files, .ours) <= Self.soundRows(files, stated) ? stated : .ours
  }

  /// Returns how many of the first rows have a text of the stored size.
  private static func soundRows(_ files: RawFiles, _ layout: PageLayout) -> Int {
    let pages = DatabasePages(files, layout: layout)
    return pages.numbers.prefix((2 << 20) / layout.pageSize).reduce(0) { sum, number in
      guard let page = pages.page(number) else { return sum }
      return LeafPage(page, layout).clips.reduce(sum) { sum, cell in
        guard let values = cell.localValues,
          case .integer(let size) = values[Schema.ClipColumn.byteCount.rawValue],
          case .bytes(let text) = values[Schema.ClipColumn.text.rawValue]
        else { return sum }
        return Int(size) == layout.utf8Count(of: text) ? sum + 1 : sum
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
