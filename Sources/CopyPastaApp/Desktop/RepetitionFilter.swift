/// Takes a key that is held down, or that reaches the program in two ways at once, for one press.
struct RepetitionFilter {
  /// Longer than a keyboard's pause between two repetitions (25 to 40 ms), shorter than that between two presses.
  private static let shortest = Duration.milliseconds(60)

  private var last: ContinuousClock.Instant?

  /// Whether what comes now is something new.
  mutating func admits(_ now: ContinuousClock.Instant) -> Bool {
    defer { last = now }
    return last.map { now - $0 >= Self.shortest } ?? true
  }
}
