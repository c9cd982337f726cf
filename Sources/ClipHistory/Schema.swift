import CSQLite

/// The tables, and how a file comes to have them.
enum Schema {
  /// "CPst", which marks a file as a history of ours; `file` and other programs can see it too.
  static let applicationID: Int64 = 0x4350_7374

  /// The version that this program writes: one for each migration.
  static var version: Int { migrations.count }

  /// Each step, once released, is never edited; a change is a new step at the end.
  static let migrations = [
    """
    CREATE TABLE clip(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      captured_at INTEGER NOT NULL,
      byte_count INTEGER NOT NULL,
      preview TEXT,
      text TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER clip_is_not_updated BEFORE UPDATE ON clip
    BEGIN SELECT RAISE(ABORT, 'a clip is immutable'); END;
    CREATE TRIGGER clip_is_not_replaced BEFORE INSERT ON clip
    WHEN EXISTS (SELECT 1 FROM clip WHERE id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'a clip is immutable'); END;

    CREATE TABLE last_capture(
      only INTEGER PRIMARY KEY CHECK (only = 1),
      key BLOB NOT NULL,
      digest BLOB NOT NULL,
      byte_count INTEGER NOT NULL,
      captured_at INTEGER NOT NULL
    ) STRICT;
    INSERT INTO last_capture VALUES (1, randomblob(32), x'', 0, 0);
    """
  ]

  /// The version of a history, 0 of an empty file; throws where the file is another program's, or newer than we are.
  static func version(of connection: Connection) throws(StoreError) -> Int {
    // In one transaction: between two reads another process may make the tables.
    try connection.execute("BEGIN")
    defer { sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil) }
    let found = Int(try integer("PRAGMA user_version", connection))
    switch try integer("PRAGMA application_id", connection) {
    case applicationID where found > version: throw .newerSchema(found: found, known: version)
    case applicationID where found > 0: return found
    case applicationID: throw .damaged
    case 0 where found == 0: break
    default: throw .foreign
    }
    let tables = try integer("SELECT count(*) FROM sqlite_schema", connection)
    guard tables == 0 else { throw .foreign }
    return 0
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
