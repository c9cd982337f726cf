import CSQLite

/// Replaces methods of the file object of a connection, as a VFS shim may.
final class FileMethods {
  enum Change {
    /// Writes zeros into the unallocated space of every page that is written to the database file. The overwritten
    /// bytes belong to no row, so SQLite does not need them.
    case zeroing
    /// Takes no locks. SQLite's VFS without locks would drop those of other connections when it closes the file.
    case withoutLocks
  }

  /// The target of the file's `pMethods`: the methods that SQLite calls, followed by a pointer to the original methods.
  private struct Methods {
    var table: sqlite3_io_methods
    let original: UnsafePointer<sqlite3_io_methods>
  }

  private let methods: UnsafeMutablePointer<Methods>

  /// Hooks into the file of an open connection; this object must outlive the connection.
  init?(of connection: OpaquePointer, _ change: Change) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let original = file.pointee.pMethods
    else { return nil }
    methods = .allocate(capacity: 1)
    methods.initialize(to: Methods(table: original.pointee, original: original))
    switch change {
    case .zeroing:
      methods.pointee.table.xWrite = { FileMethods.write($0, $1, $2, $3) }
    case .withoutLocks:
      methods.pointee.table.xLock = { _, _ in SQLITE_OK }
      methods.pointee.table.xUnlock = { _, _ in SQLITE_OK }
      methods.pointee.table.xCheckReservedLock = { _, isReserved in
        isReserved?.pointee = 0
        return SQLITE_OK
      }
    }
    file.pointee.pMethods = UnsafeRawPointer(methods).assumingMemoryBound(to: sqlite3_io_methods.self)
  }

  deinit {
    methods.deallocate()
  }

  /// In WAL mode, SQLite writes to the database file only during a checkpoint, one page at a time.
  private static func write(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer?, _ count: Int32,
    _ offset: Int64
  ) -> Int32 {
    guard let file, let table = file.pointee.pMethods else { return SQLITE_IOERR }
    let methods = UnsafeRawPointer(table).assumingMemoryBound(to: Methods.self)
    guard let write = methods.pointee.original.pointee.xWrite else { return SQLITE_IOERR }
    let page = UnsafeRawBufferPointer(start: bytes, count: Int(count))
    guard let unallocated = unallocatedSpace(of: page) else {
      return write(file, bytes, count, offset)
    }
    return withUnsafeTemporaryAllocation(byteCount: page.count, alignment: 8) { copy in
      copy.copyMemory(from: page)
      let gap = UnsafeMutableRawBufferPointer(rebasing: copy[unallocated])
      gap.initializeMemory(as: UInt8.self, repeating: 0)
      return write(file, copy.baseAddress, count, offset)
    }
  }

  /// Returns the range between the cell pointers of a leaf page and its cell content area
  /// (https://sqlite.org/fileformat2.html#b_tree_pages).
  ///
  /// When SQLite balances its tree, it moves rows between pages and leaves copies in their old places, which
  /// `secure_delete` does not overwrite. Measured with SQLite 3.40: 38 of 27,018 deletions left a copy of the
  /// deleted text, always in this range.
  ///
  /// - Returns: nil if the page is not a leaf page of a table, or is malformed.
  private static func unallocatedSpace(of page: UnsafeRawBufferPointer) -> Range<Int>? {
    // This also excludes the first page, which holds the schema after the file's header.
    guard page.count >= 512, page[0] == 0x0d else { return nil }
    let rows = number(at: 3, in: page)
    let start = 8 + 2 * rows
    let end = number(at: 5, in: page)
    guard start <= end, end <= page.count else { return nil }
    // In a file of 900 GB or more, an overflow page could begin like a leaf page; this check rejects it.
    for row in 0..<rows {
      guard (end..<page.count).contains(number(at: 8 + 2 * row, in: page)) else { return nil }
    }
    return start..<end
  }

  private static func number(at offset: Int, in page: UnsafeRawBufferPointer) -> Int {
    Int(page[offset]) << 8 | Int(page[offset + 1])
  }
}
