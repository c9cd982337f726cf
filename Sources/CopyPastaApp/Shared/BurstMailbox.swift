import GtkKit
import SerialQueue
import Synchronization

/// Carries elements to the main thread: at once as a rule, and together if they come faster than anybody could follow.
///
/// Drawing a list anew takes some 10 ms, and three times that with many new rows. If copies follow each other faster
/// than that, drawing each of them would keep the main thread from reading the next ones, which would be lost.
final class BurstMailbox<Element: Sendable>: Sendable {
  private let pace: Pace
  private let deliver: @MainActor ([Element]) -> Void
  private let content = Mutex(Content())
  /// Runs while a burst is held back.
  @MainActor private var timer: Timeout?

  /// Says which elements come fast, and how long they may be held back.
  struct Pace {
    /// An element that comes sooner after the last one than this waits.
    var gap = Duration.milliseconds(25)
    /// The silence that ends the wait.
    var silence = Duration.milliseconds(40)
    /// The longest wait.
    var limit = Duration.milliseconds(1500)
  }

  private struct Content {
    var waiting: [Element] = []
    /// When the last element came.
    var last: ContinuousClock.Instant?
  }

  init(_ pace: Pace = Pace(), deliver: @escaping @MainActor ([Element]) -> Void) {
    self.pace = pace
    self.deliver = deliver
  }

  /// Takes an element, which is delivered as soon as the main thread has time, or within the limit; the order is kept.
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
      if isFast { self.waitForSilence(until: now + pace.limit) } else { self.flush() }
    }
  }

  /// Delivers all that has come so far.
  @MainActor func flush() {
    timer = nil
    let elements = content.withLock { content in
      defer { content.waiting = [] }
      return content.waiting
    }
    if !elements.isEmpty { deliver(elements) }
  }

  @MainActor private func waitForSilence(until limit: ContinuousClock.Instant) {
    guard let last = content.withLock(\.last) else { return }
    let now = ContinuousClock.now
    let end = min(last + pace.silence, limit)
    guard now < end else { return flush() }
    // Not `Task.sleep`, which would start libdispatch's pool of threads: it wakes the process up once a second from
    // then on, for as long as it lives.
    timer = Timeout(after: end - now, weakly(self) { $0.waitForSilence(until: limit) })
  }
}
