/// The pages of a database with those of its log laid over them, as far as each can be read.
///
/// The file format is read, without SQLite, which may refuse a whole file for want of one page
/// (https://sqlite.org/fileformat2.html).
struct DatabasePages {
  static let pageSize = WALReader.pageSize

  /// How many pages there are.
  var count: Int { fileCount + logOnly.count }
  /// The file has the pages with the numbers from 1 to this one.
  let fileCount: Int
  /// The numbers of those that only the log has; a damaged log may name any.
  let logOnly: [Int]
  /// Whether the file begins as a database of SQLite's does.
  var isDatabase: Bool { header?.starts(with: Array("SQLite format 3\0".utf8)) ?? false }

  private let file: RawFile?
  private let log: RawFile?
  private let logPages: WALReader?

  /// - Throws: `.folderUnusable` if a file is there, and may not be read.
  init(_ location: HistoryLocation) throws(StoreError) {
    file = try RawFile(location.database)
    log = try RawFile(location.writeAheadLog)
    logPages = log.map(WALReader.init)
    let fileCount = (file?.size ?? 0) / Self.pageSize
    self.fileCount = fileCount
    logOnly = logPages?.offsets.keys.filter { $0 > fileCount }.sorted() ?? []
  }

  /// The bytes of a page, nil if it is missing.
  func page(_ number: Int) -> [UInt8]? {
    guard number > 0 else { return nil }
    if let offset = logPages?.offsets[number], let log {
      return log.bytes(at: offset, count: Self.pageSize)
    }
    guard number <= fileCount else { return nil }
    return file?.bytes(at: (number - 1) * Self.pageSize, count: Self.pageSize)
  }

  /// The number that marks a program's files, and the schema's version; nil if the header is missing.
  var marks: (applicationID: Int64, version: Int)? {
    guard isDatabase, let header else { return nil }
    return (Int64(header.uint32(at: 68)), header.uint32(at: 60))
  }

  private var header: [UInt8]? {
    // The file may be cut off within the first page.
    page(1) ?? file?.bytes(at: 0, count: 100)
  }
}
