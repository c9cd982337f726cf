import CSQLite
import Foundation

/// Reads a history the way another program would: through the documented table, on a separate connection.
public struct HistoryDatabase: Sendable {
  /// The path of the file, which may not exist yet.
  public let path: String

  /// Makes a reader for the database at `path`, which may not exist yet.
  public init(path: String) { self.path = path }

  /// The text of the newest clip; nil if there is none.
  public func newestText() async throws -> [UInt8]? {
    guard try await hasTable() else { return nil }
    return try rows("SELECT text FROM clip ORDER BY id DESC LIMIT 1") { bytes($0, 0) }.first
  }

  /// The texts, the newest first, with U+FFFD for invalid bytes.
  public func texts() async throws -> [String] {
    guard try await hasTable() else { return [] }
    return try rows("SELECT text FROM clip ORDER BY captured_at DESC, id DESC") {
      String(decoding: bytes($0, 0), as: UTF8.self)
    }
  }

  /// The number of clips; 0 if the database does not exist yet.
  public func count() async throws -> Int {
    guard try await hasTable() else { return 0 }
    return Int(try await query("SELECT count(*) FROM clip")) ?? 0
  }

  /// The result of a query in the format of `sqlite3`: a line for each row, with columns separated by bars.
  public func query(_ sql: String) async throws -> String {
    try rows(sql) { row in
      (0..<sqlite3_column_count(row)).map { column in
        sqlite3_column_text(row, column).map { String(cString: $0) } ?? ""
      }.joined(separator: "|")
    }.joined(separator: "\n")
  }

  private func rows<Row>(_ sql: String, _ read: (OpaquePointer) -> Row) throws -> [Row] {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    try check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil), database)
    sqlite3_busy_timeout(database, 5000)
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil), database)
    var rows: [Row] = []
    while true {
      let status = sqlite3_step(statement)
      guard status == SQLITE_ROW, let statement else {
        try check(status == SQLITE_DONE ? SQLITE_OK : status, database)
        return rows
      }
      rows.append(read(statement))
    }
  }

  private func bytes(_ row: OpaquePointer, _ column: Int32) -> [UInt8] {
    let start = sqlite3_column_blob(row, column)
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(row, column))))
  }

  private func check(_ status: Int32, _ database: OpaquePointer?) throws {
    guard status != SQLITE_OK else { return }
    // The program may be creating or replacing the file, or holding its lock.
    throw TestSupportError(
      "SQLite: \(String(cString: sqlite3_errmsg(database))) (\(status))",
      mayPass: [SQLITE_CANTOPEN, SQLITE_BUSY].contains(status & 0xff))
  }

  /// Whether the program has created the table.
  private func hasTable() async throws -> Bool {
    guard FileManager.default.fileExists(atPath: path) else { return false }
    return try await query("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'clip'") == "1"
  }
}
