import ClipHistory
import ClipboardCore
import SerialQueue
import Synchronization
import X11Kit

/// The clipboard on X11, through X connections of its own.
///
/// GDK's transfers on X11 have no time limit, can confuse one answer with another, and fail for large texts.
@MainActor
final class X11Clipboard: SystemClipboard {
  private let display: String
  private let pendingRead: PendingRead
  private weak var source: X11ClipboardSource?
  /// The window that has to have the focus for the clipboard to be read.
  private var readingWindow: UInt32?
  /// Offers this program's texts; created when a text is first offered.
  private(set) var owner: SelectionOwner?
  let offerLosses = Observers<Void>()

  private(set) var offeredText: ClipText?

  init(display: String, _ pendingRead: PendingRead = PendingRead()) {
    self.display = display
    self.pendingRead = pendingRead
  }

  func makeSource(deliver: @escaping ClipboardDeliver) -> any ClipboardSource {
    let source = X11ClipboardSource(display: display, pendingRead, deliver: deliver)
    self.source = source
    updateWindows()
    return source
  }

  func setReadingWindow(_ number: UInt32?) {
    readingWindow = number
    updateWindows()
  }

  private func updateWindows() {
    source?.control.withLock { ($0.ownWindow, $0.readingWindow) = (owner?.window, readingWindow) }
  }

  // Accept X11's own names as well, because some drag sources list only these names.
  var dropFormats: [String] { TextFormat.names }

  func offer(_ text: ClipText) async throws(TransferError) {
    await pendingRead.wait()
    let outcome: SelectionOwner.Outcome
    do {
      outcome = try await take(text)
    } catch {
      // Try once more with a new connection: the server may have dropped the old connection since its last use.
      forgetOwner()
      do {
        outcome = try await take(text)
      } catch {
        forgetOwner()
        offerLosses.notify()
        throw .unavailable
      }
    }
    offeredText = outcome == .held ? text : nil
    if outcome == .ownershipLost { throw .ownershipLost }
  }

  private func take(_ text: ClipText) async throws(X11Error) -> SelectionOwner.Outcome {
    try await connectedOwner().offer(text.bytes)
  }

  func handOver() async {
    if isOffering { _ = await owner?.handOver(within: .seconds(1)) }
  }

  private func connectedOwner() throws(X11Error) -> SelectionOwner {
    if let owner { return owner }
    let owner = try SelectionOwner(display: display) { [weak self] owner in
      Task.unpooled { await self?.lost(by: owner) }
    }
    self.owner = owner
    updateWindows()
    return owner
  }

  /// Forgets the owner and its window, because the server may reuse the window's id for another program.
  private func forgetOwner() {
    owner = nil
    offeredText = nil
    updateWindows()
  }

  private func lost(by owner: SelectionOwner) async {
    // Ignore the loss if the owner has offered a new text since.
    guard await !owner.isOwner, owner === self.owner else { return }
    offeredText = nil
    if await owner.isConnectionLost { forgetOwner() }
    offerLosses.notify()
  }
}

/// Reads the offers of other programs on X11 and delivers them, all on the reader's thread.
private actor X11ClipboardSource: ClipboardSource, SerialActor {
  nonisolated let queue = SerialQueue(label: "org.copypasta.selection-reader")
  private let display: String
  private let pendingRead: PendingRead
  private let deliver: ClipboardDeliver
  private let permit = ReadPermit()
  /// State that the main thread changes while the actor's thread sleeps in a transfer.
  let control = Mutex(Control())
  private var reader: SelectionReader?
  private var isReading = false
  private var waiting: [@Sendable () -> Void] = []

  struct Control {
    var limits = TransferLimits()
    /// The window of this program's own offers, which are not read back.
    var ownWindow: UInt32?
    /// The window that has to have the focus for the clipboard to be read.
    var readingWindow: UInt32?
    var following: Task<Void, Never>?
    var isClosed = false
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  init(display: String, _ pendingRead: PendingRead, deliver: @escaping ClipboardDeliver) {
    self.display = display
    self.pendingRead = pendingRead
    self.deliver = deliver
  }

  nonisolated var limits: TransferLimits {
    get { control.withLock(\.limits) }
    set { control.withLock { $0.limits = newValue } }
  }

  private nonisolated var ownWindow: UInt32? { control.withLock(\.ownWindow) }

  // MARK: - Following

  @MainActor func follow(_ isFollowing: Bool) {
    _ = pendingRead.follow(isFollowing, permit)
    control.withLock { control in
      guard isFollowing, !control.isClosed, control.following == nil else { return }
      control.following = Task.unpooled(on: self) { source in await source.followOffers() }
    }
    Task.unpooled(on: self) { source in await source.reader?.permitChanged() }
  }

  @MainActor func close() {
    permit.revoke()
    pendingRead.end()
    control.withLock { control in
      control.isClosed = true
      control.following?.cancel()
    }
  }

  private func followOffers() async {
    do throws(TransferError) {
      while true {
        try await nextOffer()
        isReading = true
        await deliver(await readOffer())
        isReading = false
        waiting.forEach { $0() }
        waiting = []
      }
    } catch {
      // The server cannot be reached, or the source is closed. Unless the source is closed, the next `follow(true)`
      // starts this loop again.
      control.withLock { $0.following = nil }
      await deliver(.failure(error))
    }
  }

  @MainActor func afterRead(_ body: @escaping @Sendable () -> Void) {
    Task.unpooled(on: self) { source in source.wait(with: body) }
  }

  private func wait(with body: @escaping @Sendable () -> Void) {
    if isReading { waiting.append(body) } else { body() }
  }

  /// Waits until reading is allowed and there is an unread offer; reconnects if the connection is lost.
  private func nextOffer() async throws(TransferError) {
    while true {
      let reader = try connectedReader()
      do throws(TransferError) {
        return try await reader.nextOffer()
      } catch .unavailable {
        forget(reader)
      }
    }
  }

  // MARK: - Reading

  private func readOffer() async -> ClipboardDelivery {
    await pendingRead.delivery(under: permit) { () throws(TransferError) in
      try await read { [pendingRead] reader throws(TransferError) in
        try await reader.readText(
          ownWindow: self.ownWindow, activeWindow: self.control.withLock(\.readingWindow),
          within: self.limits, asked: { pendingRead.end() }, offerChanged: self.offerChanged)
      }
    }
  }

  func readNow() async throws(TransferError) -> ClipboardContent {
    try await read { reader throws(TransferError) in
      try await reader.readText(
        ownWindow: self.ownWindow, within: self.limits, onPurpose: true, offerChanged: self.offerChanged)
    }
  }

  /// Lets a copy from the history wait for a text that another program copies during a read.
  private nonisolated func offerChanged(isOffered: Bool) {
    if isOffered, permit.current != nil { pendingRead.begin() } else { pendingRead.end() }
  }

  @MainActor func text(of drop: any DroppedText) async throws(TransferError) -> [UInt8] {
    if let text = try await droppedText() { return text }
    return try await drop.read(within: limits)
  }

  /// Reads the dropped text if GDK would change it by converting its format; returns nil if GDK should read it instead.
  private func droppedText() async throws(TransferError) -> [UInt8]? {
    try await read { reader throws(TransferError) in
      try await reader.readDroppedText(within: self.limits)
    }
  }

  /// Runs a read with the reader, and forgets the reader if the server has dropped its connection.
  private func read<Content: Sendable>(
    _ body: nonisolated(nonsending) (SelectionReader) async throws(TransferError) -> Content
  ) async throws(TransferError) -> Content {
    let reader = try connectedReader()
    do throws(TransferError) {
      return try await body(reader)
    } catch {
      if error == .unavailable { forget(reader) }
      throw error
    }
  }

  private func connectedReader() throws(TransferError) -> SelectionReader {
    if let reader { return reader }
    do throws(X11Error) {
      let reader = try SelectionReader(display: display, permit: permit, on: queue)
      self.reader = reader
      return reader
    } catch {
      throw .unavailable
    }
  }

  private func forget(_ lost: SelectionReader) {
    if reader === lost { reader = nil }
  }
}
