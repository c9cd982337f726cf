import SerialQueue

/// Owns the X11 clipboard and hands out a text, through a connection of its own and off the main thread.
///
/// GDK's own serving deadlocks the program from 256 KiB, and serves nothing from 20 MiB. This one serves texts of
/// any length, to several pasters at once, from the one copy of the text that it was given.
///
/// ```swift
/// let owner = try SelectionOwner(display: nil)
/// await owner.setLossHandler { print("somebody else has copied something") }
/// try await owner.offer(Array("Hello".utf8))
/// ```
///
/// Every text target gives the same bytes of UTF-8, `STRING` too, as xclip and xsel do: byte for byte rather than
/// with question marks for what ISO 8859-1 lacks. While nobody asks, nothing runs.
public actor SelectionOwner {
  /// The window that owns the clipboard while this owner does.
  ///
  /// It is the same as long as the owner lives.
  public nonisolated let window: UInt32

  let connection: Connection
  let atoms: Atoms
  let transfers: OutgoingTransfers
  /// What is on offer; nil while somebody else, or nobody, owns the clipboard.
  private(set) var offer: Offer?

  private let queue = SerialQueue(label: "org.copypasta.selection-owner")
  private var readSource: ReadSource?
  private var alarm: Alarm?
  private var lossHandler: (@Sendable () -> Void)?

  /// A text, and since when it is on the clipboard.
  struct Offer {
    let bytes: [UInt8]
    let since: UInt32
  }

  /// Requests wait for the server, so they have a thread of their own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Connects to `display` (such as `:0`), or to the one that the variable `DISPLAY` names.
  ///
  /// It waits for the server. The clipboard stays as it is.
  /// - Throws: `cannotConnect` where no server answers.
  public init(display: String?) throws(X11Error) {
    try self.init(display: display, idleTimeout: .seconds(30))
  }

  /// - Parameter idleTimeout: How long a paster may do nothing in the middle of a long text before it is given up.
  init(display: String?, idleTimeout: Duration) throws(X11Error) {
    let connection = try Connection(display: display)
    self.connection = connection
    do {
      atoms = try Atoms(connection)
    } catch {
      throw .connectionLost
    }
    transfers = OutgoingTransfers(connection, atoms, idleTimeout: idleTimeout)
    window = connection.makeWindow()
    connection.flush()
    let source = ReadSource(connection, queue: queue.dispatchQueue)
    readSource = source
    source.start { [weak self] in self?.assumeIsolated { $0.handleEvents() } }
  }

  /// Puts `bytes`, a text in UTF-8, on the clipboard in place of what is there.
  ///
  /// Pastes of an earlier text that are under way end with that text. Where somebody else copies at this very
  /// moment, theirs is the later copy: ``isOwner`` is false then, and the loss handler is called.
  /// - Throws: `connectionLost`.
  public func offer(_ bytes: [UInt8]) throws(X11Error) {
    defer { handleEvents() }
    do {
      let time = try serverTime()
      connection.setOwner(of: atoms[.clipboard], to: window, at: time)
      offer = Offer(bytes: bytes, since: time)
      try confirmOwnership()
    } catch {
      offer = nil
      throw .connectionLost
    }
  }

  /// Takes the text off the clipboard, if it is still this owner's.
  ///
  /// The loss handler is not called.
  ///
  /// Pastes that are under way end with the text that they began with.
  public func withdraw() {
    guard let offer else { return }
    self.offer = nil
    // With the time of our own ownership: the server ignores it where somebody else has copied since.
    connection.setOwner(of: atoms[.clipboard], to: nil, at: offer.since)
    handleEvents()
  }

  /// Whether the text on the clipboard is this owner's, as far as the server has told.
  public var isOwner: Bool { offer != nil }

  /// Whether the server has ended, or has dropped the connection: it needs another owner then.
  public var isConnectionLost: Bool { connection.isLost }

  /// How many pastes of long texts are under way.
  var transferCount: Int { transfers.count }

  /// Sets what is called, on the owner's queue, each time that the clipboard is not this owner's any more: somebody else
  /// has taken it, or the connection is lost.
  public func setLossHandler(_ handler: (@Sendable () -> Void)?) {
    lossHandler = handler
  }

  // MARK: - Events

  /// Handles all that has arrived.
  ///
  /// To be called after everything that waits or writes: XCB may have read events meanwhile, and the socket
  /// does not become readable for them again.
  func handleEvents() {
    while let event = connection.takeEvent() { handle(event) }
    connection.flush()
    while let event = connection.takeQueuedEvent() {
      handle(event)
      connection.flush()
    }
    if connection.isLost { connectionLost() }
    setAlarm()
  }

  func handle(_ event: Event) {
    switch event {
    case .selectionRequested(let request): answer(request)
    case .selectionLost(atoms[.clipboard]): selectionLost()
    case .propertyDeleted(let window, let property, let sequence):
      transfers.propertyDeleted(at: .init(window: window, property: property), sequence: sequence)
    case .windowDestroyed(let window), .windowMissing(let window): transfers.windowDestroyed(window)
    default: break
    }
  }

  private func selectionLost() {
    do {
      // The event may be from before our last offer: what counts is who owns it now.
      try confirmOwnership()
    } catch {
      connectionLost()
    }
  }

  private func connectionLost() {
    // Its socket would be readable for ever.
    readSource = nil
    transfers.dropAll()
    guard offer != nil else { return }
    offer = nil
    lossHandler?()
  }

  // MARK: - Helpers

  private func confirmOwnership() throws(Interruption) {
    guard offer != nil, try connection.owner(of: atoms[.clipboard], .endless) != window else { return }
    offer = nil
    lossHandler?()
  }

  /// The time that ICCCM 2.1 wants ownership to be taken with.
  ///
  /// Requests that come meanwhile are answered.
  func serverTime() throws(Interruption) -> UInt32 {
    connection.requestTime(for: window, through: atoms[.timeProperty])
    while true {
      let event = try connection.nextEvent(.endless)
      if case .propertySet(window, atoms[.timeProperty], let time) = event { return time }
      handle(event)
    }
  }

  /// A timer runs only while a paster is to be waited for.
  private func setAlarm() {
    guard let delay = transfers.nextCheck else {
      alarm = nil
      return
    }
    guard alarm == nil else { return }
    alarm = Alarm(after: delay, on: queue) { [weak self] in
      self?.assumeIsolated { $0.alarmRang() }
    }
  }

  private func alarmRang() {
    alarm = nil
    transfers.dropSilent()
    handleEvents()
  }
}
