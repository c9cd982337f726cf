import Glibc

/// Puts a finished rescue in the place of the damaged files, which get a dated name.
///
/// In an order that a crash may interrupt anywhere: the database goes first, and if there is none, but a finished
/// rescue, the next start goes on here. A log never lies beside a database that it does not belong to.
struct RescueInstaller {
  let location: HistoryLocation

  /// - Returns: the path that the damaged database has now.
  func install() throws(StoreError) -> String {
    let aside = try freePath()
    for (file, end) in [(location.database, ""), (location.writeAheadLog, "-wal")] {
      guard rename(file, aside + end) == 0 || errno == ENOENT else { throw failure() }
      chmod(aside + end, 0o600)
      try sync()
    }
    // An empty log holds nothing: another program that only reads a history leaves one.
    if try HistoryFolder.size(of: aside + "-wal") == 0 { unlink(aside + "-wal") }
    // Page numbers only, of which SQLite makes new ones.
    unlink(location.sharedMemory)
    unlink(location.damageMark)
    guard rename(location.finishedRescue, location.database) == 0 else { throw failure() }
    try sync()
    return aside
  }

  /// A name by the local time that no file has.
  private func freePath() throws(StoreError) -> String {
    var now = time(nil)
    var local = tm()
    localtime_r(&now, &local)
    var text = [CChar](repeating: 0, count: 32)
    strftime(&text, text.count, "%Y-%m-%d-%H%M%S", &local)
    let date = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let name = location.folder + "/history-damaged-" + date
    var number = 1
    var path = name + ".sqlite3"
    while try HistoryFolder.size(of: path) != nil {
      number += 1
      path = name + "-\(number).sqlite3"
    }
    return path
  }

  private func sync() throws(StoreError) {
    try HistoryFolder.sync(location.folder)
  }

  private func failure() -> StoreError { .folderUnusable(path: location.folder, errno: errno) }
}
