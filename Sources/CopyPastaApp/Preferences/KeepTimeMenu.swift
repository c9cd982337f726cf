import ClipHistory
import GtkKit
import SerialQueue

/// How long texts are kept; before a choice deletes some, the user hears how many, and is asked.
@MainActor
final class KeepTimeMenu {
  let root = DropDown(KeepTime.allCases.map(\.words))
  private(set) lazy var row = PreferenceRow(
    tr("_Keep Texts For"), Self.explanation, root, clicked: { [root] in if root.isEnabled { root.open() } })
  private let services: AppServices
  private unowned let window: Window
  private var observation: ListenerToken?

  private static var explanation: String { tr("Older texts are deleted.") }

  /// - Parameter window: the one that it is in.
  init(_ services: AppServices, in window: Window) {
    self.services = services
    self.window = window
    root.isEnabled = services.preferences.isWritable(.keepTime)
    show()
    root.onChange(weakly(self) { $0.changed() })
    observation = services.preferences.observe(.keepTime, weakly(self) { $0.show() })
  }

  private func show() {
    root.chosen = KeepTime.allCases.firstIndex(of: services.preferences.keepTime) ?? 0
  }

  private func changed() {
    let (choice, present) = (KeepTime.allCases[root.chosen], services.preferences.keepTime)
    guard choice != present else { return }
    row.explain(Self.explanation)
    guard choice.isShorter(than: present) else { return choose(choice) }
    // Until it is known what goes, and the user wants it.
    show()
    Task.unpooled { await self.ask(about: choice) }
  }

  private func ask(about choice: KeepTime) async {
    do throws(StoreError) {
      let count = try await services.expiry.count(of: choice, in: services.history.get().store)
      guard count > 0 else { return choose(choice) }
      choice.ask(over: window, deleting: count, weakly(self) { $0.choose(choice) })
    } catch {
      // The next start of the window finds out anew.
      if case .failure = services.history { services.forgetHistory() }
      row.report(tr("The older texts could not be counted.") + " " + error.message)
    }
  }

  private func choose(_ choice: KeepTime) {
    services.expiry.agree(to: choice)
    services.preferences.keepTime = choice
    show()
  }
}

extension KeepTime {
  /// What the user reads.
  var words: String {
    switch self {
    case .always: tr("Always")
    case .year: tr("1 year")
    case .threeMonths: tr("90 days")
    case .month: tr("30 days")
    case .week: tr("7 days")
    case .day: tr("1 day")
    }
  }
}
