import CSQLite
import Foundation
import Synchronization
import TestSupport

/// Simulates the disk below SQLite, including power cuts and a lack of space.
///
/// All calls are passed on to the real files. Writes since a file's last sync are recorded, because in a power cut each
/// of them may reach the disk completely, partially or not at all. This VFS becomes the default of the process, so use
/// it in exit tests only.
enum TestFiles {
  /// A change to a file that has not been synced yet.
  private enum Change {
    case write(offset: Int, bytes: [UInt8])
    case truncate(size: Int)
  }

  private struct File {
    var durable: [UInt8] = []
    /// Whether the file's entry in its folder is synced.
    var exists = false
    var changes: [Change] = []

    /// Makes all changes durable.
    mutating func settle() {
      for change in changes { TestFiles.apply(change, to: &durable) }
      changes = []
      exists = true
    }
  }

  private struct State {
    var files: [String: File] = [:]
    /// The path and the address of the real methods of each open file, keyed by the address of SQLite's file object.
    var open: [UInt: (path: String, methods: UInt)] = [:]
    /// The number of changes until `beforeChange` is called.
    var changesLeft = 0
    var beforeChange: (@Sendable () -> Void)?
    /// How many more bytes may be added to all files, or only to the file `narrowFile`; nil for no limit.
    var room: Int?
    var narrowFile: String?
    /// The `errno` with which creating a log's index fails; nil if creating it succeeds.
    var indexError: Int32?
  }

  private static let state = Mutex(State())

  static func install() {
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: real)
    vfs.pointee.zName = UnsafePointer(strdup("test-files"))
    vfs.pointee.xOpen = { TestFiles.open($0, $1, $2, $3, $4) }
    vfs.pointee.xDelete = { TestFiles.delete($0, $1, $2) }
    sqlite3_vfs_register(vfs, 1)
  }

  /// Calls `body` before the `number`-th change from now, on the thread that makes the change.
  static func beforeChange(_ number: Int, _ body: @escaping @Sendable () -> Void) {
    state.withLock { ($0.changesLeft, $0.beforeChange) = (number, body) }
  }

  /// Lets all files, or only `file`, grow by at most `room` more bytes; a `room` of nil removes the limit.
  static func limitRoom(to room: Int?, of file: String? = nil) {
    state.withLock { ($0.room, $0.narrowFile) = (room, file) }
  }

  /// Makes the creation of a log's index fail with this `errno`; nil lets it succeed.
  static func failIndex(with code: Int32?) {
    state.withLock { $0.indexError = code }
  }

  /// Returns the files of a folder, by name, as a power cut at this moment might leave them.
  static func afterPowerCut(in folder: String, using random: inout SplitMix) -> [String: Data] {
    let files = state.withLock { $0.files }
    var left: [String: Data] = [:]
    for (path, file) in files where path.hasPrefix(folder) && (file.exists || Bool.random(using: &random)) {
      var content = file.durable
      for change in file.changes where Bool.random(using: &random) {
        let isTorn = Int.random(in: 0..<3, using: &random) == 0
        apply(change, to: &content) { !isTorn || Bool.random(using: &random) }
      }
      left[URL(filePath: path).lastPathComponent] = Data(content)
    }
    return left
  }

  // MARK: -

  /// SQLite's own VFS, looked up by name because this VFS may be the default.
  private static var real: sqlite3_vfs {
    guard let vfs = sqlite3_vfs_find("unix") else { preconditionFailure("SQLite without files") }
    return vfs.pointee
  }

  /// Writes those sectors of a change for which `arrives` returns true.
  private static func apply(_ change: Change, to content: inout [UInt8], _ arrives: () -> Bool = { true }) {
    switch change {
    case .truncate(let size): content.removeLast(max(0, content.count - size))
    case .write(let offset, let bytes):
      for start in stride(from: 0, to: bytes.count, by: 512) where arrives() {
        let sector = bytes[start..<min(start + 512, bytes.count)]
        let (begin, end) = (offset + start, offset + start + sector.count)
        if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
        content.replaceSubrange(begin..<end, with: sector)
      }
    }
  }

  private typealias FilePointer = UnsafeMutablePointer<sqlite3_file>

  private static func open(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ file: FilePointer?,
    _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    let code = real.xOpen(vfs, name, file, flags, outFlags)
    guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods, let name else { return code }
    let path = String(cString: name)
    let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    table.initialize(to: methods.pointee)
    table.pointee.xWrite = { TestFiles.write($0, $1, $2, $3) }
    table.pointee.xTruncate = { TestFiles.truncate($0, $1) }
    table.pointee.xSync = { TestFiles.sync($0, $1) }
    table.pointee.xShmMap = { TestFiles.mapIndex($0, $1, $2, $3, $4) }
    file.pointee.pMethods = UnsafePointer(table)
    let isDatabase = flags & SQLITE_OPEN_MAIN_DB != 0
    let (key, realMethods) = (UInt(bitPattern: file), UInt(bitPattern: methods))
    state.withLock {
      $0.open[key] = (path, realMethods)
      // `mknod` creates the empty database, and its folder is synced separately, so the name already exists on disk.
      if $0.files[path] == nil { $0.files[path] = File(exists: isDatabase) }
    }
    return code
  }

  private static func methods(_ file: FilePointer?) -> sqlite3_io_methods {
    let key = UInt(bitPattern: file)
    guard let address = state.withLock({ $0.open[key]?.methods }),
      let methods = UnsafePointer<sqlite3_io_methods>(bitPattern: address)
    else { preconditionFailure("a file that was not opened here") }
    return methods.pointee
  }

  private static func change(_ file: FilePointer?, _ change: Change) {
    let body = state.withLock { state -> (@Sendable () -> Void)? in
      state.changesLeft -= 1
      return state.changesLeft == 0 ? state.beforeChange.take() : nil
    }
    body?()
    let key = UInt(bitPattern: file)
    state.withLock { state in
      if let path = state.open[key]?.path { state.files[path]?.changes.append(change) }
    }
  }

  private static func write(
    _ file: FilePointer?, _ bytes: UnsafeRawPointer?, _ count: Int32, _ offset: Int64
  ) -> Int32 {
    guard hasRoom(for: file, upTo: Int(offset) + Int(count)) else { return SQLITE_FULL }
    let content = UnsafeRawBufferPointer(start: bytes, count: Int(count))
    change(file, .write(offset: Int(offset), bytes: Array(content)))
    return methods(file).xWrite(file, bytes, count, offset)
  }

  private static func truncate(_ file: FilePointer?, _ size: Int64) -> Int32 {
    change(file, .truncate(size: Int(size)))
    return methods(file).xTruncate(file, size)
  }

  private static func sync(_ file: FilePointer?, _ flags: Int32) -> Int32 {
    let code = methods(file).xSync(file, flags)
    let key = UInt(bitPattern: file)
    state.withLock { if code == SQLITE_OK, let path = $0.open[key]?.path { $0.files[path]?.settle() } }
    return code
  }

  private static func mapIndex(
    _ file: FilePointer?, _ region: Int32, _ size: Int32, _ grows: Int32,
    _ address: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> Int32 {
    if let code = state.withLock({ $0.indexError }) {
      errno = code
      return SQLITE_IOERR | 19 << 8
    }
    return methods(file).xShmMap(file, region, size, grows, address)
  }

  private static func delete(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ syncsFolder: Int32
  ) -> Int32 {
    let path = name.map { String(cString: $0) } ?? ""
    state.withLock { _ = $0.files.removeValue(forKey: path) }
    return real.xDelete(vfs, name, syncsFolder)
  }

  private static func hasRoom(for file: FilePointer?, upTo end: Int) -> Bool {
    guard let file, state.withLock({ $0.room }) != nil else { return true }
    var size: Int64 = 0
    _ = methods(file).xFileSize(file, &size)
    let growth = max(0, end - Int(size))
    let key = UInt(bitPattern: file)
    return state.withLock {
      if let name = $0.narrowFile, $0.open[key]?.path.hasSuffix("/" + name) != true { return true }
      guard let room = $0.room, room >= growth else { return false }
      $0.room = room - growth
      return true
    }
  }
}
