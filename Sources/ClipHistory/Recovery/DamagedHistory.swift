/// Reads a damaged history that cannot be recovered now, as completely as a recovery would, and writes nothing.
///
/// The files must not change meanwhile; rows that another program has moved count as unreadable.
final class DamagedHistory {
  private let files: RawFiles
  private var rows: RowRecovery
  /// The ids of the clips that `page` has skipped.
  private var skipped: Set<Int64> = []

  /// An upper bound for the number of clips that were found unreadable so far; `page` finds more of them.
  ///
  /// A clip with a readable preview does not count, even if its whole text is unreadable.
  var lostCount: Int { rows.lostCount + skipped.count }

  /// Whether no clip was found.
  var isEmpty: Bool { rows.positions.isEmpty }

  var lastID: Int64 { rows.largestID }

  /// Whether the file that is being read was removed or replaced.
  var hasMoved: Bool { files.database?.hasMoved == true }

  /// Examines every page.
  ///
  /// - Throws: `.foreign` if the file is another program's, `.newerSchema` if it is newer than this program.
  init(_ location: HistoryLocation) throws(StoreError) {
    files = try RawFiles(location)
    rows = RowRecovery(files)
    try rows.checkIsOurs()
  }

  /// Whether a clip is found; examines every page only if the first pages have none.
  ///
  /// - Throws: as `init` does.
  static func hasClips(_ location: HistoryLocation) throws(StoreError) -> Bool {
    let files = try RawFiles(location)
    if let layout = PageLayout(of: files.database) {
      let rows = RowRecovery(files, layout: layout, limit: 1)
      if !rows.positions.isEmpty {
        try rows.checkIsOurs()
        return true
      }
    }
    return try !DamagedHistory(location).isEmpty
  }

  /// Returns the ids of all clips that are older than the clip with `id`, in ascending order.
  func ids(olderThan id: Int64) -> [Int64] { rows.positions.prefix(index(of: id)).map(\.id) }

  /// Returns the text of a clip; nil if there is no such clip.
  ///
  /// - Throws: `.clipUnreadable` if the clip is incomplete or invalid.
  func text(of id: Int64) throws(StoreError) -> ClipText? {
    let index = index(of: id)
    guard index < rows.positions.count, rows.positions[index].id == id else { return nil }
    return try text(at: index)
  }

  /// Returns the text of a clip by its place in the list; 1 is the newest.
  func text(ofNewest number: Int) throws(StoreError) -> ClipText? {
    guard number > 0, number <= rows.positions.count else { return nil }
    return try text(at: rows.positions.count - number)
  }

  private func text(at index: Int) throws(StoreError) -> ClipText {
    // Use a copy, because following overflow pages uses up the limit of `rows`.
    var rows = rows
    guard let clip = rows.clip(at: rows.positions[index]) else { throw .clipUnreadable }
    return clip.text
  }

  /// Returns the clip with this id and older clips, newest first, at most `limit`; the id does not have to exist.
  ///
  /// Skips clips that cannot be read; returns fewer than `limit` clips only if there are no older ones.
  func page(from id: Int64, limit: Int) -> [Clip] {
    var (rows, clips) = (rows, [Clip]())
    let end = id == .max ? rows.positions.count : index(of: id + 1)
    for position in rows.positions[..<end].reversed() {
      guard clips.count < limit else { break }
      if let clip = rows.listedClip(at: position) { clips.append(clip) } else { skipped.insert(position.id) }
    }
    return clips
  }

  /// Returns the oldest readable clip with an id of at least `start`; nil if there is none.
  ///
  /// - Parameter unread: increases by the number of unreadable clips that were skipped.
  func next(from start: Int64, unread: inout Int) -> Clip.Full? {
    for position in rows.positions[index(of: start)...] {
      if let clip = rows.clip(at: position) { return clip }
      unread += 1
    }
    return nil
  }

  /// The index of the first clip whose id is not less than `id`.
  private func index(of id: Int64) -> Int { rows.positions.partition { $0.id < id } }
}
