import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClipHistory

/// Simulates `COPYPASTA_CUTS` power cuts and kills (default: 16), with seeds starting at `COPYPASTA_SEED` (default: 1).
@Suite(.tags(.isDurable, .forgets)) struct PowerCutTests {
  @Test func `a power cut or a kill at any write loses no acknowledged change`() async throws {
    let cuts = environmentNumber("COPYPASTA_CUTS", or: 16)
    let first = UInt64(environmentNumber("COPYPASTA_SEED", or: 1))
    for seed in first..<first + UInt64(cuts) {
      let cut = PowerCut(seed: seed)
      try await cut.work()
      try await cut.verify()
    }
  }
}

/// The files of a history and those writes that are not synced yet, each of which may reach the disk completely,
/// partially or not at all in a power cut.
private struct Disk {
  /// A write, or a truncation to the size `offset`.
  private struct Change {
    let isTruncation: Bool
    let offset: Int
    let bytes: [UInt8]

    /// Applies those sectors for which `arrives` returns true.
    func apply(to content: inout [UInt8], _ arrives: () -> Bool = { true }) {
      if isTruncation { content.removeLast(max(0, content.count - offset)) }
      for start in stride(from: 0, to: bytes.count, by: 512) where arrives() {
        let sector = bytes[start..<min(start + 512, bytes.count)]
        let (begin, end) = (offset + start, offset + start + sector.count)
        if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
        content.replaceSubrange(begin..<end, with: sector)
      }
    }
  }

  private struct File {
    var durable: [UInt8] = []
    /// Whether the file's entry in its folder is synced.
    var exists: Bool
    var changes: [Change] = []
  }

  private let database: String
  private var files: [String: File] = [:]
  /// The number of writes and truncations until now.
  private(set) var changeCount = 0

  init(of location: HistoryLocation) { database = location.database }

  mutating func note(_ call: FileCalls.Call) {
    switch call.kind {
    case .write, .truncate:
      changeCount += 1
      // The database is created and synced to its folder before SQLite opens it.
      files[call.path, default: File(exists: call.path == database)].changes.append(
        Change(isTruncation: call.kind == .truncate, offset: call.offset, bytes: Array(call.bytes)))
    case .sync:
      guard var file = files[call.path] else { return }
      for change in file.changes { change.apply(to: &file.durable) }
      files[call.path] = File(durable: file.durable, exists: true)
    case .unlink: files[call.path] = nil
    case .rename, .index, .allocation: break
    }
  }

  /// Returns the files, by name, as a power cut at this moment might leave them; a kill leaves all that was written.
  func afterPowerCut(isKill: Bool, using random: inout SplitMix) -> [String: Data] {
    var left: [String: Data] = [:]
    for (path, file) in files where isKill || file.exists || Bool.random(using: &random) {
      var content = file.durable
      for change in file.changes where isKill || Bool.random(using: &random) {
        let isTorn = !isKill && Int.random(in: 0..<3, using: &random) == 0
        change.apply(to: &content) { !isTorn || Bool.random(using: &random) }
      }
      left[URL(filePath: path).lastPathComponent] = Data(content)
    }
    return left
  }
}

/// Changes a history, simulates a power cut or a kill at a random write, and checks the result.
private final class PowerCut: Sendable {
  private let seed: UInt64
  private let history = TemporaryHistory()
  private let disk: Mutex<Disk>
  private let log = Mutex(ChangeLog())
  /// The changes at the cut, the files left by the cut, and whether the history was being created.
  private let atCut = Mutex<(log: ChangeLog, files: [String: Data], isBeingMade: Bool)?>(nil)

  init(seed: UInt64) {
    self.seed = seed
    disk = Mutex(Disk(of: history.location))
  }

  /// Records, deletes, restores and reopens until the cut.
  func work() async throws {
    var random = SplitMix(seed: seed)
    // Every fourth cut happens while the history is created.
    let change = Int.random(in: 0..<(seed % 4 == 0 ? 12 : 400), using: &random)
    try await FileCalls.observe(history.location.folder) { [self] call in
      guard !call.path.hasSuffix("-shm") else { return 0 }
      let isChange = call.kind == .write || call.kind == .truncate
      if isChange, disk.withLock({ $0.changeCount }) == change { cut() }
      disk.withLock { $0.note(call) }
      return 0
    } during: {
      try await changeUntilCut(using: &random)
    }
  }

  private func changeUntilCut(using random: inout SplitMix) async throws {
    var store = try history.store(HistoryStore.LockTimeouts(retries: []))
    var deleted: [DeletedClip] = []
    var number = 0
    while atCut.withLock({ $0 == nil }) {
      number += 1
      let victim = log.withLock { $0.live.keys.sorted().randomElement(using: &random) }
      switch (Int.random(in: 0..<30, using: &random), victim) {
      case (0, _):
        await store.close()
        store = try history.store(HistoryStore.LockTimeouts(retries: []))
      case (1..<8, let victim?):
        log.withLock { $0.pending = .delete(victim) }
        if let clip = try await store.delete(victim) { deleted.append(clip) }
        log.withLock { $0.acknowledge(victim) }
      case (8..<11, _) where !deleted.isEmpty:
        let clip = deleted.removeFirst()
        log.withLock { $0.pending = .restore(clip.id) }
        try await store.restore(clip)
        log.withLock { $0.acknowledge(clip.id) }
      default:
        let isLarge = Int.random(in: 0..<12, using: &random) == 0
        let count = isLarge ? 3_000 : Int.random(in: 1...80, using: &random)
        let text = String(repeating: "[\(number)]", count: count)
        log.withLock { $0.pending = .record(text: text) }
        let clip = try await store.add(text)
        log.withLock { $0.acknowledge(clip.id) }
      }
    }
    await store.close()
  }

  /// Expects an undamaged history with all acknowledged changes.
  func verify() async throws {
    var (log, files, isBeingMade) = try #require(atCut.withLock { $0 })
    let after = TemporaryHistory()
    try after.plant(Data())
    for (name, content) in files { try content.write(to: URL(filePath: after.location.folder + "/" + name)) }
    if isBeingMade { try Data().write(to: URL(filePath: after.location.creationMarker)) }
    try await log.verify(after, "seed \(seed)")
  }

  private func cut() {
    var random = SplitMix(seed: seed ^ 0xff)
    // Every third cut is a kill.
    let files = disk.withLock { $0.afterPowerCut(isKill: seed % 3 == 0, using: &random) }
    let isBeingMade = FileManager.default.fileExists(atPath: history.location.creationMarker)
    let known = log.withLock { $0 }
    atCut.withLock { $0 = (known, files, isBeingMade) }
  }
}
