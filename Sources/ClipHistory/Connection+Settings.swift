import CSQLite
import Glibc

extension Connection {
  /// What every connection is set to: it distrusts the file, and writes no text into temporary files elsewhere.
  func useCautiously() throws(StoreError) {
    try execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY")
  }

  /// What the writing connection is set to.
  ///
  /// - FULL: a commit is on disk when it returns. With NORMAL a power cut takes the last ones.
  /// - secure_delete: what is deleted is overwritten with zeros. FAST leaves it in the log and the file.
  /// - journal_size_limit: a log that one large text has grown is cut back to 4 MiB at its next start.
  func useForWriting() throws(StoreError) {
    try execute(
      "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = \(4 << 20)")
    try useWriteAheadLog()
  }

  /// Turns the write-ahead log on, which the file remembers.
  private func useWriteAheadLog() throws(StoreError) {
    let pause: Int32 = 5
    var waited: Int32 = 0
    while true {
      do throws(StoreError) {
        let mode = try Statement("PRAGMA journal_mode = WAL", on: self).run { row throws(StoreError) in
          try row.step() ? row.string(0) : ""
        }
        guard mode == "wal" else { throw failure(SQLITE_CANTOPEN) }
        return
      } catch .locked where waited < patience {
        // This pragma ignores the busy timeout: a second process that opens a new file meets the first one here.
        usleep(UInt32(pause) * 1000)
        waited += pause
      }
    }
  }
}
