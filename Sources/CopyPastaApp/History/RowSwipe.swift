import ClipHistory
import GtkKit

/// A swipe over a row, which runs the action of its direction, see `HistoryAction.swipe`.
///
/// The row follows the finger and uncovers the action's icon, whose background gets its full colour once the row has
/// moved far enough. If the finger is lifted then, the action runs; if it is lifted earlier, the row springs back.
@MainActor
final class RowSwipe: Swipe {
  /// The fraction of the row's width that a swipe must cover to run the action.
  private static let fullSwipe = 0.4

  private let id: Clip.ID
  private let view: ListView<ClipRow>
  private let run: @MainActor (HistoryAction, Clip.ID) -> Void
  private let actions = HistoryAction.ofTexts.filter { $0.swipe != nil }
  /// The action that runs if the fingers are lifted now.
  private var action: HistoryAction?

  /// - Parameters:
  ///   - id: The clip that the fingers touched.
  ///   - run: Runs the action of a completed swipe.
  init(
    over id: Clip.ID, in view: ListView<ClipRow>, run: @escaping @MainActor (HistoryAction, Clip.ID) -> Void
  ) {
    (self.id, self.view, self.run) = (id, view, run)
  }

  func moved(to distance: Double) {
    let edge: HistoryAction.Swipe.Edge = (distance > 0) != view.isRightToLeft ? .leading : .trailing
    let shown = distance == 0 ? nil : actions.first { $0.swipe?.edge == edge }
    let isFar = abs(distance) >= Self.fullSwipe * Double(view.row(of: id)?.root.width ?? view.width)
    action = isFar ? shown : nil
    show(distance, shown)
  }

  func ended(isCancelled: Bool) {
    show(0, nil)
    if !isCancelled, let action { run(action, id) }
  }

  private func show(_ distance: Double, _ shown: HistoryAction?) {
    guard let row = view.row(of: id) else { return }
    row.slide(to: distance)
    for action in actions { row.mark(action.swipeStyle, action.name == shown?.name) }
    row.mark("far", distance != 0 && action != nil)
  }
}
