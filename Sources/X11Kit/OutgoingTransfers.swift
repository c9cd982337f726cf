/// The long texts that are being sent in chunks (INCR, ICCCM 2.7.2), each at its requestor's pace.
///
/// Every transfer keeps its own text, so a new offer does not affect it.
final class OutgoingTransfers {
  /// The window and property to which a transfer writes.
  ///
  /// A program may run several transfers at the same time, with a property for each.
  struct Destination: Hashable {
    let window: Window
    let property: Atom
  }

  private struct Transfer {
    let bytes: [UInt8]
    let type: Atom
    var sent = 0
    /// The number of the request that wrote the latest chunk, which the requestor has not deleted yet.
    var lastWrite: UInt32
    var lastProgress = SuspendingClock.now
  }

  /// The maximum number of transfers, which limits the memory that requestors occupy if they never read.
  static let capacity = 64
  /// The largest amount of text in one request, in bytes; a longer text is sent in chunks of this size.
  ///
  /// It is a quarter of the server's longest request (ICCCM 2.5), so it has as many bytes as `longestRequest` has
  /// units: 64 KiB without BIG-REQUESTS. It is limited to 256 KiB, because with BIG-REQUESTS a quarter may exceed the
  /// 4 MB that xsel can receive in one chunk.
  let chunkLength: Int

  private let connection: XConnection
  private let incr: Atom
  private let idleTimeout: Duration
  private var running: [Destination: Transfer] = [:]

  /// - Parameter idleTimeout: how long a requestor may be inactive before its transfer is dropped.
  init(_ connection: XConnection, _ atoms: Atoms, idleTimeout: Duration) {
    self.connection = connection
    incr = atoms[.incr]
    self.idleTimeout = idleTimeout
    chunkLength = min(256 << 10, connection.longestRequest)
  }

  /// Announces `bytes` to `destination`, and replaces any earlier transfer to the same destination.
  ///
  /// - Returns: false if there are too many transfers already.
  func begin(_ bytes: [UInt8], type: Atom, to destination: Destination) -> Bool {
    guard running.count < Self.capacity else { return false }
    // Select events before writing the property, because the requestor may delete it immediately.
    connection.select([.properties, .structure], on: destination.window)
    let announcement = connection.setProperty(
      destination.property, of: destination.window, type: incr, elements: [UInt32(clamping: bytes.count)])
    running[destination] = Transfer(bytes: bytes, type: type, lastWrite: announcement)
    return true
  }

  /// Writes the next chunk after the requestor has taken one; an empty chunk marks the end.
  ///
  /// `sequence` comes from the event. If the deletion happened before our last write, it concerns an older value and
  /// requests no chunk.
  func propertyDeleted(at destination: Destination, sequence: UInt32) {
    guard var transfer = running[destination],
      sequence.isAtOrAfter(transfer.lastWrite)
    else { return }
    let chunk = transfer.bytes[transfer.sent...].prefix(chunkLength)
    transfer.lastWrite = connection.setProperty(
      destination.property, of: destination.window, type: transfer.type, bytes: chunk)
    transfer.sent += chunk.count
    transfer.lastProgress = .now
    running[destination] = transfer
    if chunk.isEmpty { drop(destination) }
  }

  func drop(_ destination: Destination) {
    guard running.removeValue(forKey: destination) != nil else { return }
    connection.deselect([.properties, .structure], on: destination.window)
  }

  func windowDestroyed(_ window: Window) {
    for destination in running.keys where destination.window == window { drop(destination) }
  }

  /// Ends the transfers whose requestors have been inactive for `idleTimeout`.
  func dropIdle() {
    let now = SuspendingClock.now
    for (destination, transfer) in running where transfer.lastProgress + idleTimeout <= now {
      drop(destination)
    }
  }

  /// When the next transfer may exceed `idleTimeout`; nil while no transfer is running.
  var nextCheck: SuspendingClock.Instant? {
    running.values.map(\.lastProgress).min().map { $0 + idleTimeout }
  }
}
