import ClipHistory
import Synchronization

/// The texts that this program has put on the clipboard, until the history stores each as the last captured text.
///
/// They are not recorded if another program, such as a clipboard manager, offers them again.
final class OwnCopies: Sendable {
  struct Copy: Sendable {
    let number: Int
    let text: ClipText
    /// The clip whose whole text it is, if there is one.
    let clip: Clip.ID?
  }

  /// The size in bytes above which older texts are forgotten; the newest is always kept.
  private static let limit = 4 << 20

  private struct State {
    var copies: [Copy] = []
    var count = 0
  }

  private let state = Mutex(State())
  /// Notified of each text that has been put on the clipboard.
  @MainActor let additions = Observers<Copy>()

  @MainActor init() {}

  /// The number of texts added so far, including those that were already stored or forgotten.
  var count: Int { state.withLock(\.count) }

  /// The texts that were not stored yet, oldest first.
  var all: [Copy] { state.withLock(\.copies) }

  /// Adds a text that is about to be put on the clipboard.
  func add(_ text: ClipText, of clip: Clip.ID?) -> Copy {
    state.withLock { state in
      state.count += 1
      let copy = Copy(number: state.count, text: text, clip: clip)
      state.copies.append(copy)
      var size = state.copies.reduce(0) { $0 + $1.text.byteCount }
      while size > Self.limit, state.copies.count > 1 { size -= state.copies.removeFirst().text.byteCount }
      return copy
    }
  }

  /// Forgets a text that could not be put on the clipboard.
  func forget(_ copy: Copy) { state.withLock { $0.copies.removeAll { $0.number == copy.number } } }

  /// Forgets a text that the history has stored, and those before it.
  func forget(upTo number: Int) { state.withLock { $0.copies.removeAll { $0.number <= number } } }

  /// The newest copy of this text that was not stored yet.
  func copy(of text: ClipText) -> Copy? { state.withLock { $0.copies.last { $0.text == text } } }
}
