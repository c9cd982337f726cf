import Foundation

/// A history as another program sees it: its documented table, read with `sqlite3` and never written.
public struct HistoryDatabase: Sendable {
  /// One row, byte for byte.
  public struct Clip: Equatable, Sendable {
    /// The key; never used twice.
    public let id: Int64
    /// Microseconds since 1970, UTC.
    public let capturedAt: Int64
    /// What the table says the text's size is.
    public let byteCount: Int
    /// nil where the text is its own preview.
    public let preview: [UInt8]?
    /// The whole text.
    public let text: [UInt8]

    /// The text as a string, for comparing; damaged bytes show as U+FFFD.
    public var string: String { String(decoding: text, as: UTF8.self) }
  }

  /// Where the file is, or will be.
  public let path: String

  /// The database at `path`, which need not be there yet.
  public init(path: String) {
    self.path = path
  }

  /// Every clip, the newest first.
  public func clips() async throws -> [Clip] {
    guard try await hasTable() else { return [] }
    // hex() goes by a text's real length; as text, sqlite3 would print up to the first NUL.
    return try await query(
      """
      SELECT id, captured_at, byte_count, iif(preview IS NULL, 'null', hex(preview)), hex(text)
      FROM clip ORDER BY captured_at DESC, id DESC
      """
    ).split(separator: "\n").map(clip)
  }

  /// The texts, the newest first.
  public func texts() async throws -> [String] {
    try await clips().map(\.string)
  }

  /// The number of clips; 0 before there is a database.
  public func count() async throws -> Int {
    guard try await hasTable() else { return 0 }
    return Int(try await query("SELECT count(*) FROM clip")) ?? 0
  }

  /// The answer of `sqlite3` to a query, columns between bars, one row a line.
  public func query(_ sql: String) async throws -> String {
    // Without a HOME, so that no ~/.sqliterc changes how it answers.
    let result = try await Program.run(
      ["sqlite3", "-readonly", "-batch", "-list", "-noheader", "-cmd", ".timeout 5000", path, sql],
      environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"])
    guard result.exit == .code(0) else { throw TestSupportError("sqlite3: \(result.errors)") }
    return result.text
  }

  /// Whether the program has got as far as making the table.
  private func hasTable() async throws -> Bool {
    guard FileManager.default.fileExists(atPath: path) else { return false }
    return try await query("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'clip'") == "1"
  }

  private func clip(_ line: Substring) throws -> Clip {
    let columns = line.split(separator: "|", omittingEmptySubsequences: false)
    guard columns.count == 5, let id = Int64(columns[0]), let capturedAt = Int64(columns[1]),
      let byteCount = Int(columns[2])
    else { throw TestSupportError("not a clip: \(line.prefix(100))") }
    return Clip(
      id: id, capturedAt: capturedAt, byteCount: byteCount,
      preview: columns[3] == "null" ? nil : bytes(columns[3]), text: bytes(columns[4]))
  }

  private func bytes(_ hexadecimal: Substring) -> [UInt8] {
    let digits = Array(hexadecimal.utf8).map { $0 < 65 ? $0 - 48 : $0 - 55 }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
