import CSQLite
import Foundation
import TestSupport
import Testing

@testable import ClipHistory

/// A layout that another program can give to a history.
struct Layout: CustomStringConvertible, Sendable {
  var pageSize = 4096
  var reserved = 0
  var encoding = "UTF-8"
  var autoVacuum = 0

  var description: String { "\(pageSize) \(reserved) \(encoding) \(autoVacuum)" }

  var isOurs: Bool { description == Layout().description }

  var expected: PageLayout {
    PageLayout(
      pageSize: pageSize, reserved: reserved, encoding: ["UTF-8": 1, "UTF-16le": 2][encoding] ?? 3)
  }

  /// All combinations that SQLite allows.
  static let all = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536].flatMap { size in
    [0, 8, 255].filter { size - $0 >= 480 }.flatMap { reserved in
      ["UTF-8", "UTF-16le", "UTF-16be"].flatMap { encoding in
        (0...2).map { Layout(pageSize: size, reserved: reserved, encoding: encoding, autoVacuum: $0) }
      }
    }
  }

  /// Each page size, and each other value with several page sizes.
  static let some = all.enumerated().filter { $0.offset % 25 == 4 || $0.element.isOurs }.map(\.element)

  /// `all` if `COPYPASTA_LAYOUTS` is set, otherwise `some`.
  static let chosen = environmentNumber("COPYPASTA_LAYOUTS", or: 0) > 0 ? all : some
}

/// A history with a certain layout, made by another program: two thirds of its rows are in the database, then the rest
/// in the log.
struct ForeignHistory {
  static let rowCount = 300
  static let checkpointed = 200

  let history = TemporaryHistory()

  static func text(_ id: Int) -> String {
    let repetitions = id % 50 == 0 ? 700 : id % 40 + 1
    return String(repeating: "row \(id) é ", count: repetitions)
  }

  /// - Parameter isOpen: whether to leave the log, as a crash would; otherwise all rows are in the database.
  init(_ layout: Layout, isOpen: Bool, count: Int = rowCount) throws {
    let origin = isOpen ? TemporaryHistory() : history
    try origin.makeFolder()
    mknod(origin.location.database, S_IFREG | 0o600, 0)
    let other = try origin.foreign()
    func run(_ sql: String) throws { try #require(other.run(sql) == SQLITE_OK) }
    try run("PRAGMA page_size = \(layout.pageSize); PRAGMA encoding = '\(layout.encoding)'")
    // Set this first, because auto-vacuum creates the first page.
    var reserved = Int32(layout.reserved)
    sqlite3_file_control(other.handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
    try run(
      """
      PRAGMA auto_vacuum = \(layout.autoVacuum); PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
      PRAGMA synchronous = OFF; \(Schema.migrations.joined(separator: ";"));
      UPDATE last_capture SET key = x'\(String(repeating: "07", count: 32))';
      PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(Schema.version)
      """)
    for id in 1...count {
      if id % 10 == 1 { try run("BEGIN") }
      let text = try ClipText(Self.text(id))
      let preview = Preview.make(of: text).map { "'\($0)'" } ?? "NULL"
      try run(
        """
        INSERT INTO clip(id, captured_at, byte_count, preview, text)
        VALUES (\(id), \(id), \(text.byteCount), \(preview), '\(Self.text(id))')
        """)
      if id % 10 == 0 { try run("COMMIT") }
      if id == count / 30 * 20 { try run("PRAGMA wal_checkpoint(TRUNCATE)") }
    }
    guard isOpen else { return }
    try history.makeFolder()
    for end in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: origin.location.database + end, toPath: history.location.database + end)
    }
    withExtendedLifetime(other) {}
  }

  /// Checks the texts of the history, and returns the ids of the rows.
  func ids() throws -> [Int64] {
    let clips = try ClipCursor(location: history.location)
    var ids: [Int64] = []
    while let clip = try clips.next() {
      if try clip.text != ClipText(Self.text(Int(clip.id))) { Issue.record("another text of \(clip.id)") }
      ids.append(clip.id)
    }
    return ids
  }
}

/// Use and recovery of histories with layouts that another program has given to them.
@Suite(.serialized, .tags(.recovers))
struct LayoutTests {
  @Test(arguments: Layout.chosen)
  func `a sound history with another layout is read and written as it is`(_ layout: Layout) async throws {
    for isOpen in [false, true] {
      let foreign = try ForeignHistory(layout, isOpen: isOpen)
      let history = foreign.history
      try history.run("UPDATE last_look SET wall_time = 7; UPDATE sqlite_sequence SET seq = 900")
      #expect(try await HistoryRecovery().recover(history.location) == nil)
      let store = try history.store()
      #expect(try await store.add("next é").id == 901)
      try await store.delete(901)
      await store.close()
      #expect(PageLayout(of: try RawFile(history.location.database)) == layout.expected)
      #expect(try foreign.ids() == Array(1...Int64(ForeignHistory.rowCount)))
      #expect(try HistoryCheck(history.location).isSound)
      #expect(try history.foreign().rows("SELECT wall_time FROM last_look") == ["7"])
      #expect(try history.names() == ["history.sqlite3"])
    }
  }

  /// Damage to a history.
  enum Damage: String, CaseIterable {
    case none, firstPage, interiorPage, leafPage, logCut, logMissing
  }

  @Test(arguments: Layout.chosen)
  func `a damaged history with another layout loses only the rows on the damaged page`(
    _ layout: Layout
  ) async throws {
    for damage in Damage.allCases {
      let isOpen = [.none, .logCut, .logMissing].contains(damage)
      let foreign = try ForeignHistory(layout, isOpen: isOpen)
      let least = try Self.apply(damage, to: foreign, layout)
      foreign.history.markDamaged()
      let exported = try foreign.ids()
      let outcome = try await foreign.history.recovered()
      #expect(try foreign.ids() == exported, "\(layout) \(damage)")
      #expect(outcome.clipCount >= least, "\(layout) \(damage)")
      if outcome.clipCount < ForeignHistory.rowCount, damage == .leafPage {
        #expect(outcome.isIncomplete, "\(layout) \(damage)")
      }
    }
  }

  /// Damages the history, and returns how many rows must be recovered at least.
  private static func apply(_ damage: Damage, to foreign: ForeignHistory, _ layout: Layout) throws -> Int {
    let location = foreign.history.location
    let rows = try foreign.history.rowPlaces()
    #expect(rows.count == ForeignHistory.rowCount)
    #expect(PageLayout(of: try RawFiles(location)) == layout.expected)
    let page: Int
    switch damage {
    case .none: return ForeignHistory.rowCount
    case .logMissing:
      unlink(location.wal)
      return ForeignHistory.checkpointed
    case .logCut:
      try foreign.history.damage(location.wal) { $0.removeLast($0.count / 2) }
      return ForeignHistory.checkpointed + 10
    case .firstPage: page = 1
    case .interiorPage: page = try foreign.history.rootPage(of: "clip")
    case .leafPage: page = rows[rows.count / 2].page
    }
    try foreign.history.damage {
      $0.resetBytes(in: (page - 1) * layout.pageSize..<page * layout.pageSize)
    }
    return rows.count { $0.page != page }
  }

  /// The log's frames have the size of the foreign pages.
  @Test func `rows in the log of a history with another page size survive a crash`() async throws {
    let foreign = try ForeignHistory(Layout(pageSize: 8192), isOpen: true)
    let store = try foreign.history.store()
    #expect(try await store.add("next").id == 301)
    let copy = try foreign.history.snapshot()
    await store.close()
    #expect(try await copy.store().allIDs().count == 301)
  }
}
