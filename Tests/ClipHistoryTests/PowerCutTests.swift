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

  @Test func `a power cut or a kill at any step of a recovery loses no clip`() async throws {
    let cuts = environmentNumber("COPYPASTA_CUTS", or: 16)
    let first = UInt64(environmentNumber("COPYPASTA_SEED", or: 1))
    for seed in first..<first + UInt64(cuts) {
      let history = TemporaryHistory()
      try await history.record((1...30).map { "[\($0)]" })
      history.markDamaged()
      let disk = Mutex(try Disk(history.location))
      let left = Mutex<[String: Data]?>(nil)
      var random = SplitMix(seed: seed)
      let call = Int.random(in: 1...70, using: &random)
      try await FileCalls.observe(history.location.folder) { [history] observed in
        guard !observed.path.hasSuffix("-shm") else { return 0 }
        if observed.number == call { left.withLock { $0 = disk.withLock { $0.cut(seed) } } }
        disk.withLock { $0.note(observed, isFolder: observed.path == history.location.folder) }
        return 0
      } during: {
        _ = try await history.recovered()
      }
      let files = left.withLock { $0 } ?? disk.withLock { $0.cut(seed) }
      let after = TemporaryHistory()
      try after.makeFolder()
      for (name, content) in files {
        try content.write(to: URL(filePath: after.location.folder + "/" + name))
      }
      do { try await after.store().close() } catch StoreError.damaged { _ = try await after.recovered() }
      #expect(try after.previews() == (1...30).reversed().map { "[\($0)]" }, "seed \(seed)")
    }
  }
}

/// The files of a history, those writes that are not synced yet, each of which may reach the disk completely, partially
/// or not at all in a power cut, and the changes to the folder, which reach it in their order.
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
    var changes: [Change] = []
  }

  /// A change to the folder; without a file, the name is removed.
  private struct Entry {
    let name: String
    let file: Int?
  }

  private var files: [File] = []
  private var names: [String: Int] = [:]
  private var durableNames: [String: Int] = [:]
  /// The changes to the folder that are not synced yet; a power cut keeps the first of them.
  private var entries: [[Entry]] = []
  /// The number of writes and truncations until now.
  private(set) var changeCount = 0

  init() {}

  /// A disk on which the files of a history are already.
  init(_ location: HistoryLocation) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: location.folder) {
      names[name] = files.count
      files.append(File(durable: Array(try Data(contentsOf: URL(filePath: location.folder + "/" + name)))))
    }
    durableNames = names
  }

  /// Returns the files after a cut now; every third cut is a kill.
  func cut(_ seed: UInt64) -> [String: Data] {
    var random = SplitMix(seed: seed ^ 0xff)
    return afterPowerCut(isKill: seed % 3 == 0, using: &random)
  }

  private mutating func enter(_ changes: [Entry]) {
    for change in changes { names[change.name] = change.file }
    entries.append(changes)
  }

  private mutating func syncEntries(_ isConcerned: ([Entry]) -> Bool) {
    guard let last = entries.lastIndex(where: isConcerned) else { return }
    for change in entries[...last].joined() { durableNames[change.name] = change.file }
    entries.removeSubrange(...last)
  }

  private mutating func file(_ name: String) -> Int {
    if let file = names[name] { return file }
    files.append(File())
    enter([Entry(name: name, file: files.count - 1)])
    return files.count - 1
  }

  mutating func note(_ call: FileCalls.Call, isFolder: Bool) {
    let name = URL(filePath: call.path).lastPathComponent
    switch call.kind {
    case .write, .truncate:
      changeCount += 1
      let number = file(name)
      files[number].changes.append(
        Change(isTruncation: call.kind == .truncate, offset: call.offset, bytes: Array(call.bytes)))
    case .sync where isFolder: syncEntries { _ in true }
    case .sync:
      guard let file = names[name] else { return }
      for change in files[file].changes { change.apply(to: &files[file].durable) }
      files[file].changes = []
      // Syncing a new file also syncs its name.
      syncEntries { $0.count == 1 && $0[0].file == file }
    case .unlink: if names[name] != nil { enter([Entry(name: name, file: nil)]) }
    case .rename:
      let number = file(name)
      let target = URL(filePath: call.target).lastPathComponent
      enter([Entry(name: name, file: nil), Entry(name: target, file: number)])
    case .index, .allocation: break
    }
  }

  /// Returns the files, by name, as a power cut at this moment might leave them; a kill leaves all that was written.
  func afterPowerCut(isKill: Bool, using random: inout SplitMix) -> [String: Data] {
    var kept = isKill ? names : durableNames
    if !isKill {
      for change in entries.prefix(Int.random(in: 0...entries.count, using: &random)).joined() {
        kept[change.name] = change.file
      }
    }
    var left: [String: Data] = [:]
    for (name, number) in kept.sorted(by: { $0.key < $1.key }) {
      var content = files[number].durable
      for change in files[number].changes where isKill || Bool.random(using: &random) {
        let isTorn = !isKill && Int.random(in: 0..<3, using: &random) == 0
        change.apply(to: &content) { !isTorn || Bool.random(using: &random) }
      }
      left[name] = Data(content)
    }
    return left
  }
}

/// Changes a history, simulates a power cut or a kill at a random write, and checks the result.
private final class PowerCut: Sendable {
  private let seed: UInt64
  private let history = TemporaryHistory()
  private let disk = Mutex(Disk())
  private let log = Mutex(ChangeLog())
  /// The changes at the cut, and the files left by the cut.
  private let atCut = Mutex<(log: ChangeLog, files: [String: Data])?>(nil)

  init(seed: UInt64) { self.seed = seed }

  /// Records, deletes, restores and reopens until the cut.
  func work() async throws {
    var random = SplitMix(seed: seed)
    // Every fourth cut happens while the history is created.
    let change = Int.random(in: 0..<(seed % 4 == 0 ? 12 : 400), using: &random)
    try await FileCalls.observe(history.location.folder) { [self] call in
      guard !call.path.hasSuffix("-shm") else { return 0 }
      let isChange = call.kind == .write || call.kind == .truncate
      if isChange, disk.withLock({ $0.changeCount }) == change { cut() }
      disk.withLock { $0.note(call, isFolder: call.path == history.location.folder) }
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
    var (log, files) = try #require(atCut.withLock { $0 })
    let after = TemporaryHistory()
    try after.makeFolder()
    for (name, content) in files { try content.write(to: URL(filePath: after.location.folder + "/" + name)) }
    try await log.verify(after, "seed \(seed)")
  }

  private func cut() {
    let files = disk.withLock { $0.cut(seed) }
    let known = log.withLock { $0 }
    atCut.withLock { $0 = (known, files) }
  }
}
