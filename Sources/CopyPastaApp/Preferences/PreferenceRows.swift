import ClipHistory
import GtkKit
import SerialQueue

/// The rows of settings in a frame.
@MainActor
final class PreferenceList {
  let root: Widget
  /// Retained because a row follows its setting only while the row exists.
  private let rows: [PreferenceRow]

  init(_ rows: [PreferenceRow]) {
    self.rows = rows
    let list = ListBox()
    for row in rows { row.container = list.append(row.root, row.clicked) }
    list.addStyle("boxed-list")
    root = list
  }
}

/// The row of a setting: its name, an explanation and a control.
@MainActor
final class PreferenceRow {
  let root: Widget
  let clicked: (@MainActor () -> Void)?
  /// The row that the list wraps around `root`, set by the list.
  var container: Widget? {
    didSet {
      container?.isVisible = isShown
      container?.setLabelledBy(name)
      container?.setAccessibleDescription(words.text)
    }
  }

  private let name: Label
  private let words: Label
  private let explanation: String
  let control: Widget

  /// - Parameter title: The name, with `_` before the mnemonic that moves the focus to the control.
  init(_ title: String, _ explanation: String, _ control: Widget, clicked: (@MainActor () -> Void)? = nil) {
    self.control = control
    self.clicked = clicked
    self.explanation = explanation
    name = Label(title, of: control)
    name.wrap()
    words = Label()
    words.wrap()
    words.addStyle("explanation")
    control.align(vertically: .center)
    let text = Box(.vertical, spacing: 3, [name, words])
    text.align(vertically: .center)
    root = ReflowingBox(text, control)
    root.addStyle("preference")
    explain(explanation)
  }

  /// Replaces the explanation; a screen reader announces `spoken` instead if it is given.
  func explain(_ explanation: String, spoken: String? = nil, isFailure: Bool = false) {
    words.text = explanation
    if isFailure { words.addStyle("failure") } else { words.removeStyle("failure") }
    for widget in [control, container] { widget?.setAccessibleDescription(spoken ?? explanation) }
  }

  /// Shows an error with a warning icon in place of the explanation, and announces it; nil ends it.
  func showError(_ message: String?) {
    guard let message else { return explain(explanation) }
    explain(message, isFailure: true)
    control.announce(message)
  }

  /// Whether the explanation keeps its present height, so that a shorter one does not move the rows below.
  var keepsHeight = false {
    didSet { words.keepHeight(keepsHeight) }
  }

  var isShown = true {
    didSet { container?.isVisible = isShown }
  }
}

extension PreferenceRow {
  /// Makes a row with a switch for a stateful action, which a click anywhere on the row toggles.
  convenience init(toggling action: String, of group: ActionGroup, _ title: String, _ explanation: String) {
    let control = Switch(action, of: group)
    self.init(title, explanation, control, clicked: control.activate)
  }

  convenience init(
    toggling key: Preferences.Key, of preferences: Preferences, _ title: String, _ explanation: String
  ) {
    self.init(toggling: key.rawValue, of: preferences.actions, title, explanation)
  }
}

/// The menu for the retention period, which asks for confirmation before a choice that deletes items.
@MainActor
final class RetentionMenu {
  let root = DropDown(RetentionPeriod.allCases.map(\.words))
  private(set) lazy var row = PreferenceRow(
    tr("_Keep History For"), explanation, root, clicked: { [root] in if root.isEnabled { root.open() } })
  private let session: HistorySession
  private let preferences: Preferences
  private let messages: MessageBar
  /// The last choice that needs a question, even while its items are being counted; nil after another choice.
  private var asked: RetentionPeriod?
  private var observations: [ListenerToken] = []

  private var explanation: String {
    preferences.retentionPeriod == .forever
      ? tr("Items stay until you delete them.") : tr("Older items are deleted permanently.")
  }

  /// - Parameter messages: The messages of the row's window, which ask before items are deleted.
  init(_ session: HistorySession, _ messages: MessageBar) {
    self.session = session
    preferences = session.services.preferences
    self.messages = messages
    show()
    root.onChange(weakly(self) { $0.changed() })
    observations = [
      preferences.observe(.retentionPeriod, weakly(self) { $0.show() }),
      session.events.add(weakly(self) { if case .contentChanged = $1 { $0.countAgain() } }),
    ]
  }

  private func show() {
    root.isEnabled = preferences.isWritable(.retentionPeriod)
    root.chosen = RetentionPeriod.allCases.firstIndex(of: preferences.retentionPeriod) ?? 0
    row.explain(explanation)
  }

  private func changed() {
    let (choice, present) = (RetentionPeriod.allCases[root.chosen], preferences.retentionPeriod)
    guard choice != present else { return }
    asked = nil
    messages.set(.expired, nil)
    guard choice.isShorter(than: present) else { return choose(choice) }
    // Show the old choice again until the expired items are counted and the user has confirmed.
    show()
    asked = choice
    Task.unpooled { await self.ask(about: choice) }
  }

  private func ask(about choice: RetentionPeriod) async {
    do throws(StoreError) {
      let expired = try await session.expired(after: choice)
      guard asked == choice else { return }
      guard let expired else { return choose(choice) }
      showQuestion(about: expired)
      messages.focus(.expired)
    } catch {
      row.showError(tr("Couldn’t count the older items.") + " " + error.message)
    }
  }

  private func showQuestion(about expired: ExpiredClips) {
    let cancel = Message.Button(words: tr("Cancel")) { [root] in root.grabFocus() }
    let delete = Message.Button(words: tr("_Delete"), isDestructive: true) { [root, session] in
      root.grabFocus()
      session.delete(expired)
    }
    messages.set(.expired, Message(words: expired.warning, buttons: [cancel, delete]))
  }

  /// Counts again after deletions, because the number in the question is that of this moment.
  private func countAgain() {
    guard messages[.expired] != nil, let asked else { return }
    Task.unpooled { [weak self, session] in
      // Wait for the disk, because a row leaves the list before it is deleted there.
      await session.drainActions()
      // If the count fails, the deletion would fail as well and show the reason.
      do throws(StoreError) {
        let expired = try await session.expired(after: asked)
        guard let self, self.asked == asked, messages[.expired] != nil else { return }
        if let expired { showQuestion(about: expired) } else { messages.set(.expired, nil) }
      } catch {}
    }
  }

  private func choose(_ choice: RetentionPeriod) {
    preferences.retentionPeriod = choice
    show()
  }
}
