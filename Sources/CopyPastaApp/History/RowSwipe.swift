import ClipHistory
import GtkKit

/// Runs the action of a swipe over a row, see `HistoryAction.swipe`.
///
/// The row follows the finger and uncovers the action's icon, whose background gets its full colour once the row has
/// moved far enough. If the finger is lifted then, the action runs; if it is lifted earlier, the row springs back.
@MainActor
final class RowSwipe: SwipeTarget {
  /// The fraction of the row's width that a swipe must cover to run the action.
  private static let fullSwipe = 0.4

  private let view: ListView<ClipRow>
  private let run: @MainActor (HistoryAction, Clip.ID) -> Void
  private let actions = HistoryAction.ofTexts.filter { $0.swipe != nil }
  private var row: ClipRow?
  private var id: Clip.ID?
  private var action: HistoryAction?
  private var isFar = false

  /// - Parameter run: Runs the action of a completed swipe.
  init(on view: ListView<ClipRow>, run: @escaping @MainActor (HistoryAction, Clip.ID) -> Void) {
    self.view = view
    self.run = run
    view.onSwipe(self)
  }

  func swipeBegan(at point: Point) -> Bool {
    reset()
    guard let row = view.row(at: point), let clip = row.clip else { return false }
    self.row = row
    id = clip.id
    return true
  }

  func swipeMoved(to distance: Double) {
    // Cancel if a new clip was inserted at the top during the swipe, so that the row now shows a different clip.
    guard let row, row.clip?.id == id else { return reset() }
    let edge: HistoryAction.Swipe.Edge = (distance > 0) != view.isRightToLeft ? .leading : .trailing
    action = distance == 0 ? nil : actions.first { $0.swipe?.edge == edge }
    isFar = abs(distance) >= Self.fullSwipe * Double(row.root.width)
    row.slide(to: distance)
    for action in actions { row.mark(action.swipeStyle, self.action?.name == action.name) }
    row.mark("far", isFar)
  }

  func swipeEnded(isCancelled: Bool) {
    let (id, action) = (isFar && !isCancelled ? id : nil, action)
    reset()
    if let id, let action { run(action, id) }
  }

  private func reset() {
    row?.slide(to: 0)
    for style in actions.map(\.swipeStyle) + ["far"] { row?.mark(style, false) }
    row = nil
    id = nil
    action = nil
    isFar = false
  }
}
