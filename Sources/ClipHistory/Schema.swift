import CSQLite

enum Schema {
  /// "CPst" in ASCII, which identifies our files; the `file` command shows this id.
  static let applicationID: Int64 = 0x4350_7374

  /// The version that this program writes, which is the number of migrations.
  static var version: Int { migrations.count }

  /// The oldest version that readers support without a migration, because it has every column that they use.
  static let oldestReadable = 1

  /// The columns of `clip`, in the order in which a record stores them; a new column comes last.
  enum ClipColumn: Int, CaseIterable {
    case id, capturedAt, byteCount, preview, text

    /// The number of columns in records of the oldest version: ALTER TABLE does not add columns to existing records.
    static let fewest = 5
  }

  /// The `sql` column of `sqlite_schema` in a history, for each version from 1 on.
  ///
  /// Never edit the statements of a released version. If a migration adds a column, write the table's statement as
  /// SQLite stores it after the migration: with a comma, a space and the column's definition right before the closing
  /// parenthesis.
  private static let objects = [firstObjects, firstObjects + [lastLook]]

  private static let firstObjects = [
    """
    CREATE TABLE clip(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      captured_at INTEGER NOT NULL,
      byte_count INTEGER NOT NULL,
      preview TEXT,
      text TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TRIGGER clip_is_not_updated BEFORE UPDATE ON clip
    BEGIN SELECT RAISE(ABORT, 'a clip is immutable'); END
    """,
    """
    CREATE TRIGGER clip_is_not_replaced BEFORE INSERT ON clip
    WHEN EXISTS (SELECT 1 FROM clip WHERE id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'a clip is immutable'); END
    """,
    """
    CREATE TABLE last_capture(
      only INTEGER PRIMARY KEY CHECK (only = 1),
      key BLOB NOT NULL,
      digest BLOB NOT NULL,
      byte_count INTEGER NOT NULL,
      captured_at INTEGER NOT NULL
    ) STRICT
    """,
  ]

  /// The clocks at the last check for expired clips; `wall_time` is 0 before the first check and after an import.
  private static let lastLook = """
    CREATE TABLE last_look(
      only INTEGER PRIMARY KEY CHECK (only = 1),
      wall_time INTEGER NOT NULL,
      boot_time INTEGER NOT NULL,
      boot_id TEXT NOT NULL
    ) STRICT
    """

  /// Never edit a released step; append a new step instead.
  static let migrations = [
    firstObjects.joined(separator: ";\n")
      + ";\nINSERT INTO last_capture VALUES (1, randomblob(32), x'', 0, 0)",
    lastLook + ";\nINSERT INTO last_look VALUES (1, 0, 0, '')",
  ]

  /// Returns the schema version of a history; 0 for an empty file.
  ///
  /// - Parameter isForReading: whether to accept a newer version that still has the columns of `clip`.
  /// - Throws: `.foreign` if the file is another program's, `.newerSchema` if it is newer than this program, `.damaged`
  ///   if the schema differs from that of its version.
  static func version(of database: Database, isForReading: Bool = false) throws(StoreError) -> Int {
    // Read in one transaction, because another process may create the tables between two reads.
    try database.execute("BEGIN")
    defer { sqlite3_exec(database.handle, "ROLLBACK", nil, nil, nil) }
    let found = Int(try database.integer("PRAGMA user_version") ?? 0)
    switch try database.integer("PRAGMA application_id") {
    case applicationID where found > version:
      if isForReading, hasColumns(database) { return found }
      throw .newerSchema(found: found, known: version)
    case applicationID where found > 0:
      try checkObjects(of: database, version: found)
      return found
    case applicationID: throw .damaged
    case 0 where found == 0: break
    default: throw .foreign
    }
    let tables = try database.integer("SELECT count(*) FROM sqlite_schema")
    guard tables == 0 else { throw .foreign }
    return 0
  }

  private static func hasColumns(_ database: Database) -> Bool {
    let sql = "SELECT id, captured_at, byte_count, preview, text FROM clip"
    return sqlite3_exec(database.handle, "EXPLAIN " + sql, nil, nil, nil) == SQLITE_OK
  }

  /// Compares the schema with the schema that the migrations create.
  ///
  /// Another program's trigger could change what is recorded, and an index would keep copies of deleted texts.
  ///
  /// - Throws: `.damaged` if the schemas differ, or if two tables have the same root page.
  private static func checkObjects(of database: Database, version: Int) throws(StoreError) {
    let found = try database.string(
      """
      SELECT group_concat(coalesce(sql, ''), ';') FROM
        (SELECT sql FROM sqlite_schema WHERE substr(name, 1, 7) <> 'sqlite_' ORDER BY sql)
      """)
    guard found == objects[version - 1].sorted().joined(separator: ";") else { throw .damaged }
    // SQLite accepts two tables with the same root page, and would mix their rows.
    let areApart = try database.integer(
      """
      SELECT count(*) = count(DISTINCT rootpage) AND min(rootpage) > 1 FROM sqlite_schema
      WHERE type IN ('table', 'index')
      """)
    guard areApart == 1 else { throw .damaged }
  }

  /// The largest plausible id: 1,000 captures a second for 285,000 years.
  ///
  /// SQLite assigns no id beyond the largest Int64, so a damaged id close to it would end all recording. A double can
  /// represent this number exactly.
  static let largestID: Int64 = 1 << 53

  /// The SQL condition for the only row of `last_capture`.
  ///
  /// It fails if a damaged page number leads to another table, whose rows would otherwise be read and overwritten.
  static let isLastCapture = "length(key) = 32 AND (SELECT count(*) FROM last_capture) = 1"

  /// The SQL condition for the only row of `last_look`; it detects damage as `isLastCapture` does.
  static let isLastCheck = "only = 1 AND (SELECT count(*) FROM last_look) = 1"

  /// - Throws: `.damaged` if an id or the last assigned id is implausible, or if `sqlite_sequence` contains another
  ///   table's rows. A recovery then assigns new ids.
  static func checkIDs(of database: Database) throws(StoreError) {
    let isRight = try database.integer(
      """
      SELECT count(*) < 2 AND coalesce(min(name IS 'clip' AND CAST(seq AS INTEGER) <= \(largestID)), 1)
        AND coalesce((SELECT min(id) FROM clip) > 0 AND (SELECT max(id) FROM clip) <= \(largestID), 1)
      FROM (SELECT name, seq FROM sqlite_sequence LIMIT 2)
      """)
    guard isRight == 1 else { throw database.failure(SQLITE_CORRUPT) }
  }

  /// Migrates an older or empty file to the current version, each step in a transaction of its own.
  ///
  /// - Throws: `.damaged` if existing rows violate the constraints of a step.
  static func migrate(_ database: Database, by steps: [String] = migrations) throws(StoreError) {
    for (target, step) in zip(1..., steps) {
      try database.transaction { () throws(StoreError) in
        // Check again inside the transaction: another process may have migrated while we waited for the lock.
        guard try database.integer("PRAGMA user_version") ?? 0 < target else { return }
        do throws(StoreError) {
          try database.execute(step)
        } catch .failed(code: SQLITE_ERROR) {
          // The steps are constant and tested, so the rows must be invalid; ADD COLUMN does not report a more specific
          // error.
          throw database.failure(SQLITE_CORRUPT)
        }
        try database.execute(
          "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(target)")
      }
    }
  }
}
