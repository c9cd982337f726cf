import ClipHistory
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite(.serialized) struct RowActionsTests {
  private let scratch: Scratch
  private let clipboard = FakeClipboard()
  private let model: HistoryListModel
  private let actions: RowActions
  private let said = Said()

  init() async throws {
    try await TestDisplay.open()
    scratch = try Scratch()
    for text in ["one", "two", "three"] { try await scratch.record(text) }
    model = try HistoryListModel(reader: scratch.history.reader, firstPageSize: 30)
    let capture = Capture(clipboard.source, into: scratch.store, now: { 0 }) { _ in }
    actions = RowActions(
      store: scratch.store, clipboard: clipboard, capture: capture,
      list: HistoryList(model: model, now: { 0 })
    ) { [said] in said.lines.append($0) }
  }

  @Test func copiesComeInTheOrderOfTheirClicks() async {
    for position in [0, 2, 1, 0] { actions.copy(model.id(at: position)) }
    await actions.settle()
    #expect(clipboard.offered == ["three", "one", "two", "three"])
  }

  @Test func tenCopiesInARowAreTenAndEachIsToldOfOnceItIsOffered() async {
    var told: [String?] = []
    actions.onCopied = { told.append(clipboard.offered.last) }
    for step in 0..<10 { actions.copy(model.id(at: step % 3)) }
    await actions.settle()
    #expect(clipboard.offered.count == 10)
    #expect(told == clipboard.offered)
  }

  @Test func aCopyIsNotCapturedWhenItComesBack() async throws {
    actions.copy(model.id(at: 2))
    await actions.settle()
    #expect(try await eventually { try await scratch.record("one") == nil })
  }

  @Test func aRowIsOffTheListAtOnceAndOutOfTheStore() async throws {
    actions.delete(model.id(at: 1))
    #expect(model.count == 2)
    await actions.settle()
    #expect(try scratch.texts() == ["three", "one"])
  }

  @Test func aRowThatCouldNotBeDeletedComesBackToItsPlaceWithAWord() async {
    await scratch.store.close()
    let id = model.id(at: 1)
    actions.delete(id)
    #expect(model.count == 2)
    await actions.settle()
    #expect(model.position(of: id) == 1)
    #expect(said.lines.count == 1)
  }

  @Test func severalDeletionsAreUndoneTheNewestFirstEachAtItsPlace() async throws {
    let ids = (0..<3).map(model.id(at:))
    for id in [ids[1], ids[0], ids[2]] { actions.delete(id) }
    actions.undo()
    await actions.settle()
    #expect((0..<model.count).map(model.id(at:)) == [ids[2]])
    actions.undo()
    actions.undo()
    // There is nothing more to undo.
    actions.undo()
    await actions.settle()
    #expect((0..<model.count).map(model.id(at:)) == ids)
    #expect(try scratch.texts() == ["three", "two", "one"])
    #expect(said.lines.isEmpty)
  }

  @Test func anUndoneRowHasItsOldTime() async throws {
    let clip = model.clip(at: 1)
    actions.delete(clip.id)
    actions.undo()
    await actions.settle()
    #expect(try scratch.history.reader.newestPage(limit: 3)[1] == clip)
    #expect(model.clip(at: 1) == clip)
  }

  @Test func anUndoThatFailsSaysSoAndCanBeTriedAgain() async throws {
    actions.delete(model.id(at: 1))
    await actions.settle()
    await scratch.store.close()
    actions.undo()
    await actions.settle()
    #expect(model.count == 2)
    #expect(actions.deletions.count == 1)
    #expect(said.lines.count == 1)
  }

  @Test func cuttingCopiesThenDeletesAndCanBeUndone() async throws {
    let id = model.id(at: 1)
    actions.copyAndDelete(id)
    #expect(model.position(of: id) == nil)
    await actions.settle()
    #expect(clipboard.offered == ["two"])
    #expect(try scratch.texts() == ["three", "one"])
    actions.undo()
    await actions.settle()
    #expect(model.position(of: id) == 1)
    #expect(try scratch.texts() == ["three", "two", "one"])
  }

  @Test func aRowThatCouldNotBeCopiedIsNotCut() async throws {
    clipboard.takesOffers = false
    let id = model.id(at: 1)
    actions.copyAndDelete(id)
    await actions.settle()
    #expect(model.position(of: id) == 1)
    #expect(try scratch.texts() == ["three", "two", "one"])
    #expect(said.lines.count == 1)
  }

  @Test func clearingEmptiesListAndStoreAndLeavesNothingToUndo() async throws {
    actions.delete(model.id(at: 1))
    var isCleared = false
    actions.clear { isCleared = true }
    actions.undo()
    await actions.settle()
    #expect(isCleared)
    #expect(model.count == 0)
    #expect(try scratch.texts() == [])
    #expect(actions.deletions.count == 0)
  }

  @Test func whatComesAfterAClearingIsShown() async throws {
    actions.clear {}
    await actions.settle()
    let clip = try #require(try await scratch.record("four"))
    model.insertNewest([clip])
    #expect(model.count == 1)
    #expect(model.clip(at: 0) == clip)
  }

  @Test func aClearingThatFailsLeavesTheListWithAWord() async throws {
    await scratch.store.close()
    actions.clear {}
    await actions.settle()
    #expect(model.count == 3)
    #expect(said.lines.count == 1)
  }

  @Test func aRowThatAnotherProgramDeletedSaysSoAndGoes() async throws {
    let id = model.id(at: 1)
    try await scratch.store.delete(id)
    actions.copy(id)
    await actions.settle()
    #expect(clipboard.offered.isEmpty)
    #expect(model.position(of: id) == nil)
    #expect(said.lines.count == 1)
  }
}

@MainActor
private final class Said {
  var lines: [String] = []
}
