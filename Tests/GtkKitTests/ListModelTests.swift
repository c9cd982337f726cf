import CGtk
import Testing

@testable import GtkKit

@MainActor
private final class Numbers: ListModelSource {
  var numbers: [Int]
  init(_ numbers: [Int]) { self.numbers = numbers }
  var count: Int { numbers.count }
  func value(at position: Int) -> any Sendable { numbers[position] }
}

@MainActor
@Suite struct ListModelTests {
  private func value(in model: ListModel, at position: Int) -> Int? {
    guard let item = g_list_model_get_item(model.opaque, guint(position)) else { return nil }
    g_object_unref(item)
    return model.value(at: position) as? Int
  }

  @Test func `it shows its source`() {
    let numbers = Numbers([10, 20, 30])
    let model = ListModel(source: numbers)
    #expect(g_list_model_get_n_items(model.opaque) == 3)
    #expect((0..<3).map { value(in: model, at: $0) } == [10, 20, 30])
    #expect(value(in: model, at: 3) == nil)
  }

  @Test func `it tells of changes`() {
    let numbers = Numbers([1, 2, 3])
    let model = ListModel(source: numbers)
    var changes: [[Int]] = []
    model.onItemsChanged { changes.append([$0, $1, $2]) }
    numbers.numbers.remove(at: 1)
    model.itemsChanged(at: 1, removed: 1, added: 0)
    #expect(changes == [[1, 1, 0]])
    #expect(value(in: model, at: 1) == 3)
  }

  /// A list view that is taken apart asks again for what it was told of, and aborts if that changed.
  @Test func `a model whose source has gone is as long as it was`() {
    var numbers: Numbers? = Numbers([1])
    let model = ListModel(source: numbers.unsafelyUnwrapped)
    numbers = nil
    #expect(g_list_model_get_n_items(model.opaque) == 1)
    #expect(value(in: model, at: 0) == nil)
  }

  @Test func `the views are told before they count`() {
    let numbers = Numbers([1])
    let model = ListModel(source: numbers)
    numbers.numbers.append(2)
    #expect(g_list_model_get_n_items(model.opaque) == 1)
    model.itemsChanged(at: 1, removed: 0, added: 1)
    #expect(g_list_model_get_n_items(model.opaque) == 2)
  }

  @Test func `neither the model nor its source leaks`() {
    weak var source: Numbers?
    do {
      let numbers = Numbers([1, 2])
      source = numbers
      expectNoLeak { _ in ListModel(source: numbers) }
    }
    #expect(source == nil)
  }
}
