import GtkKit
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp

@MainActor
@Suite(.tags(.scales)) struct HistoryListModelTests {
  private func model(of scratch: Scratch) throws -> HistoryListModel {
    let model = HistoryListModel { _ in }
    try model.open(scratch.reader, firstPageSize: 30)
    return model
  }

  /// A model that has all rows, not only the first page.
  private func wholeModel(of scratch: Scratch) async throws -> HistoryListModel {
    let model = try model(of: scratch)
    model.addOlder(try await scratch.store.ids(olderThan: model.oldestOfFirstPage ?? 0))
    return model
  }

  /// Applies random changes and reads to the model, and compares it with a plain array and with a list that follows
  /// only `items-changed`.
  @Test(arguments: [UInt64.random(in: 0...UInt64.max), 1])
  func `random changes keep every row position correct`(seed: UInt64) async throws {
    var random = SplitMix(seed: seed)
    let scratch = try Scratch()
    var expected: [Clip] = []
    for number in 0..<700 {
      if let clip = try await scratch.record("clip \(number)") { expected.insert(clip, at: 0) }
    }
    let model = try model(of: scratch)
    let shadow = Shadow(of: model)
    #expect(model.count == 30, "seed \(seed)")
    for step in 0..<1500 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1:
        let first = try #require(try await scratch.record("step \(step)"))
        let second = try #require(try await scratch.record("step \(step) again"))
        model.insertNewest([first, second])
        expected.insert(contentsOf: [second, first], at: 0)
      case 2...3 where model.count > 0:
        let position = Int.random(in: 0..<model.count, using: &random)
        let id = model.id(at: position)
        #expect(model.remove(id)?.id == id, "seed \(seed), step \(step)")
        // Restore some rows, as happens if the store fails to delete them.
        if Bool.random(using: &random) {
          model.restore(expected[position])
        } else {
          try await scratch.store.delete(id)
          expected.remove(at: position)
        }
      case 4 where step > 400 && model.oldestOfFirstPage != nil:
        model.addOlder(try await scratch.store.ids(olderThan: model.oldestOfFirstPage ?? 0))
      default:
        guard model.count > 0 else { continue }
        let position = Int.random(in: 0..<model.count, using: &random)
        try #require(model.clip(at: position) == expected[position], "seed \(seed), step \(step)")
        #expect(model.position(of: expected[position].id) == position, "seed \(seed), step \(step)")
      }
      try #require(shadow.ids.count == model.count, "seed \(seed), step \(step)")
    }
    #expect(model.count == expected.count, "seed \(seed)")
    #expect(shadow.ids == expected.map(\.id), "seed \(seed)")
    #expect((0..<model.count).allSatisfy { model.clip(at: $0) == expected[$0] }, "seed \(seed)")
  }

  /// The removed rows form one run, a few runs, or enough runs that some are reported together; some ids are not in
  /// the list.
  ///
  /// A damaged file may contain the largest possible id.
  @Test(arguments: [1, 100, 7])
  func `removing many rows together keeps the order of the others`(step: Int) async throws {
    let scratch = try await Scratch((0..<300).map { "clip \($0)" })
    let model = try await wholeModel(of: scratch)
    let shadow = Shadow(of: model)
    let gone = (10..<290).filter { ($0 / 3) % step == 0 }.map { Int64($0) }
    for id in gone { try await scratch.store.delete(id) }
    model.insertNewest([Clip(id: .max, capturedAt: 1, byteCount: 1, preview: "x")])
    model.remove([-5] + gone + [5_000, .max])
    let left = (1...300).reversed().map { Int64($0) }.filter { !gone.contains($0) }
    #expect(shadow.ids == left)
    #expect((0..<model.count).map { model.clip(at: $0).preview } == left.map { "clip \($0 - 1)" })
    model.remove(left.reversed())
    #expect(model.count == 0 && shadow.ids.isEmpty)
  }

  @Test func `a row whose clip another program has deleted leaves the list when it is shown`() async throws {
    let scratch = try await Scratch((0..<100).map { "clip \($0)" })
    let model = try await wholeModel(of: scratch)
    let (id, other) = (model.id(at: 80), model.id(at: 90))
    for gone in [id, other] { try await scratch.store.delete(gone) }
    var changes = 0
    let token = model.changes.add { _ in changes += 1 }
    // Until then, the row has neither a size nor an ellipsis.
    #expect(model.clip(at: 80) == Clip(id: id, capturedAt: 0, byteCount: 0, preview: ""))
    try await waitUntil("the page's absent rows removed") { model.count == 98 }
    #expect(model.position(of: id) == nil && model.position(of: other) == nil && changes == 2)
    #expect(model.clip(at: 80).preview == "clip 18")
    withExtendedLifetime(token) {}
  }

  @Test func `a row that is absent from one file is not removed from its replacement`() async throws {
    let scratch = try await Scratch((0..<100).map { "clip \($0)" })
    let other = try await Scratch((0..<100).map { "other \($0)" })
    let model = try await wholeModel(of: scratch)
    let ids = try await other.store.ids(olderThan: .max)
    try await scratch.store.delete(model.id(at: 80))
    #expect(model.clip(at: 80).byteCount == 0)
    try model.replace(with: other.reader, ids)
    // The removal would come before this task.
    await Task.unpooled {}.value
    #expect(model.count == 100 && model.clip(at: 80).preview == "other 19")
  }

  /// The other program restores rows that this model has never had.
  @Test func `every row can be loaded after another program has added rows between others`() async throws {
    let scratch = try await Scratch((0..<200).map { "clip \($0)" })
    var deleted: [DeletedClip] = []
    for id in Int64(30)..<100 { deleted.append(try #require(try await scratch.store.delete(id))) }
    let model = try await wholeModel(of: scratch)
    for clip in deleted { _ = try await scratch.store.restore(clip) }
    #expect((0..<model.count).allSatisfy { model.clip(at: $0).preview == "clip \(model.id(at: $0) - 1)" })
  }

  /// The changes are none, a few runs, or so many that they are reported together.
  @Test(arguments: [0, 1, 5, 200])
  func `changes of another program keep the place of every other row`(count: Int) async throws {
    var random = SplitMix(seed: UInt64(count))
    let scratch = try await Scratch((0..<400).map { "clip \($0)" })
    let hidden = (0..<count).compactMap { _ in (1...400).randomElement(using: &random).map(Int64.init) }
    var deleted: [DeletedClip] = []
    for id in hidden { if let clip = try await scratch.store.delete(id) { deleted.append(clip) } }
    let model = try await wholeModel(of: scratch)
    let shadow = Shadow(of: model)
    for position in 0..<model.count { _ = model.clip(at: position) }
    var kept = Set(shadow.ids)
    for clip in deleted { _ = try await scratch.store.restore(clip) }
    for _ in 0..<count {
      guard let id = kept.randomElement(using: &random) else { continue }
      kept.remove(id)
      _ = try await scratch.store.delete(id)
    }
    for number in 0..<count { try await scratch.record("newer \(number)") }
    var removed: Set<Clip.ID> = []
    shadow.onRemoval = { removed.formUnion($0) }
    try model.merge(
      try HistoryReader(location: scratch.location), try await scratch.store.ids(olderThan: .max))
    let expected = try HistoryReader(location: scratch.location).newestPage(limit: 1000)
    #expect((0..<model.count).map(model.clip(at:)) == expected)
    #expect(shadow.ids == expected.map(\.id))
    // Many changes are reported as one.
    if count <= 5 { #expect(removed.isDisjoint(with: kept)) }
  }

  @Test func `a clip that is in the list already is not inserted again`() async throws {
    let scratch = try await Scratch("one", "two")
    let model = try model(of: scratch)
    model.insertNewest([model.clip(at: 0)])
    #expect(model.count == 2)
  }

  @Test(arguments: [true, false])
  func `rows far from the visible ones are released from memory as rows arrive or are scrolled`(
    areNew: Bool
  ) async throws {
    let scratch = try Scratch()
    let model = try model(of: scratch)
    for number in 0..<600 {
      let clip = try #require(try await scratch.record("clip \(number)"))
      if areNew { model.insertNewest([clip]) }
    }
    if !areNew {
      try model.merge(scratch.reader, try await scratch.store.ids(olderThan: .max))
      for position in (0..<600).reversed() { _ = model.clip(at: position) }
    }
    // The model has released the oldest row, so it reads the row again and finds that the row is gone.
    let oldest = model.id(at: 599)
    try await scratch.store.delete(oldest)
    #expect(model.clip(at: 599).preview.isEmpty)
  }
}

/// A list that follows only `items-changed`.
@MainActor
private final class Shadow {
  private(set) var ids: [Int64]
  /// Called with the ids of rows that were removed or replaced.
  var onRemoval: (@MainActor (ArraySlice<Int64>) -> Void)?

  init(of model: HistoryListModel) {
    ids = (0..<model.count).map(model.id(at:))
    model.listModel.onItemsChanged { [unowned self, unowned model] position, removed, added in
      onRemoval?(ids[position..<position + removed])
      ids.replaceSubrange(
        position..<position + removed, with: (position..<position + added).map(model.id(at:)))
    }
  }
}
