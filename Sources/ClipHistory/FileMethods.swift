import CSQLite

/// A database that SQLite reads page by page instead of a file.
protocol PageSource: AnyObject {
  /// The pages from which this database is made, and the size of its own.
  var pages: DatabasePages { get }
  /// How many pages the database has.
  var count: Int { get }
  /// Returns a page, which may be shorter than the others; nil if it does not exist.
  func page(_ number: Int) -> [UInt8]?
}

/// Replaces methods of the file object of a connection, as a VFS shim may.
final class FileMethods {
  /// The target of the file's `pMethods`: the methods that SQLite calls, followed by what they need.
  private struct Methods {
    var table: sqlite3_io_methods
    let original: UnsafePointer<sqlite3_io_methods>
    let source: (any PageSource)?
  }

  private let methods: UnsafeMutablePointer<Methods>

  /// Hooks into the file of an open connection; this object must outlive the connection.
  ///
  /// - Parameter source: what to read instead of the file. Without a source, zeros are written into the unallocated space
  ///   of every page that is written to the database file. The overwritten bytes belong to no row, so SQLite does not
  ///   need them.
  init?(of connection: OpaquePointer, reading source: (any PageSource)? = nil) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let original = file.pointee.pMethods
    else { return nil }
    methods = .allocate(capacity: 1)
    methods.initialize(to: Methods(table: original.pointee, original: original, source: source))
    if source == nil {
      methods.pointee.table.xWrite = { FileMethods.write($0, $1, $2, $3) }
    } else {
      // Version 1 has no mapping of files into memory.
      methods.pointee.table.iVersion = 1
      methods.pointee.table.xRead = { FileMethods.read($0, $1, $2, $3) }
      methods.pointee.table.xFileSize = { file, size in
        let source = FileMethods.methods(of: file)?.pointee.source
        size?.pointee = source.map { sqlite3_int64($0.count * $0.pages.layout.pageSize) } ?? 0
        return SQLITE_OK
      }
    }
    file.pointee.pMethods = UnsafeRawPointer(methods).assumingMemoryBound(to: sqlite3_io_methods.self)
  }

  deinit {
    methods.deinitialize(count: 1)
    methods.deallocate()
  }

  private static func methods(of file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafePointer<Methods>? {
    file?.pointee.pMethods.map { UnsafeRawPointer($0).assumingMemoryBound(to: Methods.self) }
  }

  private static func read(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeMutableRawPointer?, _ count: Int32,
    _ offset: Int64
  ) -> Int32 {
    guard let source = methods(of: file)?.pointee.source,
      case let (index, start) = Int(offset).quotientAndRemainder(dividingBy: source.pages.layout.pageSize),
      let page = source.page(index + 1)
    else { return SQLITE_CORRUPT }
    let target = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
    target.initializeMemory(as: UInt8.self, repeating: 0)
    target.copyBytes(from: page.dropFirst(start).prefix(target.count))
    return SQLITE_OK
  }

  /// In WAL mode, SQLite writes to the database file only during a checkpoint, one page at a time.
  private static func write(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer?, _ count: Int32,
    _ offset: Int64
  ) -> Int32 {
    guard let write = methods(of: file)?.pointee.original.pointee.xWrite else { return SQLITE_IOERR }
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
    let rows = page.uint16(at: 3)
    let start = 8 + 2 * rows
    let end = page.uint16(at: 5)
    guard start <= end, end <= page.count else { return nil }
    // In a file of 900 GB or more, an overflow page could begin like a leaf page; this check rejects it.
    for row in 0..<rows {
      guard (end..<page.count).contains(page.uint16(at: 8 + 2 * row)) else { return nil }
    }
    return start..<end
  }
}
