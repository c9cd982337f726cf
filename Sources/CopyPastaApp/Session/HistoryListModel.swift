import ClipHistory
import GtkKit

/// The list model of the history, newest first; one for the life of the process.
///
/// The model holds the id of every clip (8 bytes each), but the rows only of the pages near the visible part. It reads
/// a page by id, which takes the same time at any depth. For the first frame it reads only the first page; the ids of
/// all other clips are added afterwards.
@MainActor
final class HistoryListModel: ListModelSource {
  private static let pageSize = 64
  /// If more rows than this are loaded, the rows far from the visible part are released.
  private static let cacheLimit = 512
  /// The maximum number of runs of changed rows that are reported to the views one by one.
  private static let mostRuns = 16

  /// The part of the list that has changed.
  struct Change {
    let position, removed, added: Int
    /// Whether the added clips were just recorded.
    var isNew = false
  }

  private(set) lazy var listModel = ListModel(source: self)
  /// Notified of each change, after the views.
  let changes = Observers<Change>()

  /// Nil until the history is first opened.
  private var reader: HistoryReader?
  private let failed: @MainActor (StoreError) -> Void
  /// The ids of all clips, oldest first, so that new ids are appended.
  private var ids: [Int64] = []
  /// The ids that are being replaced by at least as many others, and the position of the newest one; nil except while
  /// the views apply that change.
  private var replaced: (ids: [Int64], position: Int)?
  private var rows: [Int64: Clip] = [:]

  /// - Parameter failed: Called if a page cannot be read; with `.clipUnreadable` when rows of a damaged history were
  ///   removed.
  init(failed: @escaping @MainActor (StoreError) -> Void) {
    self.failed = failed
    // Create the list model before loading rows: it has to start with 0 rows, because it counts only announced rows.
    _ = listModel
  }

  // MARK: Reading

  var isOpen: Bool { reader != nil }

  /// Whether the file that the list shows was closed, removed or replaced.
  var isReplaced: Bool { reader?.isReplaced == true }

  /// Whether some clips could not be read so far.
  var isIncomplete: Bool { reader?.isIncomplete ?? false }

  var count: Int { ids.count }

  /// The largest id ever assigned.
  ///
  /// It is at least the number of clips that the history has had, including deleted ones;
  /// an import or a recovery may skip ids.
  private(set) var countEver: Int64 = 0

  func value(at position: Int) -> any Sendable { clip(at: position) }

  /// The clip at a position; the newest is at 0.
  func clip(at position: Int) -> Clip {
    let id = id(at: position)
    if let row = rows[id] { return row }
    let isLoaded = loadPage(around: position)
    if let row = rows[id] { return row }
    // Another program has deleted the clip. A view that asks for a row must get one, so the row is
    // empty until it is removed.
    if isLoaded, let reader {
      let absent = ids[page(of: position)].filter { rows[$0] == nil }
      Task.unpooled { [weak self] in self?.removeAbsent(absent, in: reader) }
    }
    return Clip(id: id, capturedAt: 0, byteCount: 0, preview: "")
  }

  /// Removes rows whose clips were not in the history, unless they have been restored or another history is shown.
  private func removeAbsent(_ absent: [Int64], in history: HistoryReader) {
    guard reader === history else { return }
    remove(absent.filter { rows[$0] == nil })
  }

  func id(at position: Int) -> Int64 { ids[ids.count - 1 - position] }

  func position(of id: Int64) -> Int? { index(of: id, in: ids).map { ids.count - 1 - $0 } }

  func position(near id: Int64) -> Int {
    if let position = position(of: id) { return position }
    // An import gives other ids to all clips that are newer than an imported one.
    if let (old, position) = replaced, let index = index(of: id, in: old) {
      return position + old.count - 1 - index
    }
    return ids.count - ids.partition(at: id)
  }

  // MARK: Opening

  /// Shows the first page of a history that was just opened.
  ///
  /// - Parameter firstPageSize: The number of clips that fill the window; more clips would delay the first frame,
  ///   because the list view builds all rows before it.
  func open(_ reader: HistoryReader, firstPageSize: Int) throws(StoreError) {
    let page = try reader.newestPage(limit: firstPageSize)
    countEver = try reader.lastID()
    self.reader = reader
    ids = page.reversed().map(\.id)
    oldestOfFirstPage = page.count == firstPageSize ? page.last?.id : nil
    for clip in page { rows[clip.id] = clip }
    announce(at: 0, removed: 0, added: ids.count)
  }

  private func announce(at position: Int, removed: Int, added: Int, isNew: Bool = false) {
    listModel.itemsChanged(at: position, removed: removed, added: added)
    changes.notify(Change(position: position, removed: removed, added: added, isNew: isNew))
  }

  /// Shows a file that has other clips, even if they have the same ids.
  ///
  /// - Parameter new: The ids of all clips in ascending order.
  func replace(with reader: HistoryReader, _ new: [Int64]) throws(StoreError) {
    try use(reader)
    let removed = ids.count
    (ids, rows) = (new, [:])
    announce(at: 0, removed: removed, added: new.count)
  }

  /// Shows what another program may have added to the file or deleted from it; the other rows keep their place.
  ///
  /// - Parameter new: The ids of all clips in ascending order.
  func merge(_ reader: HistoryReader, _ new: [Int64]) throws(StoreError) {
    try use(reader)
    replace(0..<ids.count, with: new)
  }

  /// Replaces the ids in a range by other ids in ascending order.
  ///
  /// Reports each run of changed rows to the views or, if there are many, a single change, because each report takes
  /// time.
  private func replace(_ range: Range<Int>, with new: [Int64]) {
    var runs: [(old: Range<Int>, new: Range<Int>)] = []
    var (old, place) = (range.lowerBound, 0)
    while old < range.upperBound || place < new.count {
      let start = (old: old, place: place)
      while old < range.upperBound, place < new.count, ids[old] != new[place] {
        if ids[old] < new[place] { old += 1 } else { place += 1 }
      }
      if old == range.upperBound || place == new.count { (old, place) = (range.upperBound, new.count) }
      if start != (old, place) { runs.append((start.old..<old, start.place..<place)) }
      while old < range.upperBound, place < new.count, ids[old] == new[place] {
        old += 1
        place += 1
      }
    }
    if runs.count > Self.mostRuns, let first = runs.first, let last = runs.last {
      runs = [
        (first.old.lowerBound..<last.old.upperBound, first.new.lowerBound..<last.new.upperBound)
      ]
    }
    // Begin with the newest run, so that the indices of the older ones do not change.
    for run in runs.reversed() {
      let position = ids.count - run.old.upperBound
      replaced = run.new.count < run.old.count ? nil : (Array(ids[run.old]), position)
      for id in ids[run.old] { rows[id] = nil }
      ids.replaceSubrange(run.old, with: new[run.new])
      announce(at: position, removed: run.old.count, added: run.new.count)
    }
    replaced = nil
  }

  private func use(_ reader: HistoryReader) throws(StoreError) {
    countEver = try reader.lastID()
    if reader !== self.reader { self.reader?.close() }
    self.reader = reader
    oldestOfFirstPage = nil
  }

  // MARK: Changing

  /// The oldest clip of the first page, while the list may lack the clips that are older.
  private(set) var oldestOfFirstPage: Int64?

  /// Adds the clips that are older than the first page.
  ///
  /// - Parameter older: Their ids in ascending order; consumed, so that a million ids are not in memory twice.
  func addOlder(_ older: consuming [Int64]) {
    // The history may have been cleared since the ids were read.
    guard oldestOfFirstPage != nil else { return }
    let shown = ids.count
    let added = older.count
    older.append(contentsOf: ids)
    ids = older
    oldestOfFirstPage = nil
    announce(at: shown, removed: 0, added: added)
  }

  /// Adds clips that were just recorded, in the order of their capture, at the top.
  func insertNewest(_ clips: [Clip]) {
    // A clip may be there already, if the list was read again between its recording and this call.
    let clips = clips.filter { $0.id > ids.last ?? 0 }
    guard !clips.isEmpty else { return }
    ids += clips.map(\.id)
    countEver = max(countEver, ids.last ?? 0)
    for clip in clips { rows[clip.id] = clip }
    if rows.count > Self.cacheLimit { dropRows(farFrom: 0) }
    announce(at: 0, removed: 0, added: clips.count, isNew: true)
  }

  /// Removes a clip from the list.
  ///
  /// - Returns: The clip, for `restore`; nil if it is not in the list.
  @discardableResult
  func remove(_ id: Int64) -> Clip? {
    guard let index = index(of: id, in: ids) else { return nil }
    let clip = clip(at: ids.count - 1 - index)
    replace(index..<index + 1, with: [])
    return clip
  }

  /// Removes clips from the list.
  ///
  /// - Parameter gone: Their ids in ascending order.
  func remove(_ gone: [Int64]) {
    guard let first = gone.first, let last = gone.last else { return }
    let members = Set(gone)
    let span = ids.partition(at: first)..<(last < .max ? ids.partition(at: last + 1) : ids.count)
    replace(span, with: ids[span].filter { !members.contains($0) })
  }

  func removeAll() {
    oldestOfFirstPage = nil
    replace(0..<ids.count, with: [])
  }

  /// Puts a clip back at its old place.
  func restore(_ clip: Clip) {
    guard position(of: clip.id) == nil else { return }
    let index = ids.partition(at: clip.id)
    rows[clip.id] = clip
    replace(index..<index, with: [clip.id])
  }

  /// Closes the file; the ids and the loaded rows stay.
  func close() { reader?.close() }

  // MARK: Pages

  /// Returns whether all clips around `position` that exist and are readable are now in `rows`.
  private func loadPage(around position: Int) -> Bool {
    guard let reader else { return false }
    let wanted = ids[page(of: position)]
    guard let newest = wanted.last, let oldest = wanted.first else { return false }
    do throws(StoreError) {
      var page = try reader.page(from: newest, limit: Self.pageSize)
      if rows.count + page.count > Self.cacheLimit { dropRows(farFrom: position) }
      // Other programs may have added clips that the list lacks, so read further pages, up to a limit.
      for _ in 1...Self.mostRuns {
        for clip in page { rows[clip.id] = clip }
        guard let last = page.last?.id, last > oldest, page.count == Self.pageSize else { return true }
        page = try reader.page(from: last - 1, limit: Self.pageSize)
      }
    } catch {
      failed(error)
    }
    return false
  }

  /// The indices in `ids` of the page that contains a position.
  private func page(of position: Int) -> Range<Int> {
    let end = ids.count - (position - position % Self.pageSize)
    return max(end - Self.pageSize, 0)..<end
  }

  private func dropRows(farFrom position: Int) {
    let reach = Self.cacheLimit / 4
    let newest = id(at: max(position - reach, 0))
    let oldest = id(at: min(position + reach, ids.count - 1))
    rows = rows.filter { oldest <= $0.key && $0.key <= newest }
  }

  private func index(of id: Int64, in ids: [Int64]) -> Int? {
    let index = ids.partition(at: id)
    return index < ids.count && ids[index] == id ? index : nil
  }
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
