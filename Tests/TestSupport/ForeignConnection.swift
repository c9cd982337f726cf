import CSQLite

/// Another program's connection to a history, which uses SQLite directly.
public final class ForeignConnection {
  /// The connection, for functions of SQLite.
  public private(set) var handle: OpaquePointer?

  /// Opens a database, and creates it unless `isReadOnly` is true.
  public init(_ path: String, isReadOnly: Bool = false) throws {
    let flags = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    try check(sqlite3_open_v2(path, &handle, flags, nil))
  }

  deinit { close() }

  /// Closes the connection, which ends its transaction and its locks.
  public func close() {
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Waits up to five seconds for locks of other connections.
  func waitForLocks() { sqlite3_busy_timeout(handle, 5000) }

  /// Runs statements, and returns SQLite's status.
  @discardableResult
  public func run(_ sql: String) -> Int32 { sqlite3_exec(handle, sql, nil, nil, nil) }

  /// Runs statements, which must succeed.
  public func execute(_ sql: String) throws { try check(run(sql)) }

  /// Returns the first column of all rows, as text.
  public func rows(_ sql: String) throws -> [String] {
    try rows(sql) { row in sqlite3_column_text(row, 0).map { String(cString: $0) } ?? "NULL" }
  }

  /// Returns what `read` makes of each row.
  func rows<Row>(_ sql: String, _ read: (OpaquePointer) -> Row) throws -> [Row] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
    var rows: [Row] = []
    while true {
      let status = sqlite3_step(statement)
      guard status == SQLITE_ROW, let statement else {
        try check(status == SQLITE_DONE ? SQLITE_OK : status)
        return rows
      }
      rows.append(read(statement))
    }
  }

  private func check(_ status: Int32) throws {
    guard status != SQLITE_OK else { return }
    // The program may be creating or replacing the file, or holding its lock.
    throw TestSupportError(
      "SQLite: \(String(cString: sqlite3_errmsg(handle))) (\(status))",
      mayPass: [SQLITE_CANTOPEN, SQLITE_BUSY].contains(status & 0xff))
  }
}
