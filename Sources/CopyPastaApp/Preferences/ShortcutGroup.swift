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
      controller.observe(weakly(self) { $0.show() }),
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
