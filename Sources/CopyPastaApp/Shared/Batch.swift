/// Hands on what comes: at once as a rule, and together what comes faster than anybody could follow.
///
/// Drawing a list anew takes some 10 ms, and three times that with many new rows. Where copies follow each other faster than that, drawing each of them would
/// keep the main thread from hearing of the next ones, and those would be lost.
@MainActor
final class Batch<Element> {
  private let pace: Pace
  private let deliver: @MainActor ([Element]) -> Void
  private let clock = ContinuousClock()
  private var waiting: [Element] = []
  private var last: ContinuousClock.Instant?
  private var isWaiting = false

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
    guard !isWaiting else { return }
    if isFast { waitForSilence(from: now) } else { flush() }
  }

  /// Drops what was held back.
  func discard() { waiting = [] }

  private func flush() {
    guard !waiting.isEmpty else { return }
    let elements = waiting
    waiting = []
    deliver(elements)
  }

  private func waitForSilence(from start: ContinuousClock.Instant) {
    isWaiting = true
    Task { [weak self, clock, pace] in
      while let last = self?.last {
        let end = min(last + pace.silence, start + pace.limit)
        if end <= clock.now { break }
        try await clock.sleep(until: end)
      }
      self?.isWaiting = false
      self?.flush()
    }
  }
}
