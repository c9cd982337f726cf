import CSQLite

/// A prepared statement, which keeps its connection open.
///
/// ```swift
/// let statement = try Statement("SELECT text FROM clip WHERE id = ?1", on: database)
/// let bytes = try statement.first(id) { $0.bytes(0) }
/// ```
final class Statement {
  private let handle: OpaquePointer
  private let database: Database

  /// - Throws: `.damaged` if the file lacks a table or a column that the statement names.
  init(_ sql: String, on database: Database) throws(StoreError) {
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(
      database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle else {
      // All SQL here is constant and tested, so a compile error means that the file is damaged.
      throw code == SQLITE_ERROR ? .damaged : database.failure(code)
    }
    self.handle = handle
    self.database = database
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Returns the result of `read` for the first row; nil if there is no row.
  func first<Value>(
    _ parameters: (any Parameter)?..., read: (Statement) -> Value
  ) throws(StoreError) -> Value? {
    try run(with: parameters) { () throws(StoreError) in try step() ? read(self) : nil }
  }

  func execute(_ parameters: (any Parameter)?...) throws(StoreError) {
    _ = try run(with: parameters, step)
  }

  /// Binds the parameters and runs `body`; then resets the statement and clears the parameters, even after an error.
  private func run<Result>(
    with parameters: [(any Parameter)?], _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    defer {
      // Ignore the result, which repeats the error of the last step.
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    for (index, parameter) in zip(Int32(1)..., parameters) {
      guard let code = parameter?.bind(to: handle, at: index), code != SQLITE_OK else { continue }
      // The value to write is too large; the file is not damaged.
      throw code == SQLITE_TOOBIG ? .failed(code: code) : database.failure(code)
    }
    return try body()
  }

  /// Advances to the next row.
  ///
  /// - Returns: false after the last row.
  func step() throws(StoreError) -> Bool {
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw database.failure(code)
    }
  }

  // MARK: Iteration over clips, whose id is column 0

  // In a damaged page ids may be out of order, which SQLite does not check. Without the checks below, an iteration
  // could return to earlier clips forever.

  /// Calls `body` with the id of each row until `body` returns false.
  ///
  /// - Throws: `.damaged` if the ids are not in order.
  func walk(
    _ parameters: (any Parameter)?..., descending: Bool = false,
    _ body: (Int64) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try run(with: parameters) { () throws(StoreError) in
      var last: Int64?
      while try step() {
        let id = integer(0)
        if let last, descending ? id >= last : id <= last { throw database.failure(SQLITE_CORRUPT) }
        last = id
        guard try body(id) else { return }
      }
    }
  }

  /// Reads the first clip with an id from `start` (`?1`) to `end` (`?2`), and moves `start` past it; nil if there is
  /// none.
  ///
  /// No lock is held between two clips. `start` becomes nil after the largest possible id.
  func nextClip<Value>(
    from start: inout Int64?, to end: Int64 = .max, read: (Statement) -> Value
  ) throws(StoreError) -> Value? {
    guard let least = start,
      let (id, value) = try first(least, end, read: { ($0.integer(0), read($0)) })
    else { return nil }
    guard id >= least else { throw database.failure(SQLITE_CORRUPT) }
    start = id < .max ? id + 1 : nil
    return value
  }

  // MARK: Columns of the current row, counted from 0

  func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  /// Returns the time in a column; 0 if the time is implausible.
  func time(_ column: Int32) -> Int64 {
    CaptureTime.plausible(integer(column))
  }

  func bytes(_ column: Int32) -> [UInt8] {
    Array(raw(column))
  }

  /// Returns a text, decoded from at most `limit` bytes.
  func string(_ column: Int32, atMost limit: Int = .max) -> String {
    String(decoding: raw(column).prefix(limit), as: UTF8.self)
  }

  func byteCount(_ column: Int32) -> Int { raw(column).count }

  // MARK: -

  private func raw(_ column: Int32) -> UnsafeRawBufferPointer {
    // Get the pointer first, because this may convert the value and so change its size. Only `sqlite3_column_text`
    // converts a text of a UTF-16 database to UTF-8.
    let isText = sqlite3_column_type(handle, column) == SQLITE_TEXT
    let start =
      isText ? UnsafeRawPointer(sqlite3_column_text(handle, column)) : sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }
}

/// A value for a statement's parameter; nil stands for NULL.
protocol Parameter {
  /// Binds the value to the parameter number `index`, counted from 1, and returns SQLite's result code.
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

extension Int64: Parameter {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, self)
  }
}

/// A blob, which SQLite copies.
extension [UInt8]: Parameter {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    // An empty array may have a null pointer, which would bind NULL.
    if isEmpty { return sqlite3_bind_zeroblob(statement, index, 0) }
    return sqlite3_bind_blob64(statement, index, self, UInt64(count), copied)
  }
}

extension String: Parameter {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_text64(statement, index, self, UInt64(utf8.count), copied, UInt8(SQLITE_UTF8))
  }
}

/// A text that is not copied; its bytes must stay valid while the statement runs.
extension UnsafeRawBufferPointer: Parameter {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    let start = assumingMemoryBound(to: CChar.self).baseAddress
    return sqlite3_bind_text64(statement, index, start, UInt64(count), nil, UInt8(SQLITE_UTF8))
  }
}

/// SQLITE_TRANSIENT, a macro that Swift cannot import.
private var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
