import CGtk
import Glibc

@testable import GtkKit

/// A stream whose other end the test controls.
@MainActor
final class SocketStream {
  /// The end to read from.
  let input: InputStream
  private let connection: Owned
  private var otherEnd: CInt

  init() {
    var ends: [CInt] = [-1, -1]
    // Close both ends on exec. A child that another suite starts would otherwise inherit them and keep the stream open.
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0, "no sockets")
    otherEnd = ends[1]
    let socket = g_socket_new_from_fd(ends[0], nil)
    // The connection retains the socket, and the stream lives as long as the connection.
    let connection = g_socket_connection_factory_create_connection(socket)
    g_object_unref(socket)
    self.connection = Owned(taking: UnsafeMutableRawPointer(connection.unsafelyUnwrapped))
    let stream = g_io_stream_get_input_stream(
      UnsafeMutableRawPointer(connection.unsafelyUnwrapped).assumingMemoryBound(to: GIOStream.self))
    input = InputStream(Owned(borrowing: UnsafeMutableRawPointer(stream.unsafelyUnwrapped)))
  }

  isolated deinit { end() }

  func send(_ bytes: [UInt8]) { _ = write(otherEnd, bytes, bytes.count) }

  /// Closes the other end.
  func end() {
    if otherEnd >= 0 { close(otherEnd) }
    otherEnd = -1
  }
}
