import GtkKit

/// Delivers elements at once as a rule, and together if they come faster than anybody could follow.
///
/// Drawing a list anew takes some 10 ms, and three times that with many new rows. If copies follow each other faster
/// than that, drawing each of them would keep the main thread from reading the next ones, which would be lost.
@MainActor
final class BurstCoalescer<Element> {
  private let pace: Pace
  private let deliver: @MainActor ([Element]) -> Void
  private let clock = ContinuousClock()
  private var waiting: [Element] = []
  private var last: ContinuousClock.Instant?
  /// Runs while a burst is held back.
  private var timer: Timeout?

  /// What is fast, and how long it may be held back.
  struct Pace {
    /// What comes sooner after the last one than this waits.
    var gap = Duration.milliseconds(25)
    /// The silence that ends the wait.
    var silence = Duration.milliseconds(40)
    /// The longest wait.
    var limit = Duration.milliseconds(1500)
  }

  init(_ pace: Pace = Pace(), _ deliver: @escaping @MainActor ([Element]) -> Void) {
    self.pace = pace
    self.deliver = deliver
  }

  /// Takes an element, which is delivered now or within the limit; the order is kept.
  func add(_ element: Element) {
    let now = clock.now
    let isFast = last.map { now - $0 < pace.gap } ?? false
    last = now
    waiting.append(element)
    guard timer == nil else { return }
    if isFast { waitForSilence(until: now + pace.limit) } else { flush() }
  }

  /// Drops what was held back.
  func discard() { waiting = [] }

  private func flush() {
    timer = nil
    guard !waiting.isEmpty else { return }
    let elements = waiting
    waiting = []
    deliver(elements)
  }

  private func waitForSilence(until limit: ContinuousClock.Instant) {
    guard let last else { return }
    let now = clock.now
    let end = min(last + pace.silence, limit)
    guard now < end else { return flush() }
    // Not `Task.sleep`, which would start libdispatch's pool of threads: it wakes the process up once a second from
    // then on, for as long as it lives.
    timer = Timeout(after: end - now) { [weak self] in self?.waitForSilence(until: limit) }
  }
}
