/// What can still be read of a damaged history: every page is looked at by itself, whatever led to it before.
///
/// Pages that are no longer in use hold no rows, as `secure_delete` has overwritten them.
struct Salvage {
  /// What was known of the last captured text.
  struct LastCapture {
    let key: [UInt8]
    let fingerprint: Fingerprint
    let capturedAt: Int64
  }

  /// Where a row of `clip` lies.
  struct Place {
    let id: Int64
    let page: Int32
    let offset: Int32
  }

  let pages: DatabasePages
  /// Ascending by id; a row that SQLite was just moving is there twice.
  private(set) var places: [Place] = []
  private(set) var lastCapture: LastCapture?
  /// The largest id that was ever given out, 0 where it is not known.
  private(set) var largestID: Int64 = 0

  /// Looks at every page.
  init(_ location: HistoryLocation) {
    pages = DatabasePages(location)
    guard pages.count > 0 else { return }
    for number in 1...pages.count {
      guard let page = pages.page(number) else { continue }
      for offset in LeafRow.offsets(in: page, isFirst: number == 1) {
        guard let row = LeafRow(in: page, at: offset) else { continue }
        if Self.isClip(row) {
          places.append(Place(id: row.id, page: Int32(clamping: number), offset: Int32(offset)))
        } else {
          note(row)
        }
      }
    }
    places.sort { $0.id < $1.id }
  }

  /// The clip at a place; nil where it is not whole, or not what can have been recorded.
  func clip(at place: Place) -> WholeClip? {
    guard let page = pages.page(Int(place.page)), let row = LeafRow(in: page, at: Int(place.offset)),
      let values = row.values(pages), case .integer(let capturedAt) = values[1],
      case .integer(let byteCount) = values[2], case .text(let bytes) = values[4], byteCount == bytes.count
    else { return nil }
    do {
      return WholeClip(id: row.id, capturedAt: capturedAt, text: try ClipText(stored: bytes))
    } catch {
      return nil
    }
  }

  /// By the types of the columns: the id lies beside the record, which holds NULL for it.
  private static func isClip(_ row: LeafRow) -> Bool {
    let types = row.types
    return types.count == 5 && types[0] == 0 && isInteger(types[1]) && isInteger(types[2])
      && (types[3] == 0 || isText(types[3])) && isText(types[4])
  }

  private static func isInteger(_ type: Int) -> Bool { (1...6).contains(type) || type == 8 || type == 9 }

  private static func isText(_ type: Int) -> Bool { type >= 13 && type % 2 == 1 }

  /// Keeps what the two small tables hold.
  private mutating func note(_ row: LeafRow) {
    guard row.types.count == 2 || row.types.count == 5, let values = row.values(pages) else { return }
    if values.count == 2, values[0] == .text(Array("clip".utf8)), case .integer(let id) = values[1] {
      largestID = max(largestID, id)
    } else if values.count == 5, case .blob(let key) = values[1], key.count == 32,
      case .blob(let digest) = values[2], case .integer(let size) = values[3],
      case .integer(let time) = values[4], time >= lastCapture?.capturedAt ?? .min
    {
      lastCapture = LastCapture(
        key: key, fingerprint: Fingerprint(digest: digest, byteCount: Int(size)), capturedAt: time)
    }
  }
}
