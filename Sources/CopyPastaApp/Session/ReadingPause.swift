import GtkKit

/// Whether the user has paused reading the clipboard; a pause ends when the user resumes reading or the program exits.
@MainActor
final class ReadingPause {
  /// The action that buttons and menus show and toggle.
  let action = ToggleAction("pause")
  let changes = Observers<Void>()

  init() { action.onChange { [changes] in changes.notify() } }

  /// Whether reading is paused: nothing is requested from the selection owner unless the user pastes.
  var isPaused: Bool {
    get { action.isOn }
    set { action.isOn = newValue }
  }
}
