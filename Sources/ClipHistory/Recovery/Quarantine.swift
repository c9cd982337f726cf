import Glibc

/// The damaged files that recoveries have set aside: a database under a dated name, and its WAL and journal.
struct Quarantine {
  private static let prefix = "history-damaged-"
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
      if Self.isDated(name) { names.append(name) }
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
    strftime(&text, text.count, "%Y-%m-%d-%H%M%S", &local)
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
    for name in names where Self.date(of: name) < time { try HistoryFolder.remove(folder + "/" + name) }
  }

  /// Returns the time in a name; the earliest possible time if it is invalid.
  private static func date(of name: String) -> Int64 {
    // The digits of the date are the first 14 behind the prefix; `isDated` has found at least 14.
    let digits = name.dropFirst(prefix.count).compactMap(\.wholeNumberValue)
    guard digits.count >= 14 else { return .min }
    func number(_ range: Range<Int>) -> Int32 { digits[range].reduce(0) { $0 * 10 + Int32($1) } }
    var local = tm()
    (local.tm_year, local.tm_mon, local.tm_mday) = (number(0..<4) - 1900, number(4..<6) - 1, number(6..<8))
    (local.tm_hour, local.tm_min, local.tm_sec) = (number(8..<10), number(10..<12), number(12..<14))
    local.tm_isdst = -1
    return Int64(mktime(&local))
  }

  /// Whether a name has the form of those that `path` returns.
  private static func isDated(_ name: String) -> Bool {
    let addition = additions.first { name.hasSuffix(ending + $0) } ?? ""
    guard name.hasPrefix(prefix), name.hasSuffix(ending + addition) else { return false }
    let date = name.dropFirst(prefix.count).dropLast(ending.count + addition.count)
    return date.count >= 17 && date.allSatisfy { $0 == "-" || $0.isASCII && $0.isNumber }
  }
}
