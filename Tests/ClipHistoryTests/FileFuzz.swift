import Foundation
import TestSupport

@testable import ClipHistory

/// Damages the files of a history at random, and looks what becomes of it: whatever its bytes are, it can be opened or
/// rescued, holds what was not hit, and records the next text.
struct FileFuzz {
  /// What must not happen.
  struct Finding: Error, CustomStringConvertible {
    let description: String
  }

  /// The files of a history before they are damaged, and what is in it.
  struct Original: Sendable {
    let database: [UInt8]
    let log: [UInt8]
    let texts: [Int64: [UInt8]]
    /// The pages of the database that each row is on.
    let pages: [Int64: Set<Int>]
    /// Where something is in the database.
    let used: [Int]
  }

  static let now: Int64 = 1_800_000_000_000_000

  private let originals: [Original]
  /// In memory, if there is such a file system: every one is written and synced several times.
  private let folder: String
  private(set) var rescues = 0
  /// How many damaged files gave each row that was not hit only after a check had found the damage.
  private(set) var foundByCheck = 0
  private(set) var refusals = 0
  /// What was recorded in the file at hand.
  private var recorded: [ClipText] = []

  init() async throws {
    originals = [try await Self.small(), try await Self.closed(), try await Self.open()]
    let parent = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm/" : NSTemporaryDirectory()
    folder = parent + "copypasta-fuzz-\(UUID().uuidString)"
  }

  /// How many bits the smallest file has: so many seeds flip each of them once.
  var bitCount: Int { originals[0].database.count * 8 }

  func cleanUp() throws {
    if FileManager.default.fileExists(atPath: folder) { try FileManager.default.removeItem(atPath: folder) }
  }

  // MARK: The files

  /// An empty history with a fixed key, so that a seed damages the same bytes in every run; only the log's salts differ.
  private static func emptyHistory() async throws -> TemporaryHistory {
    let history = try TemporaryHistory()
    await (try history.store()).close()
    try history.run("UPDATE last_capture SET key = CAST(printf('%032d', 1) AS BLOB)")
    return history
  }

  private static func small() async throws -> Original {
    let history = try await emptyHistory()
    let store = try history.store()
    for number in 1...3 { try await store.add("clip \(number)", at: now - 1_000_000) }
    await store.close()
    return try original(of: history)
  }

  private static func closed() async throws -> Original {
    let history = try await emptyHistory()
    try await fill(try history.store())
    return try original(of: history)
  }

  /// As a crash leaves it: a part in the database, a part in the log.
  private static func open() async throws -> Original {
    let history = try await emptyHistory()
    let store = try history.store()
    try await store.add("in the file", at: now - 2_000_000)
    try history.run("PRAGMA wal_checkpoint(TRUNCATE)")
    for number in 1...8 {
      try await store.add(String(repeating: "logged \(number) ", count: number * 60), at: now - 1_000_000)
    }
    return try original(of: try history.snapshot())
  }

  private static func fill(_ store: HistoryStore) async throws {
    for number in 1...40 {
      let count = number == 20 ? 2_000 : number % 9 * 8 + 1
      try await store.add(
        String(repeating: "clip \(number) é ", count: count), at: now - 1_000_000 + Int64(number))
    }
    try await store.delete(40)
    await store.close()
  }

  private static func original(of history: TemporaryHistory) throws -> Original {
    let location = history.location
    let database = try [UInt8](Data(contentsOf: URL(filePath: location.database)))
    let hasLog = FileManager.default.fileExists(atPath: location.writeAheadLog)
    let log = hasLog ? try [UInt8](Data(contentsOf: URL(filePath: location.writeAheadLog))) : []
    var salvage = try Salvage(location)
    var texts: [Int64: [UInt8]] = [:]
    var pages: [Int64: Set<Int>] = [:]
    for position in salvage.positions {
      guard let clip = salvage.clip(at: position) else {
        throw Finding(description: "the original is damaged")
      }
      texts[clip.id] = clip.text.bytes
      // The pages of a large text lie anywhere: such a row counts as hit by anything.
      let isLarge = clip.text.byteCount > 3_000
      pages[clip.id] = isLarge ? Set(-1..<database.count / 4096) : [Int(position.page) - 1]
    }
    return Original(
      database: database, log: log, texts: texts, pages: pages,
      used: database.indices.filter { database[$0] != 0 })
  }

  // MARK: Damage

  private struct Damaged {
    var database: [UInt8]
    var log: [UInt8]
    /// Which pages of the database were hit; nil if anything may be.
    var hit: Set<Int>? = []
  }

  private func damage(_ original: Original, using random: inout SplitMix) -> Damaged {
    var files = Damaged(database: original.database, log: original.log)
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1:
      // Where something is: the rest of a page is mostly zeros, which nobody reads.
      let offset = original.used.randomElement(using: &random) ?? 0
      files.database[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      files.hit = [offset / 4096]
    case 2:
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        let start = Int.random(in: files.database.indices, using: &random)
        let end = min(start + Int.random(in: 1...300, using: &random), files.database.count)
        for offset in start..<end { files.database[offset] = UInt8.random(in: 0...255, using: &random) }
        files.hit?.formUnion(start / 4096...(end - 1) / 4096)
      }
    case 3:
      let first = Int.random(in: 0..<files.database.count / 4096, using: &random)
      let second = Int.random(in: 0..<files.database.count / 4096, using: &random)
      for offset in 0..<4096 { files.database.swapAt(first * 4096 + offset, second * 4096 + offset) }
      // The rows are still there, if not where they were, but what of a large one is where it goes on?
      files.hit = first == 0 || second == 0 ? nil : [-1]
    case 4:
      let size = Int.random(in: 0...files.database.count, using: &random)
      files.hit = Set(size / 4096..<max(files.database.count / 4096, size / 4096))
      files.database.removeLast(files.database.count - size)
    case 5:
      // What a number must not be.
      let values: [UInt64] = [.max, 0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0000, 0, 0x7fff_ffff, 0xffff]
      let offset = min(original.used.randomElement(using: &random) ?? 0, files.database.count - 8)
      let width = [1, 2, 4, 8].randomElement(using: &random) ?? 8
      let value = values.randomElement(using: &random) ?? .max
      for index in 0..<width {
        files.database[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - index)))
      }
      files.hit = [offset / 4096, (offset + width - 1) / 4096]
    default:
      damageLog(&files, using: &random)
    }
    return files
  }

  private func damageLog(_ files: inout Damaged, using random: inout SplitMix) {
    files.hit = nil
    guard !files.log.isEmpty else { return }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: files.log.removeLast(Int.random(in: 0...files.log.count, using: &random))
    case 1:
      let start = Int.random(in: files.log.indices, using: &random)
      for offset in start..<min(start + Int.random(in: 1...5_000, using: &random), files.log.count) {
        files.log[offset] = UInt8.random(in: 0...255, using: &random)
      }
    case 2:
      let count = (files.log.count - 32) / 4120
      let first = 32 + Int.random(in: 0..<count, using: &random) * 4120
      let second = 32 + Int.random(in: 0..<count, using: &random) * 4120
      for offset in 0..<4120 { files.log.swapAt(first + offset, second + offset) }
    default:
      let offset = Int.random(in: files.log.indices, using: &random)
      files.log[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    }
    if Bool.random(using: &random) { files.database = [] }
  }

  // MARK: What must hold

  /// Damages one file as `seed` says; flips one bit of the smallest instead if there is such a `bit`.
  mutating func run(seed: UInt64, bit: Int?) async throws {
    var random = SplitMix(seed: seed)
    let original = bit != nil ? originals[0] : originals[Int.random(in: 0..<originals.count, using: &random)]
    var files: Damaged
    if let bit {
      files = Damaged(database: original.database, log: original.log, hit: [bit / 8 / 4096])
      files.database[bit / 8] ^= 1 << (bit % 8)
    } else {
      files = damage(original, using: &random)
    }
    let location = HistoryLocation(folder: folder)
    try cleanUp()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(files.database).write(to: URL(filePath: location.database))
    if !files.log.isEmpty { try Data(files.log).write(to: URL(filePath: location.writeAheadLog)) }

    do {
      try await use(location)
      try await compare(location, with: original, files.hit)
    } catch StoreError.foreign {
      // Whose mark it has, or which version, is in the first page.
      guard files.hit?.contains(0) ?? true else { throw StoreError.foreign }
      refusals += 1
    } catch StoreError.newerSchema(let found, let known) {
      guard files.hit?.contains(0) ?? true else { throw StoreError.newerSchema(found: found, known: known) }
      refusals += 1
    }
  }

  /// Opens, reads, records and exports, as a start and a use of the program do; a damage that comes up is rescued, once.
  private mutating func use(_ location: HistoryLocation) async throws {
    recorded = []
    do {
      try await useOnce(location, recording: "next")
    } catch StoreError.damaged {
      guard try await HistoryRescuer().rescue(location) != nil else {
        throw Finding(description: "not rescued")
      }
      rescues += 1
      try await useOnce(location, recording: "after the rescue")
    }
  }

  private mutating func useOnce(_ location: HistoryLocation, recording text: String) async throws {
    let store = try HistoryStore(
      location: location, digest: testDigest, timeouts: .init(lock: 50, retries: []))
    do {
      let reader = try HistoryReader(location: location)
      let page = try reader.newestPage(limit: 100)
      let ids = try await store.allIDs()
      guard ids == page.reversed().map(\.id) else { throw Finding(description: "two lists") }
      for clip in page { try Self.expectValid(clip) }
      var shown: [Int64: ClipText] = [:]
      for id in ids { shown[id] = try await store.text(of: id) }
      let clips = try ClipCursor(location: location)
      var exported: [Int64] = []
      while let clip = try clips.next() {
        exported.append(clip.id)
        guard clip.text == shown[clip.id] else { throw Finding(description: "exported otherwise") }
      }
      guard exported == ids else { throw Finding(description: "exported other rows") }
      for text in recorded where !shown.values.contains(text) {
        throw Finding(description: "what was recorded is lost")
      }
      let text = try ClipText(text)
      guard case .recorded(let next) = try await store.record(text, at: Self.now) else {
        throw Finding(description: "not recorded")
      }
      recorded.append(text)
      guard next.id > ids.last ?? 0,
        next.capturedAt == Self.now || (0...60_000_000).contains(next.capturedAt - Self.now),
        try reader.newestPage(limit: 1) == [next]
      else { throw Finding(description: "recorded with id \(next.id) at \(next.capturedAt)") }
      if let oldest = ids.first { try await Self.deleteAndRestore(oldest, in: store) }
    } catch {
      await store.close()
      throw error
    }
    await store.close()
  }

  private static func deleteAndRestore(_ id: Int64, in store: HistoryStore) async throws {
    guard let deleted = try await store.delete(id) else { return }
    do {
      try await store.restore(deleted)
    } catch {
      // A damaged tree holds it twice. (As a pattern of the catch, Swift 6.2 with assertions, Debian's, fails on it.)
      guard error == .alreadyThere else { throw error }
    }
  }

  /// What was not hit is there, at the latest once a check has found the damage that SQLite does not see.
  private mutating func compare(
    _ location: HistoryLocation, with original: Original, _ hit: Set<Int>?
  ) async throws {
    let check = try HistoryCheck(location)
    if !check.isSound {
      guard try await HistoryRescuer().rescue(location) != nil else {
        throw Finding(description: "not rescued")
      }
      foundByCheck += 1
      guard try HistoryCheck(location).isSound else { throw Finding(description: "damaged after a rescue") }
    }
    guard let hit else { return }
    let store = try HistoryStore(
      location: location, digest: testDigest, timeouts: .init(lock: 50, retries: []))
    for (id, bytes) in original.texts where original.pages[id]?.isDisjoint(with: hit) == true {
      let text = try await store.text(of: id)
      guard text?.bytes == bytes else {
        await store.close()
        throw Finding(description: "clip \(id) was not hit, and is \(text == nil ? "lost" : "another one")")
      }
    }
    await store.close()
  }

  private static func expectValid(_ clip: Clip) throws {
    guard (0...CaptureTime.latest).contains(clip.capturedAt),
      (0...ClipText.largestStored).contains(clip.byteCount),
      clip.preview.utf8.count <= 3 * Preview.byteLimit
    else { throw Finding(description: "a clip that cannot be") }
  }
}
