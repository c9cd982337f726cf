import ClipHistory
import GtkKit

/// What was deleted a moment ago and can be brought back, the newest first.
///
/// It is held in memory and nowhere else, for some seconds after the last deletion.
@MainActor
final class RecentDeletions {
  private let time: Duration
  private let sizeLimit: Int
  private var clips: [DeletedClip] = []
  private var timer: Timeout?
  /// Calls with the number of deletions that can be undone, when that has changed.
  var onChange: (@MainActor (Int) -> Void)?

  /// - Parameter sizeLimit: how many bytes of text are held together. Beyond it the oldest go before their time; the
  ///   last deletion can be undone however large its text is, and is held alone then.
  init(heldFor time: Duration = .seconds(8), sizeLimit: Int = 256 << 20) {
    self.time = time
    self.sizeLimit = sizeLimit
  }

  /// How many deletions can be undone.
  var count: Int { clips.count }

  /// Holds what was just deleted; the time begins anew for all.
  func add(_ clip: DeletedClip) {
    clips.append(clip)
    var size = clips.reduce(0) { $0 + $1.byteCount }
    while size > sizeLimit && clips.count > 1 { size -= clips.removeFirst().byteCount }
    changed()
  }

  /// Hands out the last deletion that was not undone yet.
  func takeNewest() -> DeletedClip? {
    guard let clip = clips.popLast() else { return nil }
    changed()
    return clip
  }

  /// Lets go of everything.
  func forget() {
    guard !clips.isEmpty else { return }
    clips = []
    changed()
  }

  /// Begins the time anew.
  func prolong() {
    timer = clips.isEmpty ? nil : Timeout(after: time) { [weak self] in self?.forget() }
  }

  private func changed() {
    prolong()
    onChange?(clips.count)
  }
}
