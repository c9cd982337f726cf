import ClipHistory
import ClipboardCore
import SerialQueue
import Synchronization
import X11Kit

/// The clipboard on X11, over connections of our own.
///
/// GDK's transfers there have no time limit, mistake one answer for another, and fail for large texts.
@MainActor
final class X11Clipboard: SystemClipboard {
  private let display: String
  private let offers: X11ClipboardSource
  // Connected when a text is first offered.
  private(set) var owner: SelectionOwner?
  let offerLosses = Observers<Void>()

  private(set) var offeredText: ClipText?

  var source: any ClipboardSource { offers }

  func setReadingWindow(_ number: UInt32?) { offers.state.withLock { $0.readingWindow = number } }

  init(display: String) {
    self.display = display
    offers = X11ClipboardSource(display: display)
  }

  func offer(_ text: ClipText) async throws(TransferError) {
    await offers.question.wait()
    // The server may have dropped the connection since it was last used: a new one is worth a try.
    for isLastTry in [false, true] {
      let wasTaken: Bool
      do {
        let owner = try connectedOwner()
        wasTaken = try await owner.offer(text.bytes)
        // A clipboard manager may have taken the text over by now.
        offeredText = await owner.isOwner ? text : nil
      } catch {
        forgetOwner()
        if !isLastTry { continue }
        offerLosses.notify()
        throw .unavailable
      }
      if wasTaken { return }
      throw .overtaken
    }
  }

  // Some sources name X11's own formats only, which GDK does not read as they are.
  var dropFormats: [String] { TextFormat.names }

  func text(of drop: any DroppedText, within limits: TransferLimits) async throws(TransferError) -> [UInt8] {
    if let text = try await offers.droppedText(within: limits) { return text }
    return try await drop.read(within: limits)
  }

  func handOver() async {
    if isOffering { _ = await owner?.handOver(within: .seconds(1)) }
  }

  private func connectedOwner() throws -> SelectionOwner {
    if let owner { return owner }
    let owner = try SelectionOwner(display: display) { [weak self] owner in
      Task.unpooled { await self?.lost(by: owner) }
    }
    self.owner = owner
    offers.state.withLock { $0.ownWindow = owner.window }
    return owner
  }

  /// Forgets the owner's window: the server may give its number to another program now.
  private func forgetOwner() {
    owner = nil
    offeredText = nil
    offers.state.withLock { $0.ownWindow = nil }
  }

  private func lost(by owner: SelectionOwner) async {
    // The owner may be offering again.
    guard await !owner.isOwner, owner === self.owner else { return }
    offeredText = nil
    if await owner.isConnectionLost { forgetOwner() }
    offerLosses.notify()
  }
}

/// The offers of other programs on X11.
private final class X11ClipboardSource: ClipboardSource {
  struct State {
    var reader: SelectionReader?
    /// The window of this program's own offers.
    var ownWindow: UInt32?
    /// The window that has to have the focus for the clipboard to be read.
    var readingWindow: UInt32?
  }

  private let display: String
  private let permit = ReadingPermit()
  let state = Mutex(State())
  /// The question that a copy of this program's own waits for.
  let question = PendingQuestion()

  init(display: String) { self.display = display }

  @MainActor func allowReading(_ isAllowed: Bool) {
    let before = permit.current
    if isAllowed { permit.grant() } else { permit.revoke() }
    if permit.current != before {
      if isAllowed { question.begin() } else { question.end() }
    }
    guard let reader = state.withLock(\.reader) else { return }
    Task.unpooled { await reader.permitChanged() }
  }

  nonisolated(nonsending) func nextOffer() async throws(TransferError) {
    while true {
      let reader = try connectedReader()
      do throws(TransferError) {
        return try await reader.nextOffer()
      } catch .unavailable {
        forget(reader)
      }
    }
  }

  nonisolated(nonsending) func read(within limits: TransferLimits, onPurpose: Bool)
    async throws(TransferError) -> ClipboardContent
  {
    let reader = try connectedReader()
    do throws(TransferError) {
      if onPurpose {
        return try await reader.readText(
          ownWindow: self.state.withLock(\.ownWindow), within: limits, onPurpose: true)
      }
      question.begin()
      let content = try await reader.readText(
        ownWindow: self.state.withLock(\.ownWindow), activeWindow: state.withLock(\.readingWindow),
        within: limits
      ) { [question] in question.end() }
      if question.end(), content == .own { throw .overtaken }
      return content
    } catch {
      if error == .unavailable { forget(reader) }
      // If only this read was given up, the next one asks the question.
      if !onPurpose, error != .cancelled || permit.current == nil { question.end() }
      throw error
    }
  }

  /// The text that was dropped, if GDK would convert it.
  @MainActor func droppedText(within limits: TransferLimits) async throws(TransferError) -> [UInt8]? {
    let reader = try connectedReader()
    do throws(TransferError) {
      return try await reader.readDroppedText(within: limits)
    } catch {
      if error == .unavailable { forget(reader) }
      throw error
    }
  }

  private func connectedReader() throws(TransferError) -> SelectionReader {
    if let reader = state.withLock(\.reader) { return reader }
    do throws(X11Error) {
      let made = try SelectionReader(display: display, permit: permit)
      // A paste and the following may both come first: the reader that is kept hears what is allowed.
      return state.withLock {
        let reader = $0.reader ?? made
        $0.reader = reader
        return reader
      }
    } catch {
      throw .unavailable
    }
  }

  /// Forgets a reader whose connection the server has dropped.
  private func forget(_ reader: SelectionReader) {
    state.withLock { if $0.reader === reader { $0.reader = nil } }
  }
}
