import ClipHistory
import GtkKit

/// The list model of the history, newest first.
///
/// The model holds the id of every clip (8 bytes each), but the rows only of the pages near the visible part. It reads
/// a page by id, which takes the same time at any depth. For the first frame it reads only the first page; the ids of
/// all other clips are added afterwards.
@MainActor
final class HistoryListModel: ListModelSource {
  private static let pageSize = 64
  /// If more rows than this are loaded, the rows far from the visible part are released.
  private static let cacheLimit = 512
  /// The maximum number of runs of removed rows that are reported to the views one by one.
  private static let mostRuns = 16

  private(set) lazy var listModel = ListModel(source: self)

  private let reader: HistoryReader
  private let failed: @MainActor (StoreError) -> Void
  /// The ids of all clips, oldest first, so that new ids are appended.
  private var ids: [Int64]
  private var rows: [Int64: Clip] = [:]

  /// Reads the first page.
  ///
  /// - Parameters:
  ///   - firstPageSize: The number of clips that fill the window; more clips would delay the first frame, because the
  ///     list view builds all rows before it.
  ///   - failed: Called if a later page cannot be read.
  init(
    reader: HistoryReader, firstPageSize: Int, failed: @escaping @MainActor (StoreError) -> Void
  ) throws(StoreError) {
    self.reader = reader
    self.failed = failed
    let page = try reader.newestPage(limit: firstPageSize)
    countEver = try reader.lastID()
    ids = page.reversed().map(\.id)
    mayHaveMore = page.count == firstPageSize
    oldestOfFirstPage = page.last?.id ?? 0
    for clip in page { rows[clip.id] = clip }
  }

  var isReplaced: Bool { reader.isReplaced }

  // MARK: Reading

  var count: Int { ids.count }

  /// The number of clips that the history ever had, including deleted ones: the largest id, because ids are not reused.
  private(set) var countEver: Int64

  func value(at position: Int) -> any Sendable { clip(at: position) }

  /// The clip at a position; the newest is at 0.
  func clip(at position: Int) -> Clip {
    let id = id(at: position)
    if let row = rows[id] { return row }
    loadPage(around: position)
    // Show an empty row until the next start: another program has deleted the clip, or the file is damaged.
    return rows[id] ?? Clip(id: id, capturedAt: 0, byteCount: 0, preview: "")
  }

  func id(at position: Int) -> Int64 { ids[ids.count - 1 - position] }

  func position(of id: Int64) -> Int? {
    let index = index(of: id)
    return index < ids.count && ids[index] == id ? ids.count - 1 - index : nil
  }

  // MARK: Changing

  /// Whether there may be clips that are older than the first page and not in the list yet.
  private(set) var mayHaveMore: Bool
  let oldestOfFirstPage: Int64

  /// Adds the clips that are older than the first page.
  ///
  /// - Parameter older: Their ids in ascending order; consumed, so that a million ids are not in memory twice.
  func addOlder(_ older: consuming [Int64]) {
    // The history may have been cleared since the ids were read.
    guard mayHaveMore else { return }
    let shown = ids.count
    let added = older.count
    older.append(contentsOf: ids)
    ids = older
    mayHaveMore = false
    listModel.itemsChanged(at: shown, removed: 0, added: added)
  }

  /// Adds clips that were just recorded, in the order of their capture, at the top.
  func insertNewest(_ clips: [Clip]) {
    guard !clips.isEmpty else { return }
    ids += clips.map(\.id)
    countEver = max(countEver, ids.last ?? 0)
    for clip in clips { rows[clip.id] = clip }
    if rows.count > Self.cacheLimit { dropRows(farFrom: 0) }
    listModel.itemsChanged(at: 0, removed: 0, added: clips.count)
  }

  /// Removes a clip from the list.
  ///
  /// - Returns: The clip, for `restore`; nil if it is not in the list.
  @discardableResult
  func remove(_ id: Int64) -> Clip? {
    guard let position = position(of: id) else { return nil }
    let clip = clip(at: position)
    ids.remove(at: index(of: id))
    rows[id] = nil
    listModel.itemsChanged(at: position, removed: 1, added: 0)
    return clip
  }

  /// Removes clips from the list.
  ///
  /// - Parameter gone: Their ids in ascending order.
  func remove(_ gone: [Int64]) {
    guard let first = gone.first, let last = gone.last else { return }
    let members = Set(gone)
    for id in gone { rows[id] = nil }
    let span = index(of: first)..<(last < .max ? index(of: last + 1) : ids.count)
    let found = ids[span].indices(where: members.contains).ranges
    // Report each run to the views or, if there are many runs, a single change, because each report takes time.
    let runs = found.count <= Self.mostRuns ? Array(found) : [span]
    for run in runs.reversed() {
      let kept = ids[run].filter { !members.contains($0) }
      let position = ids.count - run.upperBound
      ids.replaceSubrange(run, with: kept)
      listModel.itemsChanged(at: position, removed: run.count, added: kept.count)
    }
  }

  func removeAll() {
    let removed = ids.count
    ids = []
    rows = [:]
    mayHaveMore = false
    listModel.itemsChanged(at: 0, removed: removed, added: 0)
  }

  /// Puts a clip back at its old place.
  func restore(_ clip: Clip) {
    guard position(of: clip.id) == nil else { return }
    let index = index(of: clip.id)
    ids.insert(clip.id, at: index)
    rows[clip.id] = clip
    listModel.itemsChanged(at: ids.count - 1 - index, removed: 0, added: 1)
  }

  // MARK: Pages

  private func loadPage(around position: Int) {
    let start = position - position % Self.pageSize
    do throws(StoreError) {
      let page = try reader.page(from: id(at: start), limit: Self.pageSize)
      if rows.count + page.count > Self.cacheLimit { dropRows(farFrom: position) }
      for clip in page { rows[clip.id] = clip }
    } catch {
      failed(error)
    }
  }

  private func dropRows(farFrom position: Int) {
    let reach = Self.cacheLimit / 4
    let newest = id(at: max(position - reach, 0))
    let oldest = id(at: min(position + reach, ids.count - 1))
    rows = rows.filter { oldest <= $0.key && $0.key <= newest }
  }

  private func index(of id: Int64) -> Int { ids.partition(at: id) }
}

extension [Int64] {
  /// The first index of an ascending array whose value is not less than `value`.
  fileprivate func partition(at value: Int64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
