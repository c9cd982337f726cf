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
    return try rows("SELECT text FROM clip ORDER BY id DESC LIMIT 1", bytes).first
  }

  /// The texts, the newest first, with U+FFFD for invalid bytes.
  public func texts() async throws -> [String] {
    guard try await hasTable() else { return [] }
    return try rows("SELECT text FROM clip ORDER BY captured_at DESC, id DESC") {
      String(decoding: bytes($0), as: UTF8.self)
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

  /// Changes the history as another program.
  public func change(_ sql: String) throws {
    let connection = try ForeignConnection(path)
    connection.waitForLocks()
    try connection.execute(sql)
  }

  private func rows<Row>(_ sql: String, _ read: (OpaquePointer) -> Row) throws -> [Row] {
    let connection = try ForeignConnection(path, isReadOnly: true)
    connection.waitForLocks()
    return try connection.rows(sql, read)
  }

  /// The first column of a row.
  private func bytes(_ row: OpaquePointer) -> [UInt8] {
    let start = sqlite3_column_blob(row, 0)
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(row, 0))))
  }

  /// Whether the program has created the table.
  private func hasTable() async throws -> Bool {
    guard FileManager.default.fileExists(atPath: path) else { return false }
    return try await query("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'clip'") == "1"
  }
}
