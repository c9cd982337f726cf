import Foundation
import Synchronization
import Testing

/// Observes the system calls that change files below a folder, and makes one of them fail.
///
/// The test program defines the functions below itself, so its own calls and those of SQLite arrive here; all of them
/// are passed on. Other tests run at the same time, so only calls below `folder` count.
enum FileCalls {
  enum Kind: CaseIterable {
    case rename, unlink, sync, write
  }

  private struct Observer {
    let kinds: [Kind]
    let before: @Sendable (Int) -> Int32
    var count = 0
  }

  /// The observers of the tests that run now, by folder.
  private static let observers = Mutex<[String: Observer]>([:])

  /// Calls `before` with the number of each call, from 1 on; a result other than 0 is the `errno` with which the call
  /// fails.
  @discardableResult
  static func observe<Result>(
    _ folder: String, kinds: [Kind] = Kind.allCases, before: @escaping @Sendable (Int) -> Int32,
    during body: () async throws -> Result
  ) async throws -> Result {
    observers.withLock { $0[folder] = Observer(kinds: kinds, before: before) }
    defer { observers.withLock { $0[folder] = nil } }
    return try await body()
  }

  /// The free space of folders, in bytes, as `statvfs` reports it; the real space for other folders.
  static let freeSpace = Mutex<[String: UInt]>([:])

  /// Returns the `errno` with which a call fails, or 0.
  fileprivate static func failure(_ kind: Kind, on path: String) -> Int32 {
    let (number, before) = observers.withLock { observers -> (Int, (@Sendable (Int) -> Int32)?) in
      guard let folder = observers.keys.first(where: { path.hasPrefix($0 + "/") || path == $0 }),
        var observer = observers[folder], observer.kinds.contains(kind)
      else { return (0, nil) }
      observer.count += 1
      observers[folder] = observer
      return (observer.count, observer.before)
    }
    return before?(number) ?? 0
  }

  fileprivate static func failure(_ kind: Kind, on descriptor: Int32) -> Int32 {
    guard observers.withLock({ !$0.isEmpty }) else { return 0 }
    var path = [UInt8](repeating: 0, count: 4096)
    let count = path.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { link in
        link.baseAddress.map { readlink("/proc/self/fd/\(descriptor)", $0, link.count) } ?? 0
      }
    }
    return count > 0 ? failure(kind, on: String(decoding: path.prefix(count), as: UTF8.self)) : 0
  }

  /// The C library's function; RTLD_NEXT, which is -1, skips the definitions below.
  fileprivate static func real<Function>(_ name: String, as type: Function.Type) -> Function {
    unsafeBitCast(dlsym(UnsafeMutableRawPointer(bitPattern: -1), name), to: Function.self)
  }
}

private typealias OfPath = @convention(c) (UnsafePointer<CChar>) -> Int32
private typealias OfPaths = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
private typealias OfFolder = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<statvfs>) -> Int32
private typealias OfFile = @convention(c) (Int32) -> Int32
private typealias Write = @convention(c) (Int32, UnsafeRawPointer?, Int, Int) -> Int

private func attempt<Result: SignedInteger>(_ failure: Int32, _ call: () -> Result) -> Result {
  guard failure != 0 else { return call() }
  errno = failure
  return -1
}

@_cdecl("rename")
func observedRename(_ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>) -> Int32 {
  attempt(FileCalls.failure(.rename, on: String(cString: old))) {
    FileCalls.real("rename", as: OfPaths.self)(old, new)
  }
}

@_cdecl("unlink")
func observedUnlink(_ path: UnsafePointer<CChar>) -> Int32 {
  attempt(FileCalls.failure(.unlink, on: String(cString: path))) {
    FileCalls.real("unlink", as: OfPath.self)(path)
  }
}

@_cdecl("fsync")
func observedSync(_ descriptor: Int32) -> Int32 {
  attempt(FileCalls.failure(.sync, on: descriptor)) { FileCalls.real("fsync", as: OfFile.self)(descriptor) }
}

@_cdecl("fdatasync")
func observedDataSync(_ descriptor: Int32) -> Int32 {
  attempt(FileCalls.failure(.sync, on: descriptor)) {
    FileCalls.real("fdatasync", as: OfFile.self)(descriptor)
  }
}

@_cdecl("pwrite64")
func observedWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ offset: Int) -> Int {
  attempt(FileCalls.failure(.write, on: descriptor)) {
    FileCalls.real("pwrite64", as: Write.self)(descriptor, bytes, count, offset)
  }
}

@_cdecl("statvfs")
func observedSpace(_ path: UnsafePointer<CChar>, _ found: UnsafeMutablePointer<statvfs>) -> Int32 {
  let result = FileCalls.real("statvfs", as: OfFolder.self)(path, found)
  if let space = FileCalls.freeSpace.withLock({ $0[String(cString: path)] }) {
    found.pointee.f_bavail = space / found.pointee.f_frsize
  }
  return result
}
