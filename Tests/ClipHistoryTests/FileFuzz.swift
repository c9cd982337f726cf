import Foundation
import TestSupport
import Testing

@testable import ClipHistory

/// Damages the files of a history at random and checks the result.
///
/// Whatever bytes the files contain, the history must open or be recoverable, must still contain all rows that the
/// damage did not hit, and must record the next text. It may be refused only if its first page is damaged.
struct FileFuzz {
  /// The files of an undamaged history, and their content.
  private struct Original {
    let database, log: Data
    let pageSize: Int
    /// The pages whose newest version is in the log.
    let logged: Set<Int>
    /// The text of each row, and the pages that contain it.
    var rows: [Int64: (text: ClipText, pages: Set<Int>)] = [:]

    /// - Parameter isOpen: whether to copy the files while the history is open, as a crash would leave them.
    init(isOpen: Bool = false, _ fill: (HistoryStore, TemporaryHistory) async throws -> Void) async throws {
      let history = TemporaryHistory()
      try await history.record()
      // Use a fixed key, so that a seed damages the same bytes in every run; only the log's salts differ.
      try history.run("UPDATE last_capture SET key = CAST(printf('%032d', 1) AS BLOB)")
      let store = try history.store()
      try await fill(store, history)
      let files = try isOpen ? history.snapshot() : history
      await store.close()
      try self.init(files, isOpen: isOpen)
    }

    /// A history whose layout another program has changed.
    init(_ layout: Layout) throws {
      try self.init(ForeignHistory(layout, isOpen: true, count: 40).history, isOpen: true)
    }

    private init(_ files: TemporaryHistory, isOpen: Bool) throws {
      database = try files.bytes()
      log = try isOpen ? Data(contentsOf: URL(filePath: files.location.wal)) : Data()
      let pages = DatabasePages(try RawFiles(files.location))
      let pageSize = pages.layout.pageSize
      self.pageSize = pageSize
      let log = try isOpen ? RawFile(files.location.wal) : nil
      logged = Set(log.map { WALReader($0, pageSize: pageSize).offsets.keys.map { $0 - 1 } } ?? [])
      let reads = try ReadConnection(HistoryOpener(files.location).salvaged())
      for place in try files.rowPlaces() {
        var (start, isSkipped) = (Int64?.some(place.id), false)
        let clip = try #require(try reads.nextClip(from: &start, skipped: &isSkipped))
        // The pages of a large text can be anywhere, so assume that any damage hits the text.
        let isLarge = clip.text.byteCount > min(3_000, pageSize / 4)
        rows[clip.id] = (clip.text, isLarge ? Set(-1..<database.count / pageSize) : [place.page - 1])
      }
    }
  }

  private struct Finding: Error { let what: String }

  private static let now: Int64 = 1_800_000_000_000_000

  private let originals: [Original]
  /// The folder is in memory if possible, because every file is written and synced several times.
  private let location: HistoryLocation
  private(set) var recoveries = 0
  /// The number of files whose damage caused no error in SQLite, so that only `HistoryCheck` found it.
  private(set) var foundByCheck = 0
  private(set) var refusals = 0
  /// The texts that were recorded in the current file.
  private var recorded: [ClipText] = []

  init() async throws {
    let before = Self.now - 1_000_000
    let foreign = try [
      Layout(pageSize: 512, autoVacuum: 1), Layout(pageSize: 8192, reserved: 8, encoding: "UTF-16le"),
      Layout(reserved: 255, encoding: "UTF-16be", autoVacuum: 2),
    ].map { try Original($0) }
    originals =
      [
        try await Original { store, _ in
          for number in 1...3 { try await store.add("clip \(number)", at: before) }
        },
        try await Original { store, _ in
          for number in 1...40 {
            let count = number == 20 ? 2_000 : number % 9 * 8 + 1
            let text = String(repeating: "clip \(number) é ", count: count)
            try await store.add(text, at: before + Int64(number))
          }
          try await store.delete(40)
        },
        try await Original(isOpen: true) { store, history in
          try await store.add("in the file", at: before - 1_000_000)
          try history.run("PRAGMA wal_checkpoint(TRUNCATE)")
          for number in 1...8 {
            try await store.add(String(repeating: "logged \(number) ", count: number * 60), at: before)
          }
        },
      ] + foreign
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : NSTemporaryDirectory()
    location = HistoryLocation(folder: parent + "copypasta-fuzz-\(UUID().uuidString)")
  }

  /// The number of bits in the smallest file; with that many seeds, each bit is flipped once.
  var bitCount: Int { originals[0].database.count * 8 }

  func cleanUp() throws {
    guard FileManager.default.fileExists(atPath: location.folder) else { return }
    try FileManager.default.removeItem(atPath: location.folder)
  }

  // MARK: Damage

  /// Damages a file that consists of blocks of `size` bytes from offset `start` on.
  ///
  /// Returns whether the damage only swaps two blocks.
  private static func damage(
    _ bytes: inout Data, blocksOf size: Int, from start: Int = 0, using random: inout SplitMix
  ) -> Bool {
    // Choose a byte other than 0, because most of a page consists of unused zeros.
    var place = 0
    repeat { place = Int.random(in: bytes.indices, using: &random) } while bytes[place] == 0
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2:
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        let first = Int.random(in: bytes.indices, using: &random)
        let end = min(first + Int.random(in: 1...300, using: &random), bytes.count)
        for offset in first..<end { bytes[offset] = UInt8.random(in: 0...255, using: &random) }
      }
    case 3:
      let blocks = 0..<(bytes.count - start) / size
      let (one, other) = (Int.random(in: blocks, using: &random), Int.random(in: blocks, using: &random))
      for offset in start..<start + size { bytes.swapAt(one * size + offset, other * size + offset) }
      return true
    case 4: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
    default:
      // Write a value that is invalid in most numeric fields.
      let values: [UInt64] = [.max, 0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0000, 0, 0x7fff_ffff, 0xffff]
      let (value, shift) = (values.randomElement(using: &random) ?? 0, Int.random(in: 0...3, using: &random))
      for index in 0..<min(1 << shift, bytes.count - place) {
        bytes[place + index] = UInt8(truncatingIfNeeded: value >> (8 * ((1 << shift) - 1 - index)))
      }
    }
    return false
  }

  // MARK: Checks

  /// Damages one file according to `seed`, or flips bit number `bit` of the smallest file.
  mutating func run(seed: UInt64, bit: Int?) async throws {
    var random = SplitMix(seed: seed)
    let original = originals[bit == nil ? Int.random(in: originals.indices, using: &random) : 0]
    let pageSize = original.pageSize
    var (database, log, isMoved, isLogHit) = (original.database, original.log, false, false)
    if let bit {
      database[bit / 8] ^= 1 << (bit % 8)
    } else if log.isEmpty || Bool.random(using: &random) {
      isMoved = Self.damage(&database, blocksOf: pageSize, using: &random)
    } else {
      isLogHit = true
      _ = Self.damage(&log, blocksOf: pageSize + 24, from: 32, using: &random)
      if Bool.random(using: &random) { database = Data() }
    }
    try cleanUp()
    try FileManager.default.createDirectory(atPath: location.folder, withIntermediateDirectories: true)
    try database.write(to: URL(filePath: location.database))
    if !log.isEmpty { try log.write(to: URL(filePath: location.wal)) }
    var hit: Set<Int>? = Set(0..<original.database.count / pageSize).filter {
      original.database[$0 * pageSize..<($0 + 1) * pageSize]
        != database.dropFirst($0 * pageSize).prefix(pageSize)
    }
    // A page in the place of page 1 may begin with another header.
    if isLogHit || isMoved && hit?.contains(0) == true { hit = nil }
    // Damage behind a newer version in the log does no harm.
    hit = hit?.filter { $0 == 0 || !original.logged.contains($0) }
    // Swapped pages still exist, so only large texts, which may continue on either page, count as hit. If the log
    // replaces one of the two places, the page that was moved there is lost.
    if isMoved, let moved = hit { hit = moved.count == 1 ? moved.union([-1]) : moved.isEmpty ? [] : [-1] }
    do {
      try await use()
      try await compare(with: original, hit)
    } catch let error as StoreError {
      // Only damage to the first page, which contains the application id and the version, may cause a refusal.
      guard hit?.contains(0) ?? true else { throw error }
      switch error {
      case .foreign, .newerSchema: refusals += 1
      default: throw error
      }
    }
  }

  /// Opens, reads, records and exports like the program; on damage, recovers the history and tries once more.
  private mutating func use() async throws {
    recorded = []
    do {
      try await useOnce(recording: "next")
    } catch let error as StoreError where error == .damaged {
      try await recover()
      recoveries += 1
      try await useOnce(recording: "after the recovery")
    }
  }

  private mutating func useOnce(recording string: String) async throws {
    try await Self.withStore(at: location) { store in
      let reader = try HistoryReader(location: location)
      let page = try reader.newestPage(limit: 100)
      let ids = try await store.allIDs()
      try need(ids == page.reversed().map(\.id), "two lists")
      try need(page.allSatisfy(Self.isPossible), "a clip that cannot be")
      var shown: [Int64: ClipText] = [:]
      for id in ids { shown[id] = try await store.text(of: id) }
      let clips = try ClipCursor(location: location)
      for id in ids {
        let clip = try clips.next()
        try need(clip?.id == id && clip?.text == shown[id], "exported otherwise")
      }
      try need(clips.next() == nil, "exported more rows")
      try need(recorded.allSatisfy { shown.values.contains($0) }, "what was recorded is lost")
      let next = try await store.add(string, at: Self.now)
      recorded.append(try ClipText(string))
      let isLast = next.id > ids.last ?? 0 && 0...60_000_000 ~= next.capturedAt - Self.now
      try need(
        isLast && reader.newestPage(limit: 1) == [next], "recorded with id \(next.id) at \(next.capturedAt)")
      guard let oldest = ids.first, let deleted = try await store.delete(oldest) else { return }
      do throws(StoreError) {
        try await store.restore(deleted)
      } catch {
        // A damaged tree can contain the row twice. Compare here and not with a pattern in the `catch`, because the
        // compiler of Debian's Swift 6.2, which is built with assertions, crashes on that pattern.
        guard error == .alreadyThere else { throw error }
      }
    }
  }

  /// Expects the history to contain each row that the damage did not hit.
  ///
  /// Recovers the history first if a check finds damage that SQLite did not detect.
  private mutating func compare(with original: Original, _ hit: Set<Int>?) async throws {
    if try !HistoryCheck(location).isSound {
      try await recover()
      foundByCheck += 1
      try need(HistoryCheck(location).isSound, "damaged after a recovery")
    }
    guard let hit else { return }
    try await Self.withStore(at: location) { store in
      for (id, row) in original.rows where row.pages.isDisjoint(with: hit) {
        let text = try await store.text(of: id)
        try need(text == row.text, "clip \(id) was not hit, and is \(text == nil ? "lost" : "another one")")
      }
    }
  }

  private func recover() async throws {
    let outcome = try await HistoryRecovery().recover(location)
    try need(outcome != nil, "not recovered")
  }

  private static func withStore(
    at location: HistoryLocation, _ body: (HistoryStore) async throws -> Void
  ) async throws {
    let store = try HistoryStore(
      location: location, digest: testDigest, timeouts: .init(lock: 50, retries: []))
    do { try await body(store) } catch {
      await store.close()
      throw error
    }
    await store.close()
  }

  private func need(_ holds: Bool, _ what: String) throws { if !holds { throw Finding(what: what) } }

  private static func isPossible(_ clip: Clip) -> Bool {
    0...CaptureTime.latest ~= clip.capturedAt && 0...ClipText.largestStored ~= clip.byteCount
      && clip.preview.utf8.count <= 3 * Preview.byteLimit
  }
}
