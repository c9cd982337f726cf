/// Tells any number of listeners, each for as long as it keeps its token.
@MainActor
final class Observers<News> {
  private var listeners: [WeakListener<News>] = []

  func add(_ body: @escaping @MainActor (News) -> Void) -> ListenerToken {
    let listener = Listener(body)
    listeners.removeAll { $0.listener == nil }
    listeners.append(WeakListener(listener: listener))
    return listener
  }

  func notify(_ news: News) {
    for weak in listeners { weak.listener?.body(news) }
  }
}

extension Observers<Void> {
  func notify() { notify(()) }
}

/// A listener's registration, which ends when it is let go.
@MainActor
class ListenerToken {}

@MainActor
private final class Listener<News>: ListenerToken {
  let body: @MainActor (News) -> Void
  init(_ body: @escaping @MainActor (News) -> Void) { self.body = body }
}

@MainActor
private struct WeakListener<News> {
  weak var listener: Listener<News>?
}
