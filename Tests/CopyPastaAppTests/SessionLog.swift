import ClipboardCore
import GtkKit
import TestSupport

@testable import ClipHistory
@testable import CopyPastaApp

/// Everything that a session has reported, in order.
@MainActor
final class SessionLog {
  private(set) var events: [HistorySession.Event] = []
  /// What was known to be on the clipboard, each time that this may have changed.
  private(set) var clipboardStates: [ClipboardState] = []
  private var token: ListenerToken?
  /// Called for each event.
  var onEvent: (@MainActor (HistorySession.Event) -> Void)?

  init(of session: HistorySession) {
    token = session.events.add { [weak self, weak session] event in
      if let session, case .clipboardChanged = event { self?.clipboardStates.append(session.clipboardState) }
      self?.events.append(event)
      self?.onEvent?(event)
    }
  }

  var failures: [HistoryFailure] {
    events.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
  }

  /// The completed actions that were announced.
  var announced: [HistoryEvent] {
    events.compactMap { if case .done(let event, _, isAnnounced: true) = $0 { event } else { nil } }
  }

  /// The clips on which an action was completed.
  func ids(of action: HistoryEvent) -> [Clip.ID] {
    events.compactMap { if case .done(action, let id, _) = $0 { id } else { nil } }
  }

  /// The texts that a window was to show.
  var shown: [(clip: Clip, text: ClipText, file: Int)] {
    events.compactMap { if case .text(let clip, let text, let file) = $0 { (clip, text, file) } else { nil } }
  }

  /// Whether a skipped secret was reported, at each change.
  var secrets: [Bool] {
    clipboardStates.map { $0 == .secret }.reduce(into: []) { if $0.last ?? false != $1 { $0.append($1) } }
  }

  /// How often the newest row got a text that it may have had before.
  var additions: Int { events.count { if case .added = $0 { true } else { false } } }
}

extension TaskQueue {
  /// Adds an action that ends when the test finishes it.
  func block() -> AsyncStream<Never>.Continuation {
    let (gate, opening) = AsyncStream<Never>.makeStream()
    add { for await _ in gate {} }
    return opening
  }
}

extension ClipboardContent {
  static func text(_ text: String) -> ClipboardContent { .text(Array(text.utf8)) }
}

extension SystemClipboard {
  /// Offers a text, as a copy from the history does.
  func offer(_ text: String, _ press: CopyPress? = nil) async throws {
    let text = try ClipText(validating: Array(text.utf8))
    try await setText(OwnOffer(number: 1, text: text), press ?? takePress())
  }
}

extension HistorySession {
  /// The clip that CopyPasta offers on the clipboard.
  var onClipboard: Clip.ID? { clipboardState.clip }

  /// Makes a session with a clipboard whose content needs no recording.
  convenience init(_ services: AppServices) { self.init(services, clipboard: FakeClipboard(.own)) }

  /// Makes a session without a window, and opens it unless `firstPageSize` is nil.
  ///
  /// - Parameter lock: How long the store waits for another program's lock, in milliseconds.
  static func make(
    at location: HistoryLocation, _ clipboard: any SystemClipboard = FakeClipboard(.own),
    preferences: Preferences? = nil,
    now: @escaping @Sendable () -> Int64 = { Format.now }, clock: (@Sendable () -> ClockReading)? = nil,
    firstPageSize: Int? = 30, undoTime: Duration = .seconds(3600), lock: Int32 = 2000
  ) -> HistorySession {
    let services = AppServices.keepingNothing(
      at: location, FakeShortcut(), preferences: preferences, now: now, clock: clock)
    let session = HistorySession(services, clipboard: clipboard, undoTime: undoTime) {
      HistoryStore(
        at: location, digest: { key, text in Checksum.hmacSHA256(key: key, of: text.bytes) },
        timeouts: .init(lock: lock, opening: 25))
    }
    if let firstPageSize { session.open(firstPageSize: firstPageSize) }
    return session
  }

  /// Tries again until the history can be read and written.
  func waitUntilOpen() async throws {
    try await waitUntil("the history open") {
      tryAgain()
      await drain()
      return state == .open(obstacle: nil)
    }
  }

  /// The clips in the list, newest first.
  var ids: [Clip.ID] { (0..<model.count).map(model.id(at:)) }
  var texts: [String] { (0..<model.count).map { model.clip(at: $0).preview } }
}
