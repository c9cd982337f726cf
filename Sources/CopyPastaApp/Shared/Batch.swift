/// Hands on what comes, the first at once and what follows it closely together.
///
/// Drawing a list anew takes some 10 ms. Where copies follow each other faster than that, drawing each of them would
/// keep the main thread from hearing of the next ones, and those would be lost.
@MainActor
final class Batch<Element> {
  private let pause: Duration
  private let deliver: @MainActor ([Element]) -> Void
  private var waiting: [Element] = []
  private var isResting = false

  /// Makes a batch that lets at least `pause` pass between two deliveries.
  init(pause: Duration = .milliseconds(400), _ deliver: @escaping @MainActor ([Element]) -> Void) {
    self.pause = pause
    self.deliver = deliver
  }

  /// Takes an element, which is delivered now or within the pause; the order is kept.
  func add(_ element: Element) {
    waiting.append(element)
    if !isResting { flush() }
  }

  /// Delivers what waits.
  func flush() {
    guard !waiting.isEmpty else { return }
    let elements = waiting
    waiting = []
    deliver(elements)
    guard !isResting else { return }
    isResting = true
    Task { [weak self, pause] in
      try await Task.sleep(for: pause)
      self?.rested()
    }
  }

  private func rested() {
    isResting = false
    flush()
  }
}
