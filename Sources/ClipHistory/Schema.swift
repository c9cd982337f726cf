import CSQLite

/// The tables, and how a file comes to have them.
enum Schema {
  /// "CPst", which marks a file as a history of ours; `file` and other programs can see it too.
  static let applicationID: Int64 = 0x4350_7374

  /// The version that this program writes: one for each migration.
  static var version: Int { migrations.count }

  /// The oldest version that has every column that a reader names: its files can be read without a migration.
  static let oldestReadable = 1

  /// The columns of `clip`, in the order in which a row has them.
  ///
  /// A new column comes last.
  enum ClipColumn: Int, CaseIterable {
    case id, capturedAt, byteCount, preview, text

    /// The columns of a row of the oldest version; a column that is added later is not added in the file.
    static let fewest = 5
  }

  /// The statements that `sqlite_schema` holds of a history, for each version from 1 on.
  ///
  /// The statements of a released version are never edited. SQLite writes an added column right before the closing
  /// parenthesis, after a comma and a space.
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

  /// The clocks at the last look for expired clips; a wall time of 0 if there was none.
  private static let lastLook = """
    CREATE TABLE last_look(
      only INTEGER PRIMARY KEY CHECK (only = 1),
      wall_time INTEGER NOT NULL,
      boot_time INTEGER NOT NULL,
      boot_id TEXT NOT NULL
    ) STRICT
    """

  /// Each step, once released, is never edited; a change is a new step at the end.
  static let migrations = [
    firstObjects.joined(separator: ";\n")
      + ";\nINSERT INTO last_capture VALUES (1, randomblob(32), x'', 0, 0)",
    lastLook + ";\nINSERT INTO last_look VALUES (1, 0, 0, '')",
  ]

  /// The version of a history, 0 of an empty file.
  ///
  /// - Throws: `.foreign` if the file is another program's, `.newerSchema` if it is newer than this program.
  static func version(of database: Database) throws(StoreError) -> Int {
    // In one transaction: between two reads another process may make the tables.
    try database.execute("BEGIN")
    defer { sqlite3_exec(database.handle, "ROLLBACK", nil, nil, nil) }
    let found = Int(try database.integer("PRAGMA user_version") ?? 0)
    switch try database.integer("PRAGMA application_id") {
    case applicationID where found > version: throw .newerSchema(found: found, known: version)
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

  /// - Throws: `.damaged` if there is anything else than what the migrations make, such as another program's trigger.
  ///
  /// A trigger could do anything with what is recorded; an index would keep copies of deleted texts.
  private static func checkObjects(of database: Database, version: Int) throws(StoreError) {
    var found: Set<String> = []
    try Statement("SELECT sql FROM sqlite_schema WHERE substr(name, 1, 7) <> 'sqlite_'", on: database).run {
      statement throws(StoreError) in
      while try statement.step() { found.insert(statement.string(0)) }
    }
    guard found == Set(objects[version - 1]) else { throw .damaged }
    // SQLite opens two tables that begin at the same page, and writes the rows of one among those of the other.
    let areApart = try database.integer(
      """
      SELECT count(*) = count(DISTINCT rootpage) AND min(rootpage) > 1 FROM sqlite_schema
      WHERE type IN ('table', 'index')
      """)
    guard areApart == 1 else { throw .damaged }
  }

  /// The largest id that is believed: more than 1,000 captures a second make in 100,000 years.
  ///
  /// SQLite gives out no id after Int64's largest, so one damaged number would be the end of recording. Every program
  /// that holds numbers as doubles can hold this one.
  static let largestID: Int64 = 1 << 53

  /// The condition that the only row of `last_capture` meets, as SQL.
  ///
  /// If a damaged page number led to another table, its rows would be taken for this one's, and written over.
  static let isLastCapture = "length(key) = 32 AND (SELECT count(*) FROM last_capture) = 1"

  /// The condition that the only row of `last_look` meets, as SQL, for the same reason.
  static let isLastLook = "only = 1 AND (SELECT count(*) FROM last_look) = 1"

  /// - Throws: `.damaged` if the last id that was given out is not believed, in which case a recovery gives new ones, or
  ///   if there are other rows, which are another table's.
  static func checkSequence(of database: Database) throws(StoreError) {
    let isRight = try database.integer(
      """
      SELECT count(*) < 2 AND coalesce(min(name IS 'clip' AND CAST(seq AS INTEGER) <= \(largestID)), 1)
      FROM (SELECT name, seq FROM sqlite_sequence LIMIT 2)
      """)
    guard isRight == 1 else { throw .damaged }
  }

  /// Whether a row has the largest id that there can be, after which SQLite says that the disk is full.
  static func isOutOfIDs(_ database: Database) throws(StoreError) -> Bool {
    try database.integer("SELECT coalesce(max(id), 0) FROM clip") == .max
  }

  /// Brings an older or empty file to the present version, each step in a transaction of its own.
  ///
  /// - Throws: `.damaged` also if a step meets rows that break the rules of their table.
  static func migrate(_ database: Database, by steps: [String] = migrations) throws(StoreError) {
    for (target, step) in zip(1..., steps) {
      try database.transaction { () throws(StoreError) in
        // Again, inside: another process may have done this step while we waited for the lock.
        guard try database.integer("PRAGMA user_version") ?? 0 < target else { return }
        do throws(StoreError) {
          try database.execute(step)
        } catch .failed(code: SQLITE_ERROR) {
          // A step is constant and tested, so the rows are at fault; ADD COLUMN gives no better error.
          throw database.failure(SQLITE_CORRUPT)
        }
        try database.execute(
          "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(target)")
      }
    }
  }
}
