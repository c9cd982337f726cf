import ClipHistory
import GtkKit

/// Recently deleted clips that can be restored, the most recently deleted first.
///
/// Their texts are only in memory, and are released a few seconds after the last deletion, or after the last undo that
/// was requested in time.
@MainActor
final class RecentDeletions {
  private let time: Duration
  private let sizeLimit: Int
  private var clips: [(deleted: DeletedClip, wasCopied: Bool)] = []
  private var timer: Timeout?
  /// The number of deletions and undos in progress; until they end, no time limit applies.
  var pending = 0 { didSet { prolong() } }
  /// Whether the history cannot be changed, so that a deletion could not be undone; until then, no time limit applies.
  var isHeld = false { didSet { if isHeld != oldValue { prolong() } } }
  private let changed: @MainActor (RecentDeletions) -> Void

  /// - Parameters:
  ///   - time: How long all clips are held after the last deletion.
  ///   - sizeLimit: The largest total size of the texts, in bytes. Above it, the oldest deletions are released early.
  ///     The last deletion is always held, regardless of its size.
  ///   - changed: Called when `count` may have changed.
  init(
    heldFor time: Duration, sizeLimit: Int = 256 << 20,
    changed: @escaping @MainActor (RecentDeletions) -> Void
  ) {
    self.time = time
    self.sizeLimit = sizeLimit
    self.changed = changed
  }

  var count: Int { clips.count }

  /// Whether a clip that is not in the list may come back.
  var canReturn: Bool { count > 0 || pending > 0 }

  /// Whether the last clip was copied before it was deleted.
  var lastWasCopied: Bool { clips.last?.wasCopied == true }

  /// Adds a clip that was just deleted, and restarts the undo time of all clips.
  func add(_ clip: DeletedClip, wasCopied: Bool = false) {
    clips.append((clip, wasCopied))
    var size = clips.reduce(0) { $0 + $1.deleted.byteCount }
    while size > sizeLimit && clips.count > 1 { size -= clips.removeFirst().deleted.byteCount }
    countChanged()
  }

  /// Removes and returns the last deletion that was not undone yet.
  func removeNewest() -> DeletedClip? {
    guard let clip = clips.popLast()?.deleted else { return nil }
    countChanged()
    return clip
  }

  func forget() {
    guard !clips.isEmpty else { return }
    clips = []
    countChanged()
  }

  func forget(where condition: (DeletedClip) -> Bool) {
    let before = clips.count
    clips.removeAll { condition($0.deleted) }
    if clips.count != before { changed(self) }
  }

  func prolong() {
    timer = clips.isEmpty || pending > 0 || isHeld ? nil : Timeout(after: time, weakly(self) { $0.forget() })
  }

  private func countChanged() {
    prolong()
    changed(self)
  }
}
