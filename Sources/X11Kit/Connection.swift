import CXCB
import Glibc

typealias Atom = xcb_atom_t
typealias Window = xcb_window_t

/// A connection to the X server of our own, closed when the last reference to it goes.
///
/// XCB rather than Xlib: errors come back as values, where Xlib has one error handler for the whole process,
/// which GDK has set, and calls `exit` when the server goes away. Not Sendable: it belongs to one actor.
///
/// XCB reads events while it waits for a reply, or while it writes to a full socket. Such events lie in its
/// queue, and the socket does not become readable for them: look at the queue before every sleep.
final class Connection {
  let handle: OpaquePointer
  let root: Window
  /// The code of the event that tells of a selection's new owner, once ``prepareOwnerChanges()`` has asked for it.
  var ownerChangeCode: CInt?

  /// Connects to `display`, or to the one that `DISPLAY` names.
  init(display: String?) throws(X11Error) {
    // Never null: a connection that failed is an object too, to be asked and to be freed.
    var number: CInt = 0
    guard let handle = xcb_connect(display, &number) else { throw .cannotConnect(display: display ?? "") }
    guard xcb_connection_has_error(handle) == 0, let root = Self.root(ofScreen: number, handle) else {
      xcb_disconnect(handle)
      let named = display ?? getenv("DISPLAY").map { String(cString: $0) }
      throw .cannotConnect(display: named ?? "")
    }
    self.handle = handle
    self.root = root
  }

  /// The root window of the screen that the display's name means, such as the second one of `:0.1`.
  private static func root(ofScreen number: CInt, _ handle: OpaquePointer) -> Window? {
    var screens = xcb_setup_roots_iterator(xcb_get_setup(handle))
    for _ in 0..<number where screens.rem > 1 { xcb_screen_next(&screens) }
    return screens.data?.pointee.root
  }

  deinit {
    xcb_disconnect(handle)
  }

  var fileDescriptor: CInt { xcb_get_file_descriptor(handle) }

  /// Whether the server has gone, or has thrown us out.
  ///
  /// It stays so.
  var isLost: Bool { xcb_connection_has_error(handle) != 0 }

  /// Sends what has been asked for.
  ///
  /// It may read events into the queue.
  func flush() {
    // What it returns is what `isLost` says.
    xcb_flush(handle)
  }

  /// The longest request that the server takes, in units of 4 bytes.
  var longestRequest: Int { Int(xcb_get_maximum_request_length(handle)) }

  /// Sleeps until the server has sent something.
  ///
  /// The caller has flushed, and found the queue empty.
  func waitForInput(_ patience: Patience) throws(Interruption) {
    try patience.check()
    var descriptors = [pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)]
    if let cancellation = patience.cancellation {
      descriptors.append(pollfd(fd: cancellation.descriptor, events: Int16(POLLIN), revents: 0))
    }
    // Its failures are EINTR and ENOMEM: the caller comes back, and the deadline holds.
    poll(&descriptors, nfds_t(descriptors.count), patience.pollTimeout)
    patience.cancellation?.clear()
    try patience.check()
  }
}
