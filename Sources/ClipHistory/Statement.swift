import CSQLite

/// A prepared statement, kept as long as its owner needs it; it keeps its connection open.
///
/// ```swift
/// let statement = try Statement("SELECT text FROM clip WHERE id = ?1", on: database)
/// let bytes = try statement.first(id) { $0.bytes(0) }
/// ```
final class Statement {
  private let handle: OpaquePointer
  private let database: Database

  /// Compiles `sql`.
  ///
  /// - Throws: `.damaged` if the file's tables are not those that the statement names.
  init(_ sql: String, on database: Database) throws(StoreError) {
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(
      database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle else {
      // All SQL here is constant and tested, so what does not compile is the file's fault.
      throw code == SQLITE_ERROR ? .damaged : database.failure(code)
    }
    self.handle = handle
    self.database = database
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Runs `body`, and then ends the read and lets go of what was bound, also after an error.
  func run<Result>(_ body: (Statement) throws(StoreError) -> Result) throws(StoreError) -> Result {
    defer {
      // Its result repeats the error of the last step.
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    return try body(self)
  }

  /// Reads the first of the rows that there are with these parameters; nil if there is none.
  func first<Value>(_ parameters: Int64..., read: (Statement) -> Value) throws(StoreError) -> Value? {
    try run { statement throws(StoreError) in
      for (index, parameter) in zip(Int32(1)..., parameters) { bind(parameter, at: index) }
      return try step() ? read(statement) : nil
    }
  }

  /// Runs a statement that returns no rows, with these parameters.
  func execute(_ parameters: Int64...) throws(StoreError) {
    try run { _ throws(StoreError) in
      for (index, parameter) in zip(Int32(1)..., parameters) { bind(parameter, at: index) }
      _ = try step()
    }
  }

  /// Goes to the next row.
  ///
  /// - Returns: false if there is none.
  func step() throws(StoreError) -> Bool {
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw database.failure(code)
    }
  }

  // MARK: Parameters, counted from 1. A call can fail for want of memory or an index that is wrong, no other way.

  func bind(_ value: Int64, at index: Int32) {
    sqlite3_bind_int64(handle, index, value)
  }

  /// Binds a blob; SQLite takes a copy.
  func bind(copying bytes: [UInt8], at index: Int32) throws(StoreError) {
    // An empty array may have no address, which would bind NULL.
    if bytes.isEmpty { return try check(sqlite3_bind_zeroblob(handle, index, 0)) }
    try check(sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), Self.copied))
  }

  /// Binds a short text, of which SQLite takes a copy, or NULL.
  func bind(copying text: String?, at index: Int32) throws(StoreError) {
    guard let text else { return try check(sqlite3_bind_null(handle, index)) }
    try check(
      sqlite3_bind_text64(handle, index, text, UInt64(text.utf8.count), Self.copied, UInt8(SQLITE_UTF8)))
  }

  /// Binds a text without a copy: `bytes` must outlive the `run` around the call.
  func bind(borrowing bytes: UnsafeRawBufferPointer, at index: Int32) throws(StoreError) {
    let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress
    try check(sqlite3_bind_text64(handle, index, start, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8)))
  }

  // MARK: Columns of the current row, counted from 0

  func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  /// A time, 0 if nothing can have been captured then.
  func time(_ column: Int32) -> Int64 {
    CaptureTime.plausible(integer(column))
  }

  func bytes(_ column: Int32) -> [UInt8] {
    Array(raw(column))
  }

  /// A text, of which no more than `limit` bytes are looked at.
  func string(_ column: Int32, atMost limit: Int = .max) -> String {
    String(decoding: raw(column).prefix(limit), as: UTF8.self)
  }

  /// How many bytes a text has.
  func byteCount(_ column: Int32) -> Int { raw(column).count }

  // MARK: -

  /// SQLITE_TRANSIENT, a macro that Swift cannot import.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  private func raw(_ column: Int32) -> UnsafeRawBufferPointer {
    // The pointer first: asking for it may convert the value, and so change the size.
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  private func check(_ code: Int32) throws(StoreError) {
    // The value to be written is too large; the file is sound.
    if code == SQLITE_TOOBIG { throw .failed(code: code) }
    guard code == SQLITE_OK else { throw database.failure(code) }
  }
}
