import ClipHistory
import GtkKit

/// Runs the action of a row that is swiped from either edge: see `HistoryAction.swipe`.
///
/// The row follows the finger and uncovers a sign of the action, which gets its full colour once the row is far enough.
/// The action runs when the finger goes; before that point the row springs back, and nothing has happened.
@MainActor
final class RowSwipe: SwipeTarget {
  /// The part of the row's width that is far enough.
  private static let fullSwipe = 0.4

  private let view: ListView<ClipRow>
  private let actions = HistoryAction.ofTexts.filter { $0.swipe != nil }
  private var row: ClipRow?
  private var id: Clip.ID?
  private var action: HistoryAction?
  private var isFar = false

  /// - Parameter view: has the actions of the swipes.
  init(on view: ListView<ClipRow>) {
    self.view = view
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
    // A new clip may have come in at the top meanwhile, and the row show another one.
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
    if let id, let action { view.run(action.fullName, on: id) }
  }

  /// Lets the row go back to its place.
  private func reset() {
    row?.slide(to: 0)
    for style in actions.map(\.swipeStyle) + ["far"] { row?.mark(style, false) }
    row = nil
    id = nil
    action = nil
    isFar = false
  }
}
