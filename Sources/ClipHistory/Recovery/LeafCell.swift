/// A row in a leaf page of a table (https://sqlite.org/fileformat2.html#b_tree_pages and "Record Format" on that page).
struct LeafCell {
  enum Value: Equatable {
    case null, integer(Int64), text([UInt8]), blob([UInt8]), other
  }

  let id: Int64
  /// The serial types of the columns.
  let types: [Int]

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
    size == recordHeaderSize + types.reduce(0) { $0 + Self.size(ofType: $1) }
  }

  /// The row's values, if the row has no overflow pages.
  var localValues: [Value]? { local.count == size ? values(in: local) : nil }

  /// Returns the row's values, including those on overflow pages; nil if an overflow page is missing.
  ///
  /// - Parameter links: how many overflow pages may still be followed; decreases with each page that is followed.
  func values(_ pages: DatabasePages, links: inout Int) -> [Value]? {
    // A damaged row may claim any size.
    guard size <= pages.count * DatabasePages.pageSize else { return nil }
    var payload = local
    payload.reserveCapacity(size)
    var next = overflow
    while payload.count < size {
      guard links > 0, let page = pages.page(next) else { return nil }
      links -= 1
      payload += page[4..<min(page.count, 4 + size - payload.count)]
      next = page.uint32(at: 0)
    }
    return values(in: payload)
  }

  private func values(in payload: [UInt8]) -> [Value]? {
    var body = Cursor(bytes: payload, position: recordHeaderSize)
    var values: [Value] = []
    for type in types {
      guard let value = body.value(type) else { return nil }
      values.append(value)
    }
    return values
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
