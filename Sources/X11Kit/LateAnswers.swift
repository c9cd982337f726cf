/// What owners have been asked for by reads that were given up, and have not answered yet.
///
/// An owner may still answer into the window that it was given. If that were gone, the owner would get an X error,
/// which ends many programs (xclip is one), and with them the text that they offer. So the window stays until the
/// answer has come.
final class LateAnswers {
  /// What the owner has still to do with the window.
  enum Awaited {
    /// To say what became of the question.
    case answer
    /// To write the next piece of a long text.
    case piece
  }

  /// Some owners never answer.
  private static let limit = 32

  private let connection: Connection
  private var windows: [(window: Window, awaited: Awaited)] = []

  init(_ connection: Connection) {
    self.connection = connection
  }

  /// Takes over the window of a read that has ended.
  func keep(_ window: Window, until awaited: Awaited) {
    windows.append((window, awaited))
    if windows.count > Self.limit { connection.destroy(windows.removeFirst().window) }
  }

  /// Destroys the window that an event says is not needed any more.
  func heed(_ event: Event) {
    guard !windows.isEmpty else { return }
    switch event {
    case .selectionAnswered(let answer): end(answer.requestor, .answer)
    case .propertySet(let window, _, _): end(window, .piece)
    default: break
    }
  }

  private func end(_ window: Window, _ awaited: Awaited) {
    guard let index = windows.firstIndex(where: { $0 == (window, awaited) }) else { return }
    windows.remove(at: index)
    connection.destroy(window)
    connection.flush()
  }
}
