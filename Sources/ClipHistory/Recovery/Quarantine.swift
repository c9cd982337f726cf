import CSQLite
import Glibc

/// The damaged files that recoveries have set aside: a database under a dated name, and its WAL and journal.
struct Quarantine {
  private static let prefix = "history-damaged-"
  private static let date = "%Y-%m-%d-%H%M%S"
  private static let ending = ".sqlite3"
  private static let additions = ["-wal", "-journal"]

  private let folder: String
  /// The names of the files, ascending, which is the order of their dates.
  let names: [String]

  /// - Throws: `.folderUnusable` if the folder cannot be listed.
  init(in folder: String) throws(StoreError) {
    self.folder = folder
    guard let listing = opendir(folder) else { throw .folderUnusable(path: folder, errno: errno) }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if Self.date(of: name) != nil { names.append(name) }
    }
    self.names = names.sorted()
  }

  /// Returns where to move a damaged database, or where it already is if a crash has interrupted the move of its WAL.
  func path(isDatabaseMoved: Bool) throws(StoreError) -> String {
    let databases = names.filter { $0.hasSuffix(Self.ending) }
    if isDatabaseMoved, let last = databases.last,
      !Self.additions.contains(where: { names.contains(last + $0) })
    {
      return folder + "/" + last
    }
    var now = time(nil)
    var local = tm()
    localtime_r(&now, &local)
    var text = [CChar](repeating: 0, count: 32)
    strftime(&text, text.count, Self.date, &local)
    let date = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let name = folder + "/" + Self.prefix + date
    var number = 1
    var path = name + Self.ending
    while try HistoryFolder.size(of: path) != nil {
      number += 1
      path = name + "-\(number)" + Self.ending
    }
    return path
  }

  /// Removes the files.
  ///
  /// - Parameter time: removes only those that are older, in seconds since 1970 UTC.
  func remove(before time: Int64 = .max) throws(StoreError) {
    for name in names where Self.date(of: name) ?? .max < time {
      try HistoryFolder.remove(folder + "/" + name)
    }
  }

  /// Returns the time in a name that `path` has returned, in seconds since 1970 UTC; nil for another name.
  private static func date(of name: String) -> Int64? {
    var local = tm()
    let rest = name.withCString { strptime($0, prefix + date, &local).map { String(cString: $0) } }
    let end = rest?.drop { $0 == "-" || $0.isASCII && $0.isNumber }
    guard let end, ([""] + additions).contains(where: { end == ending + $0 }) else { return nil }
    local.tm_isdst = -1
    return Int64(mktime(&local))
  }
}
