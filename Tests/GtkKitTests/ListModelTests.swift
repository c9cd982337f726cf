import CGtk
import Testing

@testable import GtkKit

@MainActor
private final class Numbers: ListModelSource {
  let count = 1
  func value(at position: Int) -> any Sendable { position }
  func position(near id: Int64) -> Int { Int(id) }
}

@MainActor
@Suite struct ListModelTests {
  /// A list view that is being destroyed queries the length again, and aborts if the length has changed.
  @Test func `a list model keeps its length after its source was released`() {
    var numbers: Numbers? = Numbers()
    let model = ListModel(source: numbers.unsafelyUnwrapped)
    numbers = nil
    #expect(g_list_model_get_n_items(model.opaque) == 1)
    #expect(model.value(at: 0) == nil)
  }
}
