import GtkKit
import SerialQueue
import Synchronization

/// Delivers elements to the main thread, normally immediately, but in batches if they arrive in a burst.
///
/// Drawing the list takes some 10 ms, and three times that with many new rows. If copies follow each other faster,
/// drawing each of them would keep the main thread from reading the next copies, which would be lost.
final class BurstMailbox<Element: Sendable>: Sendable {
  private let pace: Pace
  private let deliver: @MainActor ([Element]) -> Void
  private let content = Mutex(Content())
  /// Runs while a burst is held back.
  @MainActor private var timer: Timeout?

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

  private struct Content {
    var waiting: [Element] = []
    var last: ContinuousClock.Instant?
  }

  init(_ pace: Pace = Pace(), deliver: @escaping @MainActor ([Element]) -> Void) {
    self.pace = pace
    self.deliver = deliver
  }

  /// Adds an element, to be delivered as soon as the main thread is free or, in a burst, within `Pace.limit`.
  func add(_ element: Element) {
    let now = ContinuousClock.now
    let (isFirst, isFast) = content.withLock { content in
      let isFast = content.last.map { now - $0 < pace.gap } ?? false
      content.last = now
      content.waiting.append(element)
      return (content.waiting.count == 1, isFast)
    }
    guard isFirst else { return }
    Task.unpooled { [pace] in
      if isFast { self.waitForSilence(until: now + pace.limit) } else { self.deliverBatch() }
    }
  }

  /// Delivers all elements added so far together, in their order.
  @MainActor func flush() { deliver(atMost: .max) }

  @MainActor private func deliverBatch() { deliver(atMost: pace.batchSize) }

  @MainActor private func deliver(atMost count: Int) {
    let (elements, hasMore) = content.withLock { content in
      let elements = Array(content.waiting.prefix(count))
      content.waiting.removeFirst(elements.count)
      return (elements, !content.waiting.isEmpty)
    }
    timer = hasMore ? Timeout(after: pace.pause, weakly(self) { $0.deliverBatch() }) : nil
    if !elements.isEmpty { deliver(elements) }
  }

  @MainActor private func waitForSilence(until limit: ContinuousClock.Instant) {
    guard let last = content.withLock(\.last) else { return }
    let now = ContinuousClock.now
    let end = min(last + pace.silence, limit)
    guard now < end else { return deliverBatch() }
    // Do not use `Task.sleep`: it would start libdispatch's thread pool, which then wakes the process once a second
    // for the rest of its life.
    timer = Timeout(after: end - now, weakly(self) { $0.waitForSilence(until: limit) })
  }
}
