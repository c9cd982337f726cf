import GtkKit
import SerialQueue

/// The settings of the global shortcut: its keys, its state, and the alternatives if it does not work.
///
/// A button shows the keys. After a click, the button records the next key combination: Escape cancels, Backspace turns
/// the shortcut off.
@MainActor
final class ShortcutGroup {
  var rows: [PreferenceRow] { [keysRow, gnomeRow, commandRow] }

  private let preferences: Preferences
  private let controller: GlobalShortcutController
  private let copy: @MainActor (String) async -> String?
  private weak var window: Window?
  private let label = Label()
  private let button: Button
  private lazy var keysRow = PreferenceRow(
    tr("Show or Hide the _History"), "", button, clicked: weakly(self) { $0.record() })
  private let commandRow: PreferenceRow
  private let copyButton = CopyButton(tr("Cop_y"))
  private let setUpButton = Button(label: tr("Set _Up"))
  private let removeButton = Button(label: tr("_Remove"))
  private let gnomeRow: PreferenceRow
  private var tokens: [ListenerToken] = []

  /// - Parameter window: The group's window, which is held weakly.
  init(
    _ preferences: Preferences, _ controller: GlobalShortcutController, in window: Window,
    copy: @escaping @MainActor (String) async -> String?
  ) {
    self.preferences = preferences
    self.controller = controller
    self.window = window
    self.copy = copy
    label.center()
    label.wrap()
    button = Button(child: label)
    button.addStyle("shortcut")
    commandRow = PreferenceRow(tr("C_ommand to Bind"), "", copyButton.root)
    commandRow.root.addStyle("command")
    gnomeRow = PreferenceRow(
      tr("Shortcut in GNOME"), "", Box(.horizontal, spacing: 6, [setUpButton, removeButton]))
    window.noteInput()
    window.onKeyPress { [weak self] in self?.pressed($0) ?? false }
    // On X11, the button keeps GTK's focus when another window becomes active, because recording grabs the keyboard.
    window.onActivityChange { [weak self, weak window] in
      if window?.isShownAndActive != true { self?.isRecording = false }
    }
    connect()
    show()
  }

  private func connect() {
    button.onClick(weakly(self) { $0.clicked() })
    button.onFocusLoss(weakly(self) { $0.isRecording = false })
    // Handle hiding as well, because a window can close without losing the focus first.
    button.onHide(weakly(self) { $0.isRecording = false })
    copyButton.root.onClick(weakly(self) { $0.copyCommand() })
    setUpButton.onClick(weakly(self) { $0.setUpInGnome() })
    removeButton.onClick(
      weakly(self) { if let gnome = $0.controller.gnome { $0.changeGnome(gnome.remove) } })
    tokens = [
      controller.changes.add(weakly(self) { $0.show() }),
      preferences.observe(.shortcut, weakly(self) { $0.show() }),
    ]
  }

  // MARK: - Choosing keys

  private var isRecording = false {
    didSet {
      guard isRecording != oldValue else { return }
      // While recording, receive the keys of the desktop's own shortcuts, too.
      window?.takesSystemShortcuts = isRecording
      // Release the current shortcut, so that its keys can be chosen again and do not toggle the window.
      controller.isPaused = isRecording
      keysRow.keepsHeight = isRecording
      if isRecording { keysRow.explain(Self.keysHint, spoken: Self.prompt + " " + Self.keysHint) }
      show()
    }
  }

  /// Starts to record the next key combination.
  func record() {
    guard button.isEnabled else { return }
    button.grabFocus()
    isRecording = true
  }

  private func clicked() {
    if isRecording { isRecording = false } else { record() }
  }

  /// Handles pressed keys while the button records; returns whether the keys were handled.
  func pressed(_ keys: Accelerator) -> Bool {
    guard isRecording else { return false }
    switch (keys.keyName, keys.modifiers.isEmpty) {
    case ("Escape", true): isRecording = false
    case ("BackSpace", true): choose("")
    case _ where keys.isModifierAlone: break
    default:
      if let objection = keys.objection {
        keysRow.showError(objection + " " + Self.keysHint)
      } else {
        choose(keys.name)
      }
    }
    return true
  }

  private static var prompt: String { tr("Press Keys…") }

  private static var keysHint: String { tr("Escape cancels, Backspace turns the shortcut off.") }

  private func choose(_ shortcut: String) {
    if preferences.shortcut != shortcut { preferences.shortcut = shortcut } else { controller.request() }
    isRecording = false
  }

  // MARK: - Alternatives to the shortcut

  private func copyCommand() {
    guard let text = state.command else { return }
    Task.unpooled { [copy, commandRow, copyButton] in
      if let failure = await copy(text) { return commandRow.showError(failure) }
      copyButton.showCopied()
    }
  }

  private func setUpInGnome() {
    guard let gnome = controller.gnome, let keys = Accelerator(preferences.shortcut) else { return }
    changeGnome { gnome.setUp(keys) }
  }

  private func changeGnome(_ change: @MainActor () -> Bool) {
    if !change() {
      gnomeRow.showError(tr("Couldn’t change GNOME Settings. Your administrator may have locked them."))
    }
  }

  // MARK: - Display

  /// The keys in the settings, as the user reads them.
  private var keysSet: String { Accelerator(preferences.shortcut)?.label ?? tr("None") }

  private var state: ShortcutState { controller.state }

  /// The text of the button: the keys in the settings, or a notice that no keys work on this desktop.
  private var name: String { state.command == nil ? keysSet : state.keys }

  private func show() {
    button.isEnabled = preferences.isWritable(.shortcut)
    label.text = isRecording ? Self.prompt : name
    if isRecording { button.addStyle("recording") } else { button.removeStyle("recording") }
    guard !isRecording else { return }
    explain(state.message, namesKeys: state.shortcut == name, isFailure: state.isFailure)
    commandRow.isShown = state.command != nil
    if let text = state.command { commandRow.explain(ShortcutState.unbroken(text), spoken: text) }
    showGnome()
  }

  /// Offers to add the shortcut if no backend has it, or to change or remove the one that was added.
  private func showGnome() {
    let isSet = controller.gnome?.isSet == true
    let isUpToDate = Accelerator(preferences.shortcut).map { controller.gnome?.isSet(to: $0) } ?? nil
    let canSetUp = isUpToDate == false && (isSet || state.command != nil)
    setUpButton.isVisible = canSetUp
    removeButton.isVisible = isSet
    gnomeRow.isShown = canSetUp || isSet
    gnomeRow.explain(
      canSetUp
        ? tr("Add %s to the custom shortcuts in GNOME Settings.").filled(with: keysSet)
        : tr("The keys are a custom shortcut in GNOME Settings."))
  }

  private func explain(_ text: String, namesKeys: Bool = false, isFailure: Bool = false) {
    // Let a screen reader announce the keys exactly once.
    keysRow.explain(text, spoken: namesKeys ? text : name + ". " + text, isFailure: isFailure)
  }
}
