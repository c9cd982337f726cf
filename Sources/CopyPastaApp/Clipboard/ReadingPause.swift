import GtkKit

/// Whether the user has paused reading the clipboard: until it is resumed, or the program ends.
@MainActor
final class ReadingPause {
  /// What buttons and menus show and turn over.
  let action = ToggleAction("pause")
  private let observers = Observers<Void>()

  init() { action.onChange { [observers] in observers.notify() } }

  /// Whether nothing is to be asked of any owner of the clipboard, unless the user pastes.
  var isPaused: Bool {
    get { action.isOn }
    set { action.isOn = newValue }
  }

  /// Calls `body` when it was paused or resumed, as long as the token is kept.
  func observe(_ body: @escaping @MainActor () -> Void) -> ListenerToken { observers.add(body) }
}
