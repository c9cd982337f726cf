import GtkKit
import SerialQueue

/// Delivers elements, normally as soon as the main loop is free, but in batches if they arrive in a burst.
///
/// Drawing the list takes some 10 ms, and three times that with many new rows. If copies follow each other faster,
/// drawing each of them would keep the main thread from reading the next copies, which would be lost.
@MainActor
final class BurstMailbox<Element: Sendable> {
  private let pace: Pace
  private let deliver: @MainActor ([Element]) -> Void
  private var waiting: [Element] = []
  private var last: ContinuousClock.Instant?
  /// Runs while a burst is held back.
  private var timer: Timeout?

  /// When elements count as a burst, and how long a burst is held back.
  struct Pace {
    /// An element that follows the previous element within this time begins a burst.
    var gap = Duration.milliseconds(25)
    /// The time without a new element that ends a burst.
    var silence = Duration.milliseconds(40)
    /// The longest time that an element is held back.
    var limit = Duration.milliseconds(1500)
    /// The maximum number of elements delivered together; the list builds the row of each in 0.1 to 0.2 ms.
    var batchSize = 32
    /// The time between two batches, in which the list is drawn.
    var pause = Duration.milliseconds(20)
  }

  init(_ pace: Pace = Pace(), deliver: @escaping @MainActor ([Element]) -> Void) {
    self.pace = pace
    self.deliver = deliver
  }

  /// Adds an element, to be delivered as soon as the main loop is free or, in a burst, within `Pace.limit`.
  func add(_ element: Element) {
    let now = ContinuousClock.now
    let isFast = last.map { now - $0 < pace.gap } ?? false
    last = now
    waiting.append(element)
    guard waiting.count == 1 else { return }
    Task.unpooled { [self] in
      if isFast { waitForSilence(until: now + pace.limit) } else { deliverBatch() }
    }
  }

  /// Delivers all elements added so far together, in their order.
  func flush() { deliver(atMost: .max) }

  private func deliverBatch() { deliver(atMost: pace.batchSize) }

  private func deliver(atMost count: Int) {
    let elements = Array(waiting.prefix(count))
    waiting.removeFirst(elements.count)
    timer = waiting.isEmpty ? nil : Timeout(after: pace.pause, weakly(self) { $0.deliverBatch() })
    if !elements.isEmpty { deliver(elements) }
  }

  private func waitForSilence(until limit: ContinuousClock.Instant) {
    guard let last, !waiting.isEmpty else { return }
    let now = ContinuousClock.now
    let end = min(last + pace.silence, limit)
    guard now < end else { return deliverBatch() }
    // Do not use `Task.sleep`: it would start libdispatch's thread pool, which then wakes the process once a second
    // for the rest of its life.
    timer = Timeout(after: end - now, weakly(self) { $0.waitForSilence(until: limit) })
  }
}
