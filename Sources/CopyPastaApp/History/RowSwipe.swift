import ClipHistory
import GtkKit

/// A row that is swiped: from its leading edge it is copied, from its trailing edge deleted.
///
/// The row follows the finger and uncovers a sign of what will happen; that gets its full colour once the row is far
/// enough. It happens when the finger goes; nearer than that the row springs back, and nothing has happened.
@MainActor
final class RowSwipe: SwipeTarget {
  /// How far is far enough, as a part of the row's width.
  private static let fullSwipe = 0.4

  private enum Action: CaseIterable {
    case copy, delete

    var style: String { self == .copy ? "swiped-to-copy" : "swiped-to-delete" }
  }

  private let view: ListView<ClipRow>
  private let controller: HistoryController
  private var row: ClipRow?
  private var id: Clip.ID?
  private var action: Action?
  private var isFar = false

  init(on view: ListView<ClipRow>, controller: HistoryController) {
    self.view = view
    self.controller = controller
    view.onSwipe(self)
  }

  func swipeBegan(at place: Point) -> Bool {
    settle()
    guard let row = view.row(at: place), let clip = row.clip else { return false }
    self.row = row
    id = clip.id
    return true
  }

  func swipeMoved(to distance: Double) {
    // A new clip may have come in at the top meanwhile, and the row show another one.
    guard let row, row.clip?.id == id else { return settle() }
    let isFromLeading = (distance > 0) != view.isRightToLeft
    action = distance == 0 ? nil : isFromLeading ? .copy : .delete
    isFar = abs(distance) >= Self.fullSwipe * Double(row.root.width)
    row.slide(to: distance)
    for action in Action.allCases { row.mark(action.style, self.action == action) }
    row.mark("far", isFar)
  }

  func swipeEnded(isCancelled: Bool) {
    let (id, action) = (isFar && !isCancelled ? id : nil, action)
    settle()
    guard let id else { return }
    switch action {
    case .copy: controller.copy(id)
    case .delete: controller.delete(id)
    case nil: break
    }
  }

  /// Lets the row go back to its place.
  private func settle() {
    row?.slide(to: 0)
    for style in Action.allCases.map(\.style) + ["far"] { row?.mark(style, false) }
    row = nil
    id = nil
    action = nil
    isFar = false
  }
}
