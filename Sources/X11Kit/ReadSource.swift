import Dispatch

/// Calls a handler whenever a connection's socket is readable, until it is let go.
///
/// The connection is kept until libdispatch has forgotten the socket: a descriptor that is closed while it is
/// still being watched may by then be somebody else's.
final class ReadSource {
  private let source: any DispatchSourceRead

  init(_ connection: Connection, queue: DispatchQueue) {
    source = DispatchSource.makeReadSource(fileDescriptor: connection.fileDescriptor, queue: queue)
    source.setCancelHandler { withExtendedLifetime(connection) {} }
  }

  deinit {
    source.cancel()
  }

  /// To be called once, before this is let go: libdispatch traps where a source ends that never began.
  func start(_ handler: @escaping @Sendable () -> Void) {
    source.setEventHandler(handler: handler)
    source.activate()
  }
}
