/// How a database file is divided into pages, and how it encodes texts.
///
/// CopyPasta creates every history with the layout `ours`. Another program can change the layout of a file, for example
/// with VACUUM. SQLite then reads it as before; the layout matters only to code that reads pages itself.
struct PageLayout: Equatable {
  enum Encoding: Int, CaseIterable {
    case utf8 = 1
    case utf16LittleEndian, utf16BigEndian

    /// Converts a stored text to UTF-8; nil if it is not valid UTF-16.
    func utf8(_ bytes: [UInt8]) -> [UInt8]? {
      guard self != .utf8 else { return bytes }
      guard bytes.count % 2 == 0 else { return nil }
      let units = stride(from: 0, to: bytes.count, by: 2).map { index in
        let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
        return self == .utf16BigEndian ? first << 8 | second : second << 8 | first
      }
      return String(validating: units, as: UTF16.self).map { Array($0.utf8) }
    }
  }

  static let ours = PageLayout(pageSize: 4096, reserved: 0, encoding: .utf8)

  static let pageSizes = (9...16).map { 1 << $0 }

  let pageSize: Int
  /// How many bytes at the end of each page SQLite does not use.
  let reserved: Int
  let encoding: Encoding

  init(pageSize: Int, reserved: Int, encoding: Encoding) {
    self.pageSize = pageSize
    self.reserved = reserved
    self.encoding = encoding
  }

  /// Reads the layout from the first 100 bytes of a file; nil if they are not a valid header.
  init?(header: [UInt8]) {
    guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else { return nil }
    let size = header.uint16(at: 16)
    pageSize = size == 1 ? 1 << 16 : size
    reserved = Int(header[20])
    guard Self.pageSizes.contains(pageSize), pageSize - reserved >= 480,
      let encoding = Encoding(rawValue: header.uint32(at: 56))
    else { return nil }
    self.encoding = encoding
  }

  /// The layout that a file's header states; nil if the header is damaged.
  init?(of file: RawFile?) {
    guard let header = file?.bytes(at: 0, count: 100) else { return nil }
    self.init(header: header)
  }
}

extension PageLayout {
  /// How much of a file to examine: enough for several hundred rows.
  private static let sample = 2 << 20

  /// Determines the layout from the rows themselves, because the header may be damaged.
  ///
  /// With a wrong page size, few pages begin where a page is expected, so the right size finds the most rows. What the
  /// rows do not show is taken from the header.
  init(of files: RawFiles) {
    let stated = PageLayout(of: files.database)
    var best = Evidence()
    var pageSize = stated?.pageSize ?? Self.ours.pageSize
    for size in [pageSize] + Self.pageSizes.filter({ $0 != pageSize }) {
      let layout = PageLayout(pageSize: size, reserved: 0, encoding: .utf8)
      let evidence = Evidence(DatabasePages(files, layout: layout), upTo: Self.sample / size)
      if evidence.rowCount > best.rowCount { (best, pageSize) = (evidence, size) }
    }
    self.init(
      pageSize: pageSize, reserved: best.reserved.winner(preferring: stated?.reserved ?? 0),
      encoding: best.encodings.winner(preferring: stated?.encoding ?? .utf8))
  }

  /// What the rows of a file indicate about its layout, if it has a certain page size.
  private struct Evidence {
    var rowCount = 0
    var reserved: [Int: Int] = [:]
    var encodings: [Encoding: Int] = [:]

    init() {}

    init(_ pages: DatabasePages, upTo limit: Int) {
      let numbers = Array((0..<min(limit, pages.fileCount)).map { $0 + 1 }) + pages.logOnly.prefix(limit)
      for number in numbers {
        guard let page = pages.page(number) else { continue }
        let cells = LeafCell.offsets(in: page, isFirst: number == 1).compactMap { LeafCell(in: page, at: $0) }
        // SQLite fills a page from its end, so the bytes after the last cell are the reserved ones. Ignore cells with
        // overflow pages, because their size on the page depends on the layout.
        let unused = page.count - (cells.compactMap { $0.isSurelyLocal(in: page) ? $0.end : nil }.max() ?? 0)
        if (0...255).contains(unused) { reserved[unused, default: 0] += 1 }
        for cell in cells {
          if cell.isClip { rowCount += 1 }
          for encoding in cell.possibleEncodings { encodings[encoding, default: 0] += 1 }
        }
      }
    }
  }
}

extension Dictionary where Value == Int {
  /// The key with the largest value; `stated` if no other key has a larger one.
  fileprivate func winner(preferring stated: Key) -> Key {
    var winner = stated
    for (key, value) in self where value > self[winner, default: 0] { winner = key }
    return winner
  }
}
