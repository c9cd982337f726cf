import CGtk
import Testing

@testable import GtkKit

@MainActor
private final class Numbers: ListModelSource {
  var numbers: [Int]
  init(_ numbers: [Int]) { self.numbers = numbers }
  var count: Int { numbers.count }
  func value(at position: Int) -> any Sendable { numbers[position] }
  func position(near id: Int64) -> Int { Int(id) }
}

@MainActor
@Suite struct ListModelTests {
  private func value(in model: ListModel, at position: Int) -> Int? {
    guard let item = g_list_model_get_item(model.opaque, guint(position)) else { return nil }
    g_object_unref(item)
    return model.value(at: position) as? Int
  }

  @Test func `a list model returns its source's rows, and reports changes`() {
    let numbers = Numbers([1, 2, 3])
    let model = ListModel(source: numbers)
    #expect((0..<4).map { value(in: model, at: $0) } == [1, 2, 3, nil])
    var changes: [[Int]] = []
    model.onItemsChanged { changes.append([$0, $1, $2]) }
    numbers.numbers.remove(at: 1)
    #expect(g_list_model_get_n_items(model.opaque) == 3, "the change is not reported yet")
    model.itemsChanged(at: 1, removed: 1, added: 0)
    #expect(changes == [[1, 1, 0]])
    #expect(g_list_model_get_n_items(model.opaque) == 2 && value(in: model, at: 1) == 3)
  }

  /// A list view that is being destroyed queries the length again, and aborts if the length has changed.
  @Test func `a list model keeps its length after its source was released`() {
    var numbers: Numbers? = Numbers([1])
    let model = ListModel(source: numbers.unsafelyUnwrapped)
    numbers = nil
    #expect(g_list_model_get_n_items(model.opaque) == 1)
    #expect(value(in: model, at: 0) == nil)
  }
}
