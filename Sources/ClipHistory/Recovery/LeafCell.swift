/// A row in a leaf page of a table (https://sqlite.org/fileformat2.html#b_tree_pages and "Record Format" on that page).
struct LeafCell {
  enum Value: Equatable {
    case null, integer(Int64), text([UInt8]), blob([UInt8]), other
  }

  let id: Int64
  /// The serial types of the columns.
  let types: [Int]
  /// The offset of the first byte after the cell in its page.
  let end: Int

  private let size: Int
  private let recordHeaderSize: Int
  private let local: [UInt8]
  private let overflow: Int

  /// Returns the offsets of a leaf page's cells; an empty array for other pages.
  static func offsets(in page: [UInt8], isFirst: Bool) -> [Int] {
    let header = isFirst ? 100 : 0
    guard page[header] == 0x0d else { return [] }
    let count = page.uint16(at: header + 3)
    guard header + 8 + 2 * count <= page.count else { return [] }
    return (0..<count).map { page.uint16(at: header + 8 + 2 * $0) }
  }

  /// Parses the cell at `offset`; returns nil if it is invalid.
  init?(in page: [UInt8], at offset: Int) {
    var cell = Cursor(bytes: page, position: offset)
    guard let size = cell.number(), let id = cell.number(), size > 0, size <= 1 << 31 else { return nil }
    self.size = Int(size)
    self.id = id
    let localSize = Self.localSize(of: self.size, usable: page.count)
    guard let local = cell.bytes(localSize) else { return nil }
    self.local = local
    if localSize < self.size {
      guard let link = cell.bytes(4) else { return nil }
      overflow = link.uint32(at: 0)
    } else {
      overflow = 0
    }
    end = cell.position
    var record = Cursor(bytes: local, position: 0)
    guard let headerSize = record.number(), (1...Int64(localSize)).contains(headerSize) else { return nil }
    recordHeaderSize = Int(headerSize)
    var types: [Int] = []
    while record.position < recordHeaderSize {
      guard let type = record.number(), type >= 0, type <= 1 << 32 else { return nil }
      types.append(Int(type))
    }
    self.types = types
  }

  /// Whether the row's size is the sum of the sizes of its header and its columns.
  var addsUp: Bool {
    size == recordHeaderSize + Self.size(ofTypes: types[...])
  }

  /// Whether the row has no overflow pages, however many bytes at the end of `page` are reserved.
  func isSurelyLocal(in page: [UInt8]) -> Bool { size <= page.count - 255 - 35 }

  /// The row's values, if the row has no overflow pages.
  var localValues: [Value]? { local.count == size ? values(of: types[...], in: local) : nil }

  /// Returns the row's values, including those on overflow pages; nil if an overflow page is missing.
  ///
  /// - Parameters:
  ///   - limit: how many columns to return; overflow pages behind them are not read.
  ///   - links: how many overflow pages may still be followed; decreases with each page that is followed.
  func values(first limit: Int = .max, _ pages: DatabasePages, links: inout Int) -> [Value]? {
    let types = types.prefix(limit)
    let needed = limit < self.types.count ? recordHeaderSize + Self.size(ofTypes: types) : size
    // A damaged row may claim any size.
    guard needed <= size, size <= pages.count * pages.layout.pageSize else { return nil }
    var payload = local
    payload.reserveCapacity(needed)
    var next = overflow
    while payload.count < needed {
      guard links > 0, let page = pages.page(next) else { return nil }
      links -= 1
      payload += page[4..<min(page.count, 4 + size - payload.count)]
      next = page.uint32(at: 0)
    }
    return values(of: types, in: payload)
  }

  private func values(of types: ArraySlice<Int>, in payload: [UInt8]) -> [Value]? {
    var body = Cursor(bytes: payload, position: recordHeaderSize)
    var values: [Value] = []
    for type in types {
      guard let value = body.value(type) else { return nil }
      values.append(value)
    }
    return values
  }

  private static func size(ofTypes types: ArraySlice<Int>) -> Int {
    types.reduce(0) { $0 + Self.size(ofType: $1) }
  }

  fileprivate static func size(ofType type: Int) -> Int {
    switch type {
    case 1...6: [1, 2, 3, 4, 6, 8][type - 1]
    case 7: 8
    case 12...: (type - 12) / 2
    default: 0
    }
  }

  /// How many bytes of a row are on its own page.
  private static func localSize(of size: Int, usable: Int) -> Int {
    guard size > usable - 35 else { return size }
    let least = (usable - 12) * 32 / 255 - 23
    let most = least + (size - least) % (usable - 4)
    return most <= usable - 35 ? most : least
  }
}

extension LeafCell {
  /// Whether the row's serial types fit the table `clip`.
  ///
  /// The id is stored outside the record, which has NULL in its place.
  var isClip: Bool {
    let columns = Schema.ClipColumn.allCases
    // A row may have values for columns that another program has added.
    guard types.count >= Schema.ClipColumn.fewest else { return false }
    return zip(columns, types).allSatisfy { column, type in
      switch column {
      case .id: type == 0
      case .capturedAt, .byteCount: Self.isInteger(type)
      case .preview: type == 0 || Self.isText(type)
      case .text: Self.isText(type)
      }
    }
  }

  private static func isInteger(_ type: Int) -> Bool { (1...6).contains(type) || type == 8 || type == 9 }

  private static func isText(_ type: Int) -> Bool { type >= 13 && type % 2 == 1 }

  /// The encodings in which the row is a clip whose stored size matches its text, or the row of `sqlite_sequence`.
  var possibleEncodings: [PageLayout.Encoding] {
    guard types.count == 2 || isClip, let values = localValues else { return [] }
    return PageLayout.Encoding.allCases.filter { encoding in
      if types.count == 2 { return values[0].text(in: encoding) == Array("clip".utf8) }
      guard let text = values[.text].text(in: encoding) else { return false }
      return values[.byteCount] == .integer(Int64(text.count))
    }
  }
}

extension LeafCell.Value {
  /// The text in UTF-8; nil if this is not a text.
  func text(in encoding: PageLayout.Encoding) -> [UInt8]? {
    if case .text(let bytes) = self { encoding.utf8(bytes) } else { nil }
  }
}

extension [LeafCell.Value] {
  /// The value of a column; NULL if the row was written before the column was added, or the column was not read.
  subscript(column: Schema.ClipColumn) -> LeafCell.Value {
    column.rawValue < count ? self[column.rawValue] : .null
  }
}

/// Reads the file format's numbers and values in sequence; returns nil at the end of the bytes.
private struct Cursor {
  let bytes: [UInt8]
  var position: Int

  /// Reads a varint: one to nine bytes, of which all but the ninth contribute seven bits.
  mutating func number() -> Int64? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { break }
    }
    return Int64(bitPattern: value)
  }

  mutating func bytes(_ count: Int) -> [UInt8]? {
    guard count >= 0, count <= bytes.count - position else { return nil }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  mutating func value(_ type: Int) -> LeafCell.Value? {
    switch type {
    case 0: return .null
    case 1...6: return bytes(LeafCell.size(ofType: type)).map { .integer(Self.integer($0)) }
    case 7: return bytes(LeafCell.size(ofType: type)).map { _ in .other }
    case 8, 9: return .integer(Int64(type - 8))
    case 10, 11: return nil
    case let type where type % 2 == 1: return bytes(LeafCell.size(ofType: type)).map { .text($0) }
    default: return bytes(LeafCell.size(ofType: type)).map { .blob($0) }
    }
  }

  private static func integer(_ bytes: [UInt8]) -> Int64 {
    bytes.dropFirst().reduce(Int64(Int8(bitPattern: bytes[0]))) { $0 << 8 | Int64($1) }
  }
}

/// An interior page of a table, which divides the rows among its children by their ids.
struct InteriorPage {
  /// The numbers of the child pages, each with the largest id below it; nil for the last child.
  let children: [(page: Int, largestID: Int64?)]

  /// Returns nil if the page is not a valid interior page.
  init?(_ page: [UInt8]) {
    guard page[0] == 0x05, case let count = page.uint16(at: 3), count > 0, 12 + 2 * count <= page.count else {
      return nil
    }
    var children: [(page: Int, largestID: Int64?)] = []
    for index in 0..<count {
      var cell = Cursor(bytes: page, position: page.uint16(at: 12 + 2 * index))
      guard let child = cell.bytes(4), let id = cell.number(), id > children.last?.largestID ?? .min else {
        return nil
      }
      children.append((child.uint32(at: 0), id))
    }
    self.children = children + [(page.uint32(at: 8), nil)]
  }
}
