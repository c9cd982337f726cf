/// The windows of abandoned requests whose owners have not answered yet.
///
/// An owner may still write its answer to a property of the window. If the window were destroyed, the owner would get
/// an X error, which terminates many programs, such as xclip, and loses the text that they offer. Therefore the window
/// is kept until the answer arrives.
final class OrphanedRequests {
  /// What the owner still has to do before the window can be destroyed.
  enum Remainder {
    /// Answer the request.
    case answer
    /// Write the next chunk of a long text.
    case chunk
  }

  /// The maximum number of windows to keep for requests without an answer; some owners never answer.
  static let limit = 32

  private let connection: XConnection
  private(set) var windows: [(window: Window, remainder: Remainder)] = []

  init(_ connection: XConnection) {
    self.connection = connection
  }

  /// Takes over the window of a request that was given up.
  func keep(_ window: Window, until remainder: Remainder) {
    windows.append((window, remainder))
    if windows.count > Self.limit { connection.destroy(windows.removeFirst().window) }
  }

  /// Destroys a kept window if `event` shows that the owner has answered or written the chunk.
  func handle(_ event: Event) {
    guard !windows.isEmpty else { return }
    switch event {
    case .selectionAnswered(let answer): end(answer.requestor, .answer)
    case .propertySet(let window, _, _): end(window, .chunk)
    default: break
    }
  }

  private func end(_ window: Window, _ remainder: Remainder) {
    guard let index = windows.firstIndex(where: { $0 == (window, remainder) }) else { return }
    windows.remove(at: index)
    connection.destroy(window)
    connection.flush()
  }
}
