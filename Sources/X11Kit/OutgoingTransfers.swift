/// The long texts that are being handed out piece by piece (INCR, ICCCM 2.7.2), each at its requestor's pace.
///
/// Every transfer keeps the text it began with, so a new offer does not disturb it.
final class OutgoingTransfers {
  /// Where a transfer goes.
  ///
  /// The same program may run several at once, through properties of different names.
  struct Destination: Hashable {
    let window: Window
    let property: Atom
  }

  private struct Transfer {
    let bytes: [UInt8]
    let type: Atom
    var sent = 0
    /// The number of the request that wrote the piece which is waiting to be taken.
    var lastWrite: UInt32
    var lastProgress = SuspendingClock.now
  }

  /// The most transfers at once: a program that asks and never reads must not take memory without bound.
  static let capacity = 64
  /// The size of one request, in bytes; a longer text goes piece by piece.
  ///
  /// A quarter of what the server takes (ICCCM 2.5), which without BIG-REQUESTS is 64 KiB. xsel cannot take pieces of
  /// over 4 MB.
  let pieceLength: Int

  private let connection: XConnection
  private let incr: Atom
  private let idleTimeout: Duration
  private var running: [Destination: Transfer] = [:]

  /// - Parameter idleTimeout: How long a requestor may do nothing before it is given up.
  init(_ connection: XConnection, _ atoms: Atoms, idleTimeout: Duration) {
    self.connection = connection
    incr = atoms[.incr]
    self.idleTimeout = idleTimeout
    pieceLength = min(256 << 10, connection.longestRequest)
  }

  /// Announces `bytes` to `destination`, in place of a transfer that is under way there.
  ///
  /// - Returns: false if there are too many transfers already.
  func begin(_ bytes: [UInt8], type: Atom, to destination: Destination) -> Bool {
    guard running.count < Self.capacity else { return false }
    // Before the property is written: the requestor may delete it at once.
    connection.select([.properties, .structure], on: destination.window)
    let announcement = connection.setProperty(
      destination.property, of: destination.window, type: incr, elements: [UInt32(clamping: bytes.count)])
    running[destination] = Transfer(bytes: bytes, type: type, lastWrite: announcement)
    return true
  }

  /// The requestor has taken a piece: writes the next one, or the empty one that is the end.
  ///
  /// `sequence` is the event's. A deletion from before our last write took something older, and is no request for
  /// more.
  func propertyDeleted(at destination: Destination, sequence: UInt32) {
    guard var transfer = running[destination],
      sequence.isAtOrAfter(transfer.lastWrite)
    else { return }
    let piece = transfer.bytes[transfer.sent...].prefix(pieceLength)
    transfer.lastWrite = connection.setProperty(
      destination.property, of: destination.window, type: transfer.type, bytes: piece)
    transfer.sent += piece.count
    transfer.lastProgress = .now
    running[destination] = transfer
    if piece.isEmpty { drop(destination) }
  }

  /// Forgets the transfer to a destination, if there is one.
  func drop(_ destination: Destination) {
    guard running.removeValue(forKey: destination) != nil else { return }
    if !running.keys.contains(where: { $0.window == destination.window }) {
      connection.select(.none, on: destination.window)
    }
  }

  /// Forgets all transfers to a window that is gone.
  func windowDestroyed(_ window: Window) {
    running = running.filter { $0.key.window != window }
  }

  /// Forgets the transfers whose requestor has done nothing for too long.
  func dropIdle() {
    let now = SuspendingClock.now
    for (destination, transfer) in running where transfer.lastProgress + idleTimeout <= now {
      drop(destination)
    }
  }

  /// Forgets all transfers.
  func dropAll() {
    running = [:]
  }

  /// How long until a transfer may have been idle for too long; nil if none is under way.
  var nextCheck: Duration? {
    running.values.map(\.lastProgress).min().map { $0 + idleTimeout - SuspendingClock.now }
  }
}
