/// Finds the readable rows of a damaged history by examining every page, whether or not other pages refer to it.
///
/// Unused pages hold no rows, because `secure_delete` has overwritten them.
struct RowRecovery {
  struct Position {
    /// The clip's id in the recovered history.
    var id: Int64
    let page: UInt32
    let offset: UInt16
    /// The difference between the row's id and the closer id of its two neighbours in the page; `.max` if the ids are
    /// not in order.
    let gap: UInt16
  }

  /// What the damaged history stored about the last captured text.
  struct LastCapture {
    let key: [UInt8]
    let digest: [UInt8]
    let byteCount: Int
    let capturedAt: Int64
  }

  /// A page that is unreadable.
  ///
  /// According to the page that refers to it, its clips have ids above `low` and up to `high`, unless these are nil.
  private struct UnreadablePage {
    let low: Int64?
    let high: Int64?
  }

  private static let ids = 1...Schema.largestID

  let pages: DatabasePages
  /// The rows, ascending by id.
  private(set) var positions: [Position] = []
  private(set) var lastCapture: LastCapture?
  /// The largest id ever assigned, as far as that is known.
  private(set) var largestID: Int64 = 0
  /// The number of clips that are not in `positions`, because their row, or the page with their row, is unreadable; an
  /// upper bound if clips were deleted there.
  private(set) var lostCount = 0

  private var unreadablePages: [UnreadablePage] = []

  /// How many overflow pages may still be followed.
  ///
  /// Each page belongs to one row, so twice the number of pages is enough. Without a limit, every damaged row could
  /// lead through the whole file.
  private var linksLeft: Int

  /// Examines every page.
  ///
  /// - Throws: `.folderUnusable` if a file exists but is unreadable.
  init(_ location: HistoryLocation) throws(StoreError) { self.init(try RawFiles(location)) }

  /// Examines pages until `limit` rows are found.
  ///
  /// - Parameter layout: nil to determine it from the rows, which reads up to 16 MiB.
  init(_ files: RawFiles, layout: PageLayout? = nil, limit: Int = .max) {
    pages = DatabasePages(files, layout: layout ?? PageLayout(of: files))
    linksLeft = 2 * pages.count
    for number in 0..<pages.fileCount where positions.count < limit { examine(number + 1) }
    for number in pages.logOnly where positions.count < limit { examine(number) }
    // An id may occur twice, because SQLite was moving the row, or because damage changed a different row's id to this
    // one. The row whose neighbours' ids are closer comes first. Rows with impossible ids come last.
    positions.sort {
      let (first, second) = (Self.ids.contains($0.id), Self.ids.contains($1.id))
      guard first == second else { return first }
      return $0.id == $1.id ? $0.gap < $1.gap : $0.id < $1.id
    }
    // New ids must exceed the ids of all rows.
    largestID = positions.reduce(largestID) { Self.ids.contains($1.id) ? max($0, $1.id) : $0 }
    lostCount += unreadablePages.reduce(0) { $0 + clipCount(of: $1) }
    makeIDsUnique()
  }

  /// Returns the clip at a position; nil if the clip is incomplete or invalid.
  ///
  /// The text's size is stored three times: as its length, in the size column, and within the record's size. Two of
  /// them must agree. The time cannot be verified.
  mutating func clip(at position: Position) -> Clip.Full? {
    guard let row = cell(at: position), let values = row.values(pages, links: &linksLeft),
      case .integer(let capturedAt) = values[.capturedAt], case .integer(let byteCount) = values[.byteCount],
      let bytes = values[.text].text(in: pages.layout.encoding), byteCount == bytes.count || row.addsUp
    else { return nil }
    do {
      return Clip.Full(
        id: position.id, capturedAt: CaptureTime.plausible(capturedAt), text: try ClipText(validating: bytes))
    } catch {
      return nil
    }
  }

  /// Returns the clip at a position as the list shows it, without its whole text; nil if the row is incomplete.
  mutating func listedClip(at position: Position) -> Clip? {
    let columns = Schema.ClipColumn.text.rawValue
    guard let row = cell(at: position),
      let values = row.values(first: columns, pages, links: &linksLeft),
      case .integer(let capturedAt) = values[.capturedAt], case .integer(let byteCount) = values[.byteCount]
    else { return nil }
    guard let preview = values[.preview].text(in: pages.layout.encoding) else {
      return clip(at: position).map {
        Clip(
          id: $0.id, capturedAt: $0.capturedAt, byteCount: $0.text.byteCount,
          preview: $0.text.leading(Preview.byteLimit))
      }
    }
    return Clip(
      id: position.id, capturedAt: CaptureTime.plausible(capturedAt),
      byteCount: min(max(Int(byteCount), preview.count), ClipText.largestStored),
      preview: String(decoding: preview.prefix(Preview.byteLimit), as: UTF8.self))
  }

  // MARK: -

  private func cell(at position: Position) -> LeafCell? {
    guard let page = pages.page(Int(position.page)) else { return nil }
    return LeafCell(in: page, at: Int(position.offset))
  }

  private mutating func examine(_ number: Int) {
    guard let page = pages.page(number), !pages.isPointerMap(number) else { return }
    findUnreadablePages(in: page)
    let rows = LeafCell.offsets(in: page, isFirst: number == 1).map { ($0, LeafCell(in: page, at: $0)) }
    for (index, (offset, row)) in rows.enumerated() {
      guard let row else { continue }
      if row.isClip {
        let before = index > 0 ? rows[index - 1].1?.id : nil
        let after = index + 1 < rows.count ? rows[index + 1].1?.id : nil
        let gap = Self.gap(of: row.id, between: before, and: after)
        positions.append(Position(id: row.id, page: UInt32(number), offset: UInt16(offset), gap: gap))
      } else {
        readMetadata(from: row)
      }
    }
  }

  private static func gap(of id: Int64, between before: Int64?, and after: Int64?) -> UInt16 {
    guard before ?? .min < id, id < after ?? .max else { return .max }
    // The difference of damaged ids may overflow an Int64.
    let below = before.map { UInt64(bitPattern: id &- $0) } ?? .max
    let above = after.map { UInt64(bitPattern: $0 &- id) } ?? .max
    return UInt16(clamping: min(below, above))
  }

  /// Stores the values of a row of `sqlite_sequence` or `last_capture`; ignores other rows.
  private mutating func readMetadata(from row: LeafCell) {
    guard row.types.count == 2 || row.types.count == 5, let values = row.localValues else { return }
    if values.count == 2, values[0].text(in: pages.layout.encoding) == Array("clip".utf8),
      case .integer(let id) = values[1], Self.ids.contains(id)
    {
      largestID = max(largestID, id)
    } else if values.count == 5, case .blob(let key) = values[1], key.count == 32,
      case .blob(let digest) = values[2], case .integer(let size) = values[3], size >= 0,
      case .integer(let stored) = values[4], case let time = CaptureTime.plausible(stored),
      time >= lastCapture?.capturedAt ?? .min
    {
      lastCapture = LastCapture(key: key, digest: digest, byteCount: Int(size), capturedAt: time)
    }
  }

  // MARK: Rows that are lost

  /// Stores the range of ids of each unreadable child of an interior page.
  ///
  /// Only the table of clips is large enough to have interior pages.
  private mutating func findUnreadablePages(in page: [UInt8]) {
    guard let children = InteriorPage(page)?.children else { return }
    var low: Int64?
    for (child, high) in children {
      let kind = pages.page(child)?.first
      if kind != 0x0d, kind != 0x05 { unreadablePages.append(UnreadablePage(low: low, high: high)) }
      low = high
    }
  }

  /// Returns an upper bound for the number of clips in an unreadable page; the ids before and after the page limit it.
  private func clipCount(of page: UnreadablePage) -> Int {
    func index(above id: Int64) -> Int { positions.partition { $0.id <= id } }
    let count = index(above: Schema.largestID)
    let high: Int64
    if let known = page.high {
      high = known
    } else {
      let next = index(above: page.low ?? 0)
      high = next < count ? positions[next].id - 1 : largestID
    }
    let before = index(above: high)
    let low = page.low ?? (before > 0 && before <= count ? positions[before - 1].id : 0)
    guard Self.ids.contains(high), (0..<high).contains(low) else { return 1 }
    return Int(min(high - low, Int64(pages.layout.pageSize / 10)))
  }

  /// Makes the ids unique: the first readable row with an id keeps it, and duplicates of a row are removed.
  ///
  /// A clip whose id is impossible or taken gets a new id, higher than all others.
  private mutating func makeIDsUnique() {
    let isPlain = positions.indices.allSatisfy { index in
      Self.ids.contains(positions[index].id) && (index == 0 || positions[index - 1].id < positions[index].id)
    }
    guard !isPlain else { return }
    var (kept, renumbered): ([Position], [Position]) = ([], [])
    var start = 0
    while start < positions.count {
      let id = positions[start].id
      var end = start + 1
      while end < positions.count, positions[end].id == id { end += 1 }
      var fingerprints: Set<Int> = []
      for position in positions[start..<end] {
        if end - start > 1 {
          guard let clip = clip(at: position) else { continue }
          let fingerprint = Clip.Full.hash(of: clip.text.bytes, at: clip.capturedAt)
          guard fingerprints.insert(fingerprint).inserted else { continue }
        }
        let keepsID = Self.ids.contains(id) && kept.last?.id != id
        if keepsID { kept.append(position) } else { renumbered.append(position) }
      }
      if end - start > 1, fingerprints.isEmpty { lostCount += 1 }
      start = end
    }
    for index in renumbered.indices { renumbered[index].id = largestID + 1 + Int64(index) }
    positions = kept + renumbered
  }
}

extension Array {
  /// The first index of a sorted array whose element does not satisfy `isBefore`.
  func partition(where isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
