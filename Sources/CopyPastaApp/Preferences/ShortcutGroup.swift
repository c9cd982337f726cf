import GtkKit
import SerialQueue

/// Which keys call the history up, whether they do, and what to do if they do not.
@MainActor
final class ShortcutGroup {
  private(set) lazy var root = PreferenceGroup(tr("Shortcut"), [keys, command, gnome]).root
  private(set) lazy var recorder = ShortcutRecorder(in: window, tell: weakly(self) { $0.heard($1) })

  private let preferences: Preferences
  private let controller: GlobalShortcutController
  private let clipboard: any SystemClipboard
  private unowned let window: Window
  private lazy var keys = PreferenceRow(tr("Show or _Hide the History"), "", recorder.root) {
    [weak recorder] in recorder?.record()
  }
  private let command: PreferenceRow
  private let copyButton = Button(label: tr("Cop_y"))
  private let gnomeButton = Button(label: "")
  private let gnome: PreferenceRow
  private var tokens: [ListenerToken] = []

  /// - Parameter window: the one that it is in.
  init(
    _ preferences: Preferences, _ controller: GlobalShortcutController, in window: Window,
    clipboard: any SystemClipboard
  ) {
    self.preferences = preferences
    self.controller = controller
    self.window = window
    self.clipboard = clipboard
    command = PreferenceRow(tr("C_ommand to Bind"), ShortcutState.toggleCommand, copyButton)
    command.root.addStyle("command")
    gnome = PreferenceRow(tr("Shortcut in _GNOME"), "", gnomeButton)
    connect()
    show()
  }

  private func connect() {
    recorder.root.isEnabled = preferences.isWritable(.shortcut)
    copyButton.onClick(weakly(self) { $0.copyCommand() })
    gnomeButton.onClick(weakly(self) { $0.useGnome() })
    tokens = [
      controller.changes.add(weakly(self) { $0.show() }),
      preferences.observe(.shortcut, weakly(self) { $0.show() }),
    ]
  }

  private func heard(_ news: ShortcutRecorder.News) {
    switch news {
    case .recording(let isRecording): recording(isRecording)
    case .chosen(let shortcut): choose(shortcut)
    case .refused(let why): explain(why)
    }
  }

  private func choose(_ shortcut: String) {
    if preferences.shortcut != shortcut { preferences.shortcut = shortcut } else { controller.askAgain() }
  }

  private func recording(_ isRecording: Bool) {
    // The present keys can be chosen again, and do nothing meanwhile.
    controller.isPaused = isRecording
    if isRecording {
      explain(tr("Press the new keys. Escape keeps the current keys, Backspace removes them."))
    }
    if !isRecording { show() }
  }

  private func copyCommand() {
    Task.unpooled { [clipboard, command] in
      let failure = await clipboard.offerToggleCommand()
      if let failure { command.report(failure) } else { command.root.announce(tr("Copied")) }
    }
  }

  private func useGnome() {
    if let choice = controller.gnomeChoice, let failure = controller.choose(choice) { gnome.report(failure) }
  }

  private func show() {
    recorder.shortcut = preferences.shortcut
    guard !recorder.isRecording else { return }
    explain(controller.state.message, namesKeys: controller.state.shortcut == recorder.name)
    command.isShown = controller.state.command != nil
    showGnome()
  }

  private func showGnome() {
    gnome.isShown = controller.gnomeChoice != nil
    switch controller.gnomeChoice {
    case .add?:
      gnomeButton.label = tr("Set _Up")
      gnome.explain(tr("Adds the keys to the custom shortcuts in GNOME’s settings."))
    case .remove?:
      gnomeButton.label = tr("_Remove")
      gnome.explain(tr("The keys are among the custom shortcuts in GNOME’s settings."))
    case nil: break
    }
  }

  private func explain(_ text: String, namesKeys: Bool = false) {
    // A screen reader is to say the keys, and no more than once.
    keys.explain(text, spoken: namesKeys ? text : recorder.name + ". " + text)
  }
}

/// A button that shows the keys of a shortcut, and takes the next ones that are pressed once it was clicked.
///
/// Escape cancels, Backspace sets none.
@MainActor
final class ShortcutRecorder {
  /// The outcome of a press of keys while the user chooses a shortcut.
  enum Choice: Equatable {
    /// Only modifiers so far.
    case incomplete
    /// These will do.
    case chosen(Accelerator)
    /// These will not; the text says why.
    case unsuitable(String)

    /// Judges a press.
    init(_ keys: Accelerator) {
      if keys.isModifierAlone {
        self = .incomplete
      } else if let objection = keys.objection {
        self = .unsuitable(objection)
      } else {
        self = .chosen(keys)
      }
    }
  }

  let root: Button
  private let label = Label()
  private weak var window: Window?

  /// Something that the user does with the button.
  enum News {
    /// The button waits for keys now, or does not any more.
    case recording(Bool)
    /// These keys were chosen, as GTK writes them; empty for none.
    case chosen(String)
    /// The keys that were pressed will not do; the text says why.
    case refused(String)
  }

  private let tell: @MainActor (News) -> Void

  /// - Parameters:
  ///   - window: the one that the button is in; it is not kept.
  ///   - tell: called with what the user does.
  init(in window: Window, tell: @escaping @MainActor (News) -> Void) {
    self.window = window
    self.tell = tell
    window.noteInput()
    label.center()
    label.wrap()
    root = Button(child: label)
    root.addStyle("shortcut")
    root.onClick(weakly(self) { $0.clicked() })
    root.onFocusLoss(weakly(self) { $0.isRecording = false })
    // A window that is closed need not lose the focus before.
    root.onHide(weakly(self) { $0.isRecording = false })
    show()
  }

  /// The keys that are set, as GTK writes accelerators.
  var shortcut = "" {
    didSet { show() }
  }

  /// The keys that are set, for the user.
  var name: String { Accelerator(shortcut)?.label ?? tr("None") }

  private(set) var isRecording = false {
    didSet {
      guard isRecording != oldValue else { return }
      askFirst()
      // The desktop's own shortcuts, too, are only keys now.
      window?.takesSystemShortcuts = isRecording
      tell(.recording(isRecording))
      show()
    }
  }

  /// Whether the window asks here before its own keys and those of all that is in it.
  private var isAskedFirst = false

  /// Of what takes keys on their way down, GTK asks the latest first; the application's came when the window joined it.
  private func askFirst() {
    guard !isAskedFirst else { return }
    isAskedFirst = true
    window?.onKeyPress { [weak self] in self?.pressed($0) ?? false }
  }

  /// Takes the next keys.
  func record() {
    root.grabFocus()
    isRecording = true
  }

  private func clicked() {
    if isRecording { isRecording = false } else { record() }
  }

  private func pressed(_ keys: Accelerator) -> Bool {
    guard isRecording else { return false }
    switch (keys.keyName, keys.modifiers.isEmpty) {
    case ("Escape", true): isRecording = false
    case ("BackSpace", true): choose("")
    default: judge(keys)
    }
    return true
  }

  private func judge(_ keys: Accelerator) {
    switch Choice(keys) {
    case .incomplete: break
    case .chosen(let keys): choose(keys.name)
    case .unsuitable(let why): tell(.refused(why))
    }
  }

  private func choose(_ name: String) {
    tell(.chosen(name))
    isRecording = false
  }

  private func show() {
    label.text = isRecording ? tr("Press Keys…") : name
    if isRecording { root.addStyle("recording") } else { root.removeStyle("recording") }
  }
}
