/// How a database file is divided into pages, and how it encodes texts.
///
/// Another program can change the layout of a file, for example with VACUUM; SQLite reads and writes it as before.
struct PageLayout: Equatable, Sendable {
  /// The layout of the histories that CopyPasta creates.
  static let ours = PageLayout(pageSize: 4096, reserved: 0, encoding: 1)

  static let pageSizes = (9...16).map { 1 << $0 }

  let pageSize: Int
  /// How many bytes at the end of each page SQLite does not use.
  let reserved: Int
  /// 1 for UTF-8, 2 for little-endian and 3 for big-endian UTF-16.
  let encoding: Int

  var usable: Int { pageSize - reserved }
}

extension PageLayout {
  /// The layout that a file's header states; nil if the header is damaged.
  init?(of file: RawFile?) {
    guard let header = file?.bytes(at: 0, count: 100), header.starts(with: Array("SQLite format 3\0".utf8))
    else { return nil }
    let size = header.uint16(at: 16)
    self.init(
      pageSize: size == 1 ? 1 << 16 : size, reserved: Int(header[20]), encoding: header.uint32(at: 56))
    // SQLite requires 480 usable bytes.
    guard Self.pageSizes.contains(pageSize), usable >= 480, (1...3).contains(encoding) else { return nil }
  }

  /// The layout that the header states or, if another one fits more rows at the start of the file, that one.
  ///
  /// Tries only the changes that SQLite can make to our layout: other sizes of the pages.
  init(of files: RawFiles) {
    let stated = PageLayout(of: files.database)
    var best = stated ?? .ours
    var most = stated == .ours ? Int.max : best.soundRows(in: files)
    for pageSize in Self.pageSizes where most < .max {
      let layout = PageLayout(pageSize: pageSize, reserved: 0, encoding: 1)
      let count = layout.soundRows(in: files)
      if count > most { (best, most) = (layout, count) }
    }
    self = best
  }

  /// Returns how many rows of the first 2 MiB have a text of the stored size or, if the text is not only on its page, a
  /// possible page for the rest.
  private func soundRows(in files: RawFiles) -> Int {
    let pages = DatabasePages(files, layout: self)
    return pages.numbers.prefix((2 << 20) / pageSize).reduce(0) { sum, number in
      guard let page = pages.page(number) else { return sum }
      return sum
        + LeafPage(page, self).clips.count { cell in
          guard let values = cell.localValues else {
            return (2...max(2, pages.last)).contains(page.uint32(at: cell.end - 4))
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
