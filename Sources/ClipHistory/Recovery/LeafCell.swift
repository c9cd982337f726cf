/// A row in a leaf page of a table (https://sqlite.org/fileformat2.html#b_tree_pages and "Record Format" on that page).
struct LeafCell {
  enum Value { case integer(Int64), bytes([UInt8]), other }

  let id: Int64
  let offset: Int
  /// The offset of the first byte after the cell in its page.
  let end: Int
  /// The size of the record, including what is on overflow pages.
  let size: Int
  /// The serial types of the columns.
  let types: [Int]
  /// The offset of the first byte after the size, where the id is stored.
  let idOffset: Int
  /// The part of the record that is on this page.
  let local: ArraySlice<UInt8>
  private let recordHeaderSize: Int

  /// Parses the cell at `offset`; returns nil if it is invalid or its size does not match its columns.
  init?(in page: [UInt8], at offset: Int) {
    var cell = Cursor(bytes: page[...], position: offset)
    guard let size = cell.number(), size > 0, size <= 1 << 31 else { return nil }
    idOffset = cell.position
    guard let id = cell.number() else { return nil }
    (self.id, self.offset, self.size) = (id, offset, Int(size))
    let localSize = Self.localSize(of: Int(size), usable: page.count)
    guard let local = cell.bytes(localSize), localSize == Int(size) || cell.bytes(4) != nil else {
      return nil
    }
    (self.local, end) = (local, cell.position)
    var record = Cursor(bytes: local, position: local.startIndex)
    guard let headerSize = record.number(), (1...Int64(localSize)).contains(headerSize) else { return nil }
    recordHeaderSize = Int(headerSize)
    var types: [Int] = []
    while record.position < local.startIndex + recordHeaderSize {
      guard let type = record.number(), type >= 0, type <= 1 << 32 else { return nil }
      types.append(Int(type))
    }
    self.types = types
    guard recordHeaderSize + types.reduce(0, { $0 + Self.size(ofType: $1) }) == self.size else { return nil }
  }

  /// Whether the row's serial types fit the table `clip`; it may have more columns, which another program has added.
  ///
  /// The id is stored outside the record, which has NULL in its place.
  var isClip: Bool {
    let columns = Schema.ClipColumn.allCases
    guard types.count >= Schema.ClipColumn.fewest else { return false }
    return zip(columns, types).allSatisfy { column, type in
      switch column {
      case .id: type == 0
      case .capturedAt, .byteCount: (1...6).contains(type) || type == 8 || type == 9
      case .preview: type == 0 || Self.isText(type)
      case .text: Self.isText(type)
      }
    }
  }

  /// Whether a clip's text is valid; true if it cannot be said because a part is on overflow pages.
  func hasValidText(_ layout: PageLayout) -> Bool {
    guard layout.encoding == 1, let values = localValues else { return true }
    guard case .bytes(let text) = values[Schema.ClipColumn.text.rawValue] else { return false }
    return ClipText(text) != nil
  }

  /// The row's values, if the row has no overflow pages.
  var localValues: [Value]? {
    guard local.count == size else { return nil }
    var body = Cursor(bytes: local, position: local.startIndex + recordHeaderSize)
    return types.map { body.value($0) }
  }

  private static func isText(_ type: Int) -> Bool { type >= 13 && type % 2 == 1 }

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

/// The readable rows of a leaf page.
struct LeafPage {
  private(set) var clips: [LeafCell] = []
  /// The rows of other tables.
  private(set) var others: [LeafCell] = []
  /// Whether a row is unreadable.
  private(set) var isIncomplete = false

  /// - Parameter overflowLeft: how many bytes rows may still claim on overflow pages.
  init(_ page: [UInt8], _ layout: PageLayout, overflowLeft: inout Int) {
    guard page[0] == 0x0d else { return }
    let start = 8 + 2 * page.uint16(at: 3)
    guard start <= page.count else {
      isIncomplete = true
      return
    }
    for pointer in stride(from: 8, to: start, by: 2) {
      let offset = page.uint16(at: pointer)
      guard offset >= start, let cell = LeafCell(in: page, at: offset),
        cell.size - cell.local.count <= overflowLeft, !cell.isClip || cell.hasValidText(layout)
      else {
        isIncomplete = true
        continue
      }
      if cell.isClip {
        overflowLeft -= cell.size - cell.local.count
        clips.append(cell)
      } else {
        others.append(cell)
      }
    }
  }

  init(_ page: [UInt8], _ layout: PageLayout) {
    var limit = Int.max
    self.init(page, layout, overflowLeft: &limit)
  }
}

/// Reads the file format's numbers and values in sequence; returns nil at the end of the bytes.
private struct Cursor {
  let bytes: ArraySlice<UInt8>
  var position: Int

  /// Reads a varint: one to nine bytes, of which all but the ninth contribute seven bits.
  mutating func number() -> Int64? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard position < bytes.endIndex else { return nil }
      let byte = bytes[position]
      position += 1
      if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { break }
    }
    return Int64(bitPattern: value)
  }

  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= bytes.endIndex - position else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }

  mutating func value(_ type: Int) -> LeafCell.Value {
    guard let bytes = bytes(LeafCell.size(ofType: type)) else { return .other }
    return switch type {
    case 1...6:
      .integer(
        bytes.dropFirst().reduce(Int64(Int8(bitPattern: bytes[bytes.startIndex]))) { $0 << 8 | Int64($1) })
    case 8, 9: .integer(Int64(type - 8))
    case 12...: .bytes(Array(bytes))
    default: .other
    }
  }
}
