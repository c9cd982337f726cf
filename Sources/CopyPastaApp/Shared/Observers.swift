/// Calls any number of listeners, each for as long as it keeps its token.
@MainActor
final class Observers {
  private var listeners: [WeakToken] = []

  func add(_ body: @escaping @MainActor () -> Void) -> ListenerToken {
    let token = ListenerToken(body)
    listeners.removeAll { $0.token == nil }
    listeners.append(WeakToken(token: token))
    return token
  }

  func notify() {
    for listener in listeners { listener.token?.body() }
  }
}

/// A listener's registration, which ends when it is let go.
@MainActor
final class ListenerToken {
  fileprivate let body: @MainActor () -> Void
  fileprivate init(_ body: @escaping @MainActor () -> Void) { self.body = body }
}

@MainActor
private struct WeakToken {
  weak var token: ListenerToken?
}
