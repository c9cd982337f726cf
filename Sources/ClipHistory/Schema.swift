import CSQLite

/// The tables, and how a file comes to have them.
package enum Schema {
  /// "CPst", which marks a file as a history of ours; `file` and other programs can see it too.
  package static let applicationID: Int64 = 0x4350_7374

  /// The version that this program writes: one for each migration.
  package static var version: Int { migrations.count }

  /// What `sqlite_schema` holds of a history of this version, statement by statement.
  private static let objects = [
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

  /// Each step, once released, is never edited; a change is a new step at the end.
  ///
  /// While there is only one step, it makes `objects`. With a second one, the first needs a copy of what it made.
  static let migrations = [
    objects.joined(separator: ";\n") + ";\nINSERT INTO last_capture VALUES (1, randomblob(32), x'', 0, 0)"
  ]

  /// The version of a history, 0 of an empty file.
  ///
  /// - Throws: `.foreign` if the file is another program's, `.newerSchema` if it is newer than this program.
  static func version(of connection: Connection) throws(StoreError) -> Int {
    // In one transaction: between two reads another process may make the tables.
    try connection.execute("BEGIN")
    defer { sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil) }
    let found = Int(try integer("PRAGMA user_version", connection))
    switch try integer("PRAGMA application_id", connection) {
    case applicationID where found > version: throw .newerSchema(found: found, known: version)
    case applicationID where found == version:
      try checkObjects(of: connection)
      return found
    case applicationID where found > 0: return found
    case applicationID: throw .damaged
    case 0 where found == 0: break
    default: throw .foreign
    }
    let tables = try integer("SELECT count(*) FROM sqlite_schema", connection)
    guard tables == 0 else { throw .foreign }
    return 0
  }

  /// - Throws: `.damaged` if there is anything else than what the migrations make, such as another program's trigger.
  ///
  /// It could do anything with what is recorded; an index would keep copies of deleted texts.
  private static func checkObjects(of connection: Connection) throws(StoreError) {
    var found: Set<String> = []
    try Statement("SELECT sql FROM sqlite_schema WHERE substr(name, 1, 7) <> 'sqlite_'", on: connection).run {
      row throws(StoreError) in
      while try row.step() { found.insert(row.string(0)) }
    }
    guard found == Set(objects) else { throw .damaged }
  }

  /// The largest id that is believed: more than 1,000 captures a second make in 100,000 years.
  ///
  /// SQLite gives out no id after Int64's largest, so one damaged number would be the end of recording. Every program
  /// that holds numbers as doubles can hold this one.
  package static let largestID: Int64 = 1 << 53

  /// - Throws: `.damaged` if the last id that was given out is not believed; a rescue gives new ones.
  static func checkSequence(of connection: Connection) throws(StoreError) {
    let last = try integer(
      "SELECT coalesce(max(CAST(seq AS INTEGER)), 0) FROM sqlite_sequence WHERE name = 'clip'", connection)
    guard last <= largestID else { throw .damaged }
  }

  /// Whether a row has the largest id that there can be, after which SQLite says that the disk is full.
  static func isOutOfIDs(_ connection: Connection) throws(StoreError) -> Bool {
    try integer("SELECT coalesce(max(id), 0) FROM clip", connection) == .max
  }

  /// Brings an older or empty file to the present version, each step in a transaction of its own.
  static func migrate(_ connection: Connection) throws(StoreError) {
    for target in 1...version {
      try connection.transaction { () throws(StoreError) in
        // Again, inside: another process may have done this step while we waited for the lock.
        guard try integer("PRAGMA user_version", connection) < target else { return }
        try connection.execute(migrations[target - 1])
        try connection.execute(
          "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(target)")
      }
    }
  }

  private static func integer(_ sql: String, _ connection: Connection) throws(StoreError) -> Int64 {
    try Statement(sql, on: connection).run { row throws(StoreError) in
      guard try row.step() else { throw .damaged }
      return row.integer(0)
    }
  }
}
