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
  private lazy var source = X11ClipboardSource(display: display, pendingRead) { [weak self] delivery, offer in
    onMain { [weak self] in self?.deliver(delivery, offer) }
  } ownerChanged: { [weak self] isTaken in
    onMain { [weak self] in self?.changes.notify(isTaken) }
  }
  var deliver: @MainActor (ClipboardDelivery, _ offer: Int) -> Void = { _, _ in }
  let changes = Observers<Bool>()
  /// The window that has to have the focus for the clipboard to be read.
  private var readingWindow: UInt32?
  /// Offers this program's texts; created when a text is first offered.
  private(set) var owner: SelectionOwner?
  var ownOffer: OwnOffer?
  private var press: UInt32?

  init(display: String, _ pendingRead: PendingRead = PendingRead()) {
    self.display = display
    self.pendingRead = pendingRead
  }

  func setReadingWindow(_ number: UInt32?) {
    readingWindow = number
    updateWindows()
  }

  private func updateWindows() {
    source.control.withLock { ($0.ownWindow, $0.readingWindow) = (owner?.window, readingWindow) }
  }

  // MARK: - Reading

  var limits: TransferLimits {
    get { source.limits }
    set { source.limits = newValue }
  }

  var offer: Int { source.offer }

  var isReading: Bool { pendingRead.isReading }

  func afterRead(_ body: @escaping @MainActor () -> Void) { pendingRead.afterRead { onMain(body) } }

  func follow(_ isFollowing: Bool) {
    // A later copy without a press, as from a screen reader, is not as old as a press before the window was left.
    if !isFollowing { press = nil }
    source.follow(isFollowing)
  }

  func watchNextChange() -> Bool {
    source.watchNextChange()
    return true
  }

  func read(pasted offer: Int, under permit: ReadPermit) async throws(TransferError) -> ClipboardContent {
    try await source.read(pasted: offer, under: permit)
  }

  func read(_ drop: any DroppedText, under permit: ReadPermit) async throws(TransferError) -> ClipboardContent
  {
    try await source.read(drop, under: permit)
  }

  func endRevokedReads() { source.endRevokedReads() }

  var isEnding: Bool {
    get { source.control.withLock(\.isEnding) }
    set { source.control.withLock { $0.isEnding = newValue } }
  }

  func close() { source.close() }

  // MARK: - Offering

  // Accept X11's own names as well, because some drag sources list only these names.
  var dropFormats: [String] { TextFormat.names }

  func notePress(at time: UInt32) { press = time }

  func takePress() -> CopyPress { CopyPress(moment: press.take() ?? 0) }

  func setText(_ offer: OwnOffer, _ press: CopyPress) async throws(TransferError) {
    await pendingRead.wait()
    let outcome: SelectionOwner.Outcome
    do {
      outcome = try await connectedOwner().offer(offer.text.bytes, at: press.moment)
    } catch {
      // Try once more with a new connection: the server may have dropped the old connection since its last use.
      forgetOwner()
      do {
        outcome = try await connectedOwner().offer(offer.text.bytes, at: press.moment)
      } catch {
        forgetOwner()
        changes.notify(false)
        throw .unavailable
      }
    }
    // Ask again, because the owner may have lost the clipboard, and reported that, before this task continued.
    ownOffer = owner?.isOwner == true ? offer : nil
    if outcome == .ownershipLost { throw .ownershipLost }
  }

  func handOver() async {
    guard let owner else { return }
    if isOffering { _ = await owner.handOver(within: .milliseconds(700)) }
    await owner.close(within: .milliseconds(200))
  }

  private func connectedOwner() throws(X11Error) -> SelectionOwner {
    if let owner { return owner }
    let owner = try SelectionOwner(display: display) { [weak self] owner in
      Task.unpooled { [weak self] in await self?.lost(by: owner) }
    }
    self.owner = owner
    updateWindows()
    return owner
  }

  /// Forgets `owner` and its window, because the server may reuse the window's id for another program.
  private func forgetOwner() {
    owner = nil
    ownOffer = nil
    updateWindows()
  }

  private func lost(by owner: SelectionOwner) async {
    // Ignore the loss if the owner has offered a new text since.
    guard !owner.isOwner, owner === self.owner else { return }
    ownOffer = nil
    if await owner.isConnectionLost { forgetOwner() }
    changes.notify(true)
  }
}

/// Reads and delivers the offers of other programs on X11: copies and pastes on the reader's thread, drops on another.
private actor X11ClipboardSource: SerialActor {
  nonisolated let queue = SerialQueue(label: "org.copypasta.selection-reader")
  private let display: String
  private let pendingRead: PendingRead
  private let deliver: @Sendable (ClipboardDelivery, _ offer: Int) -> Void
  private let ownerChanged: @Sendable (_ isTaken: Bool) -> Void
  private let permit = ReadPermit()
  /// State that the main thread changes while the actor's thread sleeps in a transfer.
  let control = Mutex(Control())
  private var reader: SelectionReader?
  /// The reader of the next drop, if an earlier drop has left one that is not in use.
  @MainActor private var dropReader: X11DropReader?

  struct Control {
    /// The number of changes of the clipboard's owner.
    var offer = 0
    /// The number of the offer to which the followed read's result belongs.
    var judgedOffer = 0

    var limits = TransferLimits()
    /// The window of this program's own offers, which are not read back.
    var ownWindow: UInt32?
    /// The window that has to have the focus for the clipboard to be read.
    var readingWindow: UInt32?
    var following: Task<Void, Never>?
    var isClosed = false
    var isEnding = false
    var reader: SelectionReader?
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  init(
    display: String, _ pendingRead: PendingRead,
    deliver: @escaping @Sendable (ClipboardDelivery, _ offer: Int) -> Void,
    ownerChanged: @escaping @Sendable (_ isTaken: Bool) -> Void
  ) {
    self.display = display
    self.pendingRead = pendingRead
    self.deliver = deliver
    self.ownerChanged = ownerChanged
  }

  nonisolated var limits: TransferLimits {
    get { control.withLock(\.limits) }
    set { control.withLock { $0.limits = newValue } }
  }

  nonisolated var offer: Int { control.withLock(\.offer) }

  // MARK: - Following

  @MainActor func follow(_ isFollowing: Bool) {
    let isChanged = pendingRead.follow(isFollowing, permit)
    control.withLock { control in
      // The owner may have changed while the clipboard was not followed.
      if isChanged, isFollowing { control.offer += 1 }
      guard isFollowing, !control.isClosed, control.following == nil else { return }
      control.following = Task.unpooled(on: self) { source in await source.followOffers() }
    }
    if !isFollowing { endRevokedReads() }
    Task.unpooled(on: self) { source in await source.reader?.permitChanged() }
  }

  @MainActor func watchNextChange() {
    Task.unpooled(on: self) { source in
      do throws(TransferError) {
        try await source.connectedReader().watchNextChange()
      } catch {
        // The next `follow` reports that the server cannot be reached.
      }
    }
  }

  @MainActor func endRevokedReads() { control.withLock(\.reader)?.endUnwantedRead() }

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
        await readOffer()
      }
    } catch {
      // The server cannot be reached, or the source is closed. Unless the source is closed, the next `follow(true)`
      // starts this loop again.
      control.withLock { $0.following = nil }
      deliver(.failure(error), offer)
    }
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

  private func readOffer() async {
    await pendingRead.deliver(
      to: { self.deliver($0, self.control.withLock(\.judgedOffer)) }, under: permit
    ) { () throws(TransferError) in
      var read = self.read(.followed, under: self.permit)
      read.isCurrentOffer = { [weak self] in
        self?.control.withLock { $0.judgedOffer = $0.offer }
        return true
      }
      read.asked = { [pendingRead] in pendingRead.end() }
      read.isWanted = { [permit, weak self] progress in
        switch progress {
        case .examining: permit.current != nil
        case .requested: self?.control.withLock { !$0.isEnding } ?? false
        case .begun: true
        }
      }
      return try await self.content(of: read)
    }
  }

  private nonisolated func read(_ reason: SelectionRead.Reason, under permit: ReadPermit) -> SelectionRead {
    var (limits, window) = control.withLock { ($0.limits, $0.readingWindow) }
    if reason != .followed { limits = limits.ofPaste }
    var read = SelectionRead(reason, under: permit, activeWindow: window, within: limits)
    read.ownWindow = { [weak self] in self?.control.withLock(\.ownWindow) }
    read.isWanted = { $0 == .begun || permit.current != nil }
    return read
  }

  func read(pasted offer: Int, under permit: ReadPermit) async throws(TransferError) -> ClipboardContent {
    var read = read(.pasted, under: permit)
    read.isCurrentOffer = { [weak self] in self?.offer == offer }
    return try await content(of: read)
  }

  @MainActor func read(
    _ drop: any DroppedText, under permit: ReadPermit
  ) async throws(TransferError) -> ClipboardContent {
    let reader = dropReader.take() ?? X11DropReader(display: display)
    // Keep the reader, because the drag source may still answer at its window.
    defer { dropReader = reader }
    var read = read(.dropped(at: drop.time), under: permit)
    read.activeWindow = nil
    return try await reader.content(of: read)
  }

  /// Counts a change of the clipboard's owner, and reports it unless this program is the new owner.
  private nonisolated func changed(to window: UInt32?) {
    let isOwn = control.withLock { control in
      control.offer += 1
      return window != nil && window == control.ownWindow
    }
    guard !isOwn else { return }
    // Let a copy from the history wait for a text that another program has just copied.
    if window != nil, permit.current != nil { pendingRead.begin() } else { pendingRead.end() }
    ownerChanged(window != nil)
  }

  /// Reads with the reader, and forgets the reader if the server has dropped its connection.
  private func content(of read: SelectionRead) async throws(TransferError) -> ClipboardContent {
    let reader = try connectedReader()
    do throws(TransferError) {
      return try await reader.read(read)
    } catch {
      if error == .unavailable { forget(reader) }
      throw error
    }
  }

  private func connectedReader() throws(TransferError) -> SelectionReader {
    if let reader { return reader }
    do throws(X11Error) {
      let reader = try SelectionReader(display: display, permit: permit, on: queue) { [weak self] in
        self?.changed(to: $0)
      }
      self.reader = reader
      control.withLock { $0.reader = reader }
      return reader
    } catch {
      throw .unavailable
    }
  }

  private func forget(_ lost: SelectionReader) {
    guard reader === lost else { return }
    reader = nil
    control.withLock { $0.reader = nil }
  }
}

/// Reads drops on X11, over a connection and on a thread of its own, so that a slow source holds up nothing else.
private actor X11DropReader: SerialActor {
  nonisolated let queue = SerialQueue(label: "org.copypasta.drop-reader")
  private let display: String
  private var reader: SelectionReader?

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  init(display: String) { self.display = display }

  func content(of read: SelectionRead) async throws(TransferError) -> ClipboardContent {
    let reader = try connectedReader()
    do throws(TransferError) {
      return try await reader.read(read)
    } catch {
      if error == .unavailable { self.reader = nil }
      throw error
    }
  }

  private func connectedReader() throws(TransferError) -> SelectionReader {
    if let reader { return reader }
    do throws(X11Error) {
      let reader = try SelectionReader(display: display, on: queue)
      self.reader = reader
      return reader
    } catch {
      throw .unavailable
    }
  }
}
