import Foundation
import Synchronization
import Testing

/// Observes the system calls that change files below a folder, and makes some of them fail.
///
/// The test program defines the functions below itself, so its own calls and those of SQLite arrive here; all of them
/// are passed on. Other tests run at the same time, so only calls below `folder` count.
enum FileCalls {
  enum Kind: CaseIterable {
    case rename, unlink, sync, write, truncate
    /// An attempt to allocate room.
    case allocation
    /// A write to the index of a log.
    case index
  }

  struct Call {
    let kind: Kind
    let path: String
    /// The new path of a renamed file.
    var target = ""
    /// The place of a write, or the size to which a file is truncated.
    var offset = 0
    /// What is written.
    var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The number of bytes by which a write enlarges its file.
    var growth = 0
    /// The number of this call among those that are observed, from 1 on.
    var number = 0
  }

  private struct Observer {
    let kinds: [Kind]
    let before: @Sendable (Call) -> Int32
    var count = 0
  }

  /// The observers of the tests that run now, by folder.
  private static let observers = Mutex<[String: Observer]>([:])

  /// Calls `before` before each call; a result other than 0 is the `errno` with which the call fails.
  @discardableResult
  static func observe<Result>(
    _ folder: String, kinds: [Kind] = Kind.allCases, before: @escaping @Sendable (Call) -> Int32,
    during body: () async throws -> Result
  ) async throws -> Result {
    observers.withLock { $0[folder] = Observer(kinds: kinds, before: before) }
    defer { observers.withLock { $0[folder] = nil } }
    return try await body()
  }

  /// Returns the `errno` with which a call fails, or 0.
  fileprivate static func failure(_ call: Call) -> Int32 {
    let (number, before) = observers.withLock { observers -> (Int, (@Sendable (Call) -> Int32)?) in
      let isBelow = { (folder: String) in call.path.hasPrefix(folder + "/") || call.path == folder }
      guard let folder = observers.keys.first(where: isBelow), var observer = observers[folder],
        observer.kinds.contains(call.kind)
      else { return (0, nil) }
      observer.count += 1
      observers[folder] = observer
      return (observer.count, observer.before)
    }
    var call = call
    call.number = number
    return before?(call) ?? 0
  }

  fileprivate static func failure(
    _ kind: Kind, on descriptor: Int32, offset: Int = 0, bytes: UnsafeRawBufferPointer? = nil
  ) -> Int32 {
    guard observers.withLock({ !$0.isEmpty }) else { return 0 }
    var link = [UInt8](repeating: 0, count: 4096)
    let count = link.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { link in
        link.baseAddress.map { readlink("/proc/self/fd/\(descriptor)", $0, link.count) } ?? 0
      }
    }
    guard count > 0 else { return 0 }
    let path = String(decoding: link.prefix(count), as: UTF8.self)
    guard let bytes else { return failure(Call(kind: kind, path: path, offset: offset)) }
    var status = stat()
    fstat(descriptor, &status)
    return failure(
      Call(
        kind: path.hasSuffix("-shm") ? .index : kind, path: path, offset: offset, bytes: bytes,
        growth: max(0, offset + bytes.count - Int(status.st_size))))
  }

  /// The C library's function; RTLD_NEXT, which is -1, skips the definitions below.
  fileprivate static func real<Function>(_ name: String, as type: Function.Type) -> Function {
    unsafeBitCast(dlsym(UnsafeMutableRawPointer(bitPattern: -1), name), to: Function.self)
  }
}

private typealias OfPath = @convention(c) (UnsafePointer<CChar>) -> Int32
private typealias OfPaths = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
private typealias OfFile = @convention(c) (Int32) -> Int32
private typealias Allocation = @convention(c) (Int32, Int, Int) -> Int32
private typealias OfSize = @convention(c) (Int32, Int) -> Int32
private typealias Write = @convention(c) (Int32, UnsafeRawPointer?, Int, Int) -> Int

private func attempt<Result: SignedInteger>(_ failure: Int32, _ call: () -> Result) -> Result {
  guard failure != 0 else { return call() }
  errno = failure
  return -1
}

@_cdecl("rename")
func observedRename(_ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>) -> Int32 {
  attempt(FileCalls.failure(.init(kind: .rename, path: String(cString: old), target: String(cString: new)))) {
    FileCalls.real("rename", as: OfPaths.self)(old, new)
  }
}

@_cdecl("unlink")
func observedUnlink(_ path: UnsafePointer<CChar>) -> Int32 {
  attempt(FileCalls.failure(.init(kind: .unlink, path: String(cString: path)))) {
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

@_cdecl("ftruncate64")
func observedTruncation(_ descriptor: Int32, _ size: Int) -> Int32 {
  attempt(FileCalls.failure(.truncate, on: descriptor, offset: size)) {
    FileCalls.real("ftruncate64", as: OfSize.self)(descriptor, size)
  }
}

@_cdecl("pwrite64")
func observedWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ offset: Int) -> Int {
  let content = UnsafeRawBufferPointer(start: bytes, count: count)
  return attempt(FileCalls.failure(.write, on: descriptor, offset: offset, bytes: content)) {
    FileCalls.real("pwrite64", as: Write.self)(descriptor, bytes, count, offset)
  }
}

@_cdecl("posix_fallocate")
func observedAllocation(_ descriptor: Int32, _ offset: Int, _ count: Int) -> Int32 {
  let room = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: 1), count: count)
  let failure = FileCalls.failure(.allocation, on: descriptor, offset: offset, bytes: room)
  return failure != 0
    ? failure : FileCalls.real("posix_fallocate", as: Allocation.self)(descriptor, offset, count)
}
