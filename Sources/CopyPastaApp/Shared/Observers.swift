/// Calls any number of listeners, each for as long as it keeps its observation.
@MainActor
final class Observers {
  private var observations: [WeakObservation] = []

  func add(_ body: @escaping @MainActor () -> Void) -> Observation {
    let observation = Observation(body)
    observations.removeAll { $0.observation == nil }
    observations.append(WeakObservation(observation: observation))
    return observation
  }

  func notify() {
    for observer in observations { observer.observation?.body() }
  }
}

/// A listener's registration, which ends when it is let go.
@MainActor
final class Observation {
  fileprivate let body: @MainActor () -> Void
  fileprivate init(_ body: @escaping @MainActor () -> Void) { self.body = body }
}

@MainActor
private struct WeakObservation {
  weak var observation: Observation?
}
