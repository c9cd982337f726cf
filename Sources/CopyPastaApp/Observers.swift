/// Notifies any number of listeners, each while it holds its token.
@MainActor
final class Observers<Event> {
  private var listeners: [() -> Listener<Event>?] = []

  func add(_ body: @escaping @MainActor (Event) -> Void) -> ListenerToken {
    let listener = Listener(body)
    listeners.removeAll { $0() == nil }
    listeners.append { [weak listener] in listener }
    return listener
  }

  func notify(_ event: Event) {
    for listener in listeners { listener()?.body(event) }
  }
}

extension Observers<Void> {
  func add(_ body: @escaping @MainActor () -> Void) -> ListenerToken { add { _ in body() } }

  func notify() { notify(()) }
}

/// A listener's registration, which ends when the token is released.
@MainActor
class ListenerToken {}

@MainActor
private final class Listener<Event>: ListenerToken {
  let body: @MainActor (Event) -> Void
  init(_ body: @escaping @MainActor (Event) -> Void) { self.body = body }
}

/// Makes a closure that calls `body` with a weakly held target, and does nothing once the target is released.
///
/// Use it for a closure that a widget, a timer or the bus holds, to avoid a retain cycle:
///
/// ```swift
/// button.onClick(weakly(self) { $0.clicked() })
/// tokens.append(window.activity.add(weakly(self) { $0.activityChanged() }))
/// ```
@MainActor
func weakly<Target: AnyObject, each Argument>(
  _ target: Target, _ body: @escaping @MainActor (Target, repeat each Argument) -> Void
) -> @MainActor (repeat each Argument) -> Void {
  { [weak target] (argument: repeat each Argument) in
    if let target { body(target, repeat each argument) }
  }
}
