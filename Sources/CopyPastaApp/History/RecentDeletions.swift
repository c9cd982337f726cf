import ClipHistory
import GtkKit

/// Clips that were deleted a moment ago and can be brought back, the newest first.
///
/// Their texts are held in memory and nowhere else, for some seconds after the last deletion.
@MainActor
final class RecentDeletions {
  private let time: Duration
  private let sizeLimit: Int
  private var clips: [DeletedClip] = []
  private var timer: Timeout?
  private let changed: @MainActor (Int) -> Void

  /// - Parameters:
  ///   - time: how long after the last deletion all of them are held.
  ///   - sizeLimit: how many bytes of text are held together. Beyond it the oldest go before their time; the last
  ///     deletion can be undone however large its text is, and is held alone then.
  ///   - changed: called with the number of deletions that can be undone, each time that it may have changed.
  init(
    heldFor time: Duration, sizeLimit: Int = 256 << 20, changed: @escaping @MainActor (Int) -> Void
  ) {
    self.time = time
    self.sizeLimit = sizeLimit
    self.changed = changed
  }

  /// Holds what was just deleted; the time begins anew for all.
  func add(_ clip: DeletedClip) {
    clips.append(clip)
    var size = clips.reduce(0) { $0 + $1.byteCount }
    while size > sizeLimit && clips.count > 1 { size -= clips.removeFirst().byteCount }
    countChanged()
  }

  /// Hands out the last deletion that was not undone yet.
  func removeNewest() -> DeletedClip? {
    guard let clip = clips.popLast() else { return nil }
    countChanged()
    return clip
  }

  /// Lets go of everything.
  func forget() {
    guard !clips.isEmpty else { return }
    clips = []
    countChanged()
  }

  /// Releases the clips that meet a condition.
  func forget(where condition: (DeletedClip) -> Bool) {
    let before = clips.count
    clips.removeAll(where: condition)
    if clips.count != before { changed(clips.count) }
  }

  /// Begins the time anew.
  func prolong() {
    timer = clips.isEmpty ? nil : Timeout(after: time, weakly(self) { $0.forget() })
  }

  private func countChanged() {
    prolong()
    changed(clips.count)
  }
}
