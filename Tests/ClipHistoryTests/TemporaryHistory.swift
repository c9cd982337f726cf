import CSQLite
import Foundation
import TestSupport
import Testing

@testable import ClipHistory

/// A history in a temporary folder, which is removed with this object.
final class TemporaryHistory: Sendable {
  private let parent: TemporaryFolder
  let location: HistoryLocation

  init() {
    do { parent = try TemporaryFolder() } catch { preconditionFailure("\(error)") }
    location = HistoryLocation(folder: parent.path + "/data/copypasta")
  }

  func store(_ timeouts: HistoryStore.LockTimeouts = .init()) throws -> HistoryStore {
    try HistoryStore(location: location, digest: testDigest, timeouts: timeouts)
  }

  /// Opens the history as after a recovery that has failed.
  func store(after failure: StoreError) async -> HistoryStore {
    let store = HistoryStore(at: location, digest: testDigest)
    _ = await store.open(after: failure)
    return store
  }

  func reader() throws -> HistoryReader { try HistoryReader(location: location) }

  /// The previews of all clips, newest first.
  func previews() throws -> [String] { try reader().newestPage(limit: 99_999).map(\.preview) }

  func record(_ texts: String...) async throws { try await record(texts) }

  func record(_ texts: [String]) async throws {
    let store = try store()
    for text in texts { try await store.add(text) }
    await store.close()
  }

  /// Adds `count` clips, "row 1" and so on, one per microsecond after `time`.
  func fill(_ count: Int, from time: Int64 = 0) throws {
    try run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO clip(captured_at, byte_count, text)
      SELECT \(time) + i, length('row ' || i), 'row ' || i FROM n
      """)
  }

  /// Inserts rows with these values of `id`, `captured_at`, `byte_count` and `text`.
  func insert(_ rows: String) throws {
    try run("INSERT INTO clip(id, captured_at, byte_count, text) VALUES \(rows)")
  }

  func rootPage(of table: String) throws -> Int {
    let found = try foreign().rows("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")
    return try #require(found.first.flatMap { Int($0) })
  }

  func foreign() throws -> ForeignConnection { try ForeignConnection(location.database) }

  /// Opens a connection in the middle of a read, which prevents truncation of the log until the connection commits.
  func foreignReader() throws -> ForeignConnection {
    let other = try foreign()
    other.run("BEGIN")
    _ = try other.rows("SELECT text FROM clip")
    return other
  }

  /// Runs SQL as another program.
  func run(_ sql: String) throws { try #require(foreign().run(sql) == SQLITE_OK) }

  /// Whether SQLite's integrity check succeeds.
  func isSound() throws -> Bool { try foreign().rows("PRAGMA integrity_check") == ["ok"] }

  /// Recovers the history, which must be damaged and open in no program.
  func recovered() async throws -> HistoryRecovery.Outcome {
    try #require(try await onceAlone { try await HistoryRecovery().recover(location) })
  }

  /// Repeats a step for which the history must not be open, while a child process that another test has just started
  /// holds a copy of a lock of this process.
  func onceAlone<Result>(_ step: () async throws -> Result) async throws -> Result {
    try await waitFor("the history closed") {
      do { return try await step() } catch StoreError.locked { return nil }
    }
  }

  func markDamaged() { HistoryFolder.markDamaged(location.database) }

  func isMarked() throws -> Bool { try HistoryOpener(location).isMarked() }

  func bytes() throws -> Data { try Data(contentsOf: URL(filePath: location.database)) }

  func damage(_ change: (inout Data) throws -> Void) throws { try damage(location.database, change) }

  func damage(_ path: String, _ change: (inout Data) throws -> Void) throws {
    var bytes = try Data(contentsOf: URL(filePath: path))
    try change(&bytes)
    try bytes.write(to: URL(filePath: path))
  }

  /// Swaps a row of the only leaf page, which has three rows, with the next row.
  func swapRow(_ index: Int) throws {
    try damage { bytes in
      let pages = stride(from: 4096, to: bytes.count, by: 4096)
      let page = try #require(pages.first { bytes[$0] == 0x0d && bytes[$0 + 4] == 3 })
      let place = page + 8 + 2 * index
      for offset in place..<place + 2 { bytes.swapAt(offset, offset + 2) }
    }
  }

  /// A row's place in the database.
  struct RowPlace {
    let id: Int64
    let page: Int
    let offset: Int
  }

  /// Where the rows of an undamaged history are, ascending by id.
  func rowPlaces() throws -> [RowPlace] {
    try SalvagedRows(DatabasePages(RawFiles(location))).rows.map {
      RowPlace(id: $0.id, page: Int($0.page), offset: Int($0.offset))
    }
  }

  /// A reader of what is readable after damage was found.
  func salvagingReader() throws -> HistoryReader {
    try HistoryReader(location: location, rows: SalvagedRows(DatabasePages(RawFiles(location))))
  }

  /// The names of all files in the folder, except the host marker.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: location.folder).filter { !$0.hasSuffix("-host") }
  }

  /// The paths of the database, its log and the log's index, if they exist.
  var files: [String] {
    ["", "-wal", "-shm"].map { location.database + $0 }.filter(FileManager.default.fileExists(atPath:))
  }

  /// Whether any of the files contains the bytes of `marker`.
  func contains(_ marker: String) throws -> Bool {
    try files.contains { try Data(contentsOf: URL(filePath: $0)).contains(bytesOf: marker) }
  }

  /// The number of bytes other than 0 in the unallocated space of the database's leaf pages.
  func unusedBytes() throws -> Int {
    let file = try Array(bytes())
    return stride(from: 4096, to: file.count, by: 4096).reduce(into: 0) { count, start in
      let page = Array(file[start..<start + 4096])
      guard page[0] == 0x0d else { return }
      count += page[(8 + 2 * page.uint16(at: 3))..<page.uint16(at: 5)].count { $0 != 0 }
    }
  }

  /// Copies the files as a power cut or a kill at this moment would leave them, without the log's index.
  func snapshot() throws -> TemporaryHistory {
    let copy = TemporaryHistory()
    try copy.makeFolder()
    for name in try names() where !name.hasSuffix("-shm") {
      try FileManager.default.copyItem(
        atPath: location.folder + "/" + name, toPath: copy.location.folder + "/" + name)
    }
    return copy
  }

  /// Switches to a user who owns only these histories, because permissions do not restrict root; for exit tests only.
  static func becomeOwner(of histories: [TemporaryHistory]) throws {
    guard geteuid() == 0 else { return }
    for parent in histories.map(\.parent.path) {
      let below = try FileManager.default.subpathsOfDirectory(atPath: parent).map { parent + "/" + $0 }
      for path in [parent] + below { chown(path, 65534, 65534) }
    }
    try #require(setuid(65534) == 0)
  }

  func makeFolder() throws {
    try FileManager.default.createDirectory(atPath: location.folder, withIntermediateDirectories: true)
  }

  /// Replaces the database with a database of a released version.
  func plant(_ version: ReleasedVersion) throws {
    try makeFolder()
    unlink(location.database)
    try run(version.sql)
  }

  func plant(_ bytes: Data) throws {
    try makeFolder()
    try bytes.write(to: URL(filePath: location.database))
  }
}

func permissions(of path: String) throws -> Int? {
  try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
}

/// A released version of the history file, with the texts "one" (id 1) and "two" (id 7).
///
/// Its SQL is a copy rather than a reference to `Schema`, because a released version never changes.
enum ReleasedVersion: CaseIterable {
  /// 1.0.0, and 1.1.0.
  case first, second

  fileprivate var sql: String {
    switch self {
    case .second:
      ReleasedVersion.first.sql + """
        CREATE TABLE last_look(
          only INTEGER PRIMARY KEY CHECK (only = 1),
          wall_time INTEGER NOT NULL,
          boot_time INTEGER NOT NULL,
          boot_id TEXT NOT NULL
        ) STRICT;
        INSERT INTO last_look VALUES (1, 0, 0, ''); PRAGMA user_version = 2;
        """
    case .first:
      """
      PRAGMA application_id = 1129345908; PRAGMA user_version = 1;
      CREATE TABLE clip(
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        captured_at INTEGER NOT NULL,
        byte_count INTEGER NOT NULL,
        preview TEXT,
        text TEXT NOT NULL
      ) STRICT;
      CREATE TRIGGER clip_is_not_updated BEFORE UPDATE ON clip
      BEGIN SELECT RAISE(ABORT, 'a clip is immutable'); END;
      CREATE TRIGGER clip_is_not_replaced BEFORE INSERT ON clip
      WHEN EXISTS (SELECT 1 FROM clip WHERE id = NEW.id)
      BEGIN SELECT RAISE(ABORT, 'a clip is immutable'); END;
      CREATE TABLE last_capture(
        only INTEGER PRIMARY KEY CHECK (only = 1),
        key BLOB NOT NULL,
        digest BLOB NOT NULL,
        byte_count INTEGER NOT NULL,
        captured_at INTEGER NOT NULL
      ) STRICT;
      INSERT INTO last_capture VALUES (1, randomblob(32), x'', 0, 0);
      INSERT INTO clip(id, captured_at, byte_count, text) VALUES (1, 1, 3, 'one'), (7, 2, 3, 'two');
      """
    }
  }
}

/// A substitute for HMAC: FNV-1a over key and text, the same in every process.
let testDigest: HistoryStore.Digest = { key, text in
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  for bytes in [key, text.bytes] {
    bytes.withUnsafeBufferPointer { buffer in
      for byte in buffer { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
  }
  return withUnsafeBytes(of: hash) { Array($0) }
}

extension ClipText {
  init(_ string: String) throws { try self.init(validating: Array(string.utf8)) }
}

extension HistoryStore {
  /// - Throws: why the history is not open.
  init(
    location: HistoryLocation, digest: @escaping Digest = testDigest, timeouts: LockTimeouts = .init()
  ) throws(StoreError) {
    self.init(at: location, digest: digest, timeouts: timeouts)
    if case .unavailable(let error) = initialAccess { throw error }
  }

  /// Records a text that must be new; the default time is irrelevant.
  @discardableResult
  func add(_ string: String, at now: Int64 = 1) throws -> Clip {
    let outcome = try record(try ClipText(string), at: now)
    guard case .recorded(let clip) = outcome else { throw DuplicateError() }
    return clip
  }

  /// The ids of all clips, ascending.
  func allIDs() throws(StoreError) -> [Int64] { try ids(olderThan: .max) }
}

struct DuplicateError: Error {}

extension Data {
  /// Overwrites a range with bytes that form no page, no row and no text.
  mutating func destroy(_ range: Range<Int>) {
    replaceSubrange(range, with: Data(repeating: 0xa5, count: range.count))
  }
}
