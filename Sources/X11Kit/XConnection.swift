import CXCB
import ClipboardCore
import Dispatch
import Glibc

typealias Atom = xcb_atom_t
typealias Window = xcb_window_t

/// "None" in place of a window.
let noWindow: Window = 0
/// "None" in place of an atom.
let noAtom: Atom = 0
/// "CurrentTime": a request that does not say when it was made.
let noTime: xcb_timestamp_t = 0

/// A connection to the X server of our own, closed when the last reference to it goes.
///
/// XCB rather than Xlib: errors come back as values, while Xlib has one error handler for the whole process,
/// which GDK has set, and calls `exit` when the server goes away. Not Sendable: it belongs to one actor.
///
/// XCB reads events while it waits for a reply, or while it writes to a full socket. Such events lie in its
/// queue, and the socket does not become readable for them: look at the queue before every sleep.
final class XConnection {
  /// Events that a window can be asked to report.
  struct WindowEvents: OptionSet {
    let rawValue: UInt32

    static let none: WindowEvents = []
    static let properties = WindowEvents(rawValue: XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue)
    /// Changes of the window itself, of which its destruction is one.
    static let structure = WindowEvents(rawValue: XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue)
    static let focus = WindowEvents(rawValue: XCB_EVENT_MASK_FOCUS_CHANGE.rawValue)
  }

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

  /// Whether the server has gone, or has closed the connection.
  var isLost: Bool { xcb_connection_has_error(handle) != 0 }

  /// Sends what has been asked for.
  ///
  /// Flushing may read events into the queue.
  func flush() {
    // The result says no more than `isLost`.
    xcb_flush(handle)
  }

  /// The longest request that the server takes, in units of 4 bytes.
  var longestRequest: Int { Int(xcb_get_maximum_request_length(handle)) }

  /// Sleeps until the server has sent something.
  ///
  /// The caller has flushed, and found the queue empty.
  func waitForInput(_ deadline: Deadline) throws(TransferError) {
    try deadline.check()
    var descriptors = [pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)]
    if let cancellation = deadline.cancellation {
      descriptors.append(pollfd(fd: cancellation.descriptor, events: Int16(POLLIN), revents: 0))
    }
    // `poll` fails with EINTR or ENOMEM only: the caller comes back, and the deadline holds.
    poll(&descriptors, nfds_t(descriptors.count), deadline.pollTimeout)
    deadline.cancellation?.clear()
    try deadline.check()
  }

  // MARK: - Events

  /// The next event, from the queue or from the socket, without a wait.
  func consumeEvent() -> Event? { event(from: xcb_poll_for_event(handle)) }

  /// The next event that is in the queue already, without reading the socket.
  func consumeQueuedEvent() -> Event? { event(from: xcb_poll_for_queued_event(handle)) }

  /// Handles what has arrived, but no more than one turn's worth: a flood of events is to leave time for all else.
  ///
  /// To be called after everything that waits or writes, too: XCB may have read events meanwhile, and the socket does
  /// not become readable for them again.
  /// - Returns: whether there may be more; see ``ReadSource/callAgain()``.
  func handleTurn(_ handle: (Event) -> Void) -> Bool {
    for _ in 0..<Self.eventsPerTurn {
      guard let event = consumeEvent() ?? consumeEventAfterFlush() else { return false }
      handle(event)
    }
    return true
  }

  /// The events of some 16 KiB, which XCB reads at once.
  private static let eventsPerTurn = 512

  private func consumeEventAfterFlush() -> Event? {
    flush()
    return consumeQueuedEvent()
  }

  /// Waits for the next event.
  func nextEvent(_ deadline: Deadline) throws(TransferError) -> Event {
    // Flushing comes first: it may read events, for which `poll` would then not wake.
    flush()
    while true {
      try deadline.check()
      if let event = consumeEvent() { return event }
      if isLost { throw .unavailable }
      try waitForInput(deadline)
    }
  }

  private func event(from raw: UnsafeMutablePointer<xcb_generic_event_t>?) -> Event? {
    guard let raw else { return nil }
    defer { free(raw) }
    return Event(raw, ownerChangeCode: ownerChangeCode)
  }

  // MARK: - Replies

  /// A reply of the server, freed at the end of its scope.
  struct Reply<Body>: ~Copyable {
    let memory: UnsafeMutablePointer<Body>

    var body: Body { memory.pointee }

    deinit {
      free(memory)
    }
  }

  /// Waits for the reply to the request number `sequence`.
  ///
  /// Not `xcb_wait_for_reply`: while another client holds the server grabbed, that one has no end.
  /// - Returns: nil if the server answered with an error.
  func reply<Body>(
    _ type: Body.Type, to sequence: UInt32, _ deadline: Deadline
  ) throws(TransferError) -> Reply<Body>? {
    var reply: UnsafeMutableRawPointer?
    var error: UnsafeMutablePointer<xcb_generic_error_t>?
    flush()
    while xcb_poll_for_reply(handle, sequence, &reply, &error) == 0 {
      do {
        try waitForInput(deadline)
      } catch {
        xcb_discard_reply(handle, sequence)
        throw error
      }
    }
    free(error)
    guard let reply else {
      if isLost { throw .unavailable }
      return nil
    }
    return Reply(memory: reply.bindMemory(to: Body.self, capacity: 1))
  }

  /// Waits until the server has carried out all that it was asked for; every event and error of that has arrived then.
  func synchronise(_ deadline: Deadline) throws(TransferError) {
    _ = try reply(xcb_get_input_focus_reply_t.self, to: xcb_get_input_focus(handle).sequence, deadline)
  }

  /// Whether the request number `sequence`, which has no reply and was sent as a checked one, failed.
  ///
  /// To be asked after the reply to a later request has arrived: by then it is known without a wait.
  func hasFailed(_ sequence: UInt32) -> Bool {
    var reply: UnsafeMutableRawPointer?
    var error: UnsafeMutablePointer<xcb_generic_error_t>?
    guard xcb_poll_for_reply(handle, sequence, &reply, &error) != 0, let error else { return false }
    free(error)
    return true
  }

  // MARK: - Windows

  /// Makes a window that is never shown, and reports what happens to its properties and its end.
  func makeWindow() -> Window {
    let window = xcb_generate_id(handle)
    var mask = WindowEvents([.properties, .structure]).rawValue
    xcb_create_window(
      handle, 0, window, root, -1, -1, 1, 1, 0, UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue), 0,
      XCB_CW_EVENT_MASK.rawValue, &mask)
    return window
  }

  /// Destroys a window of ours, with the properties that others have left on it.
  func destroy(_ window: Window) {
    xcb_destroy_window(handle, window)
  }

  /// Chooses what a window, ours or another's, reports to this connection alone.
  ///
  /// A window that is gone shows as an `Event.windowMissing`.
  func select(_ events: WindowEvents, on window: Window) {
    var mask = events.rawValue
    xcb_change_window_attributes(handle, window, XCB_CW_EVENT_MASK.rawValue, &mask)
  }

  /// The number of a window's client: the server gives each client a range of its own.
  func client(of window: Window) -> UInt32 { window & ~xcb_get_setup(handle).pointee.resource_id_mask }

  // MARK: - The focus

  /// The window that gets the keys; nil if that is whichever the pointer is in.
  func focus(_ deadline: Deadline) throws(TransferError) -> Window? {
    let sequence = xcb_get_input_focus(handle).sequence
    let reply = try reply(xcb_get_input_focus_reply_t.self, to: sequence, deadline)
    guard let focus = reply?.body.focus else { return noWindow }
    return focus == XCB_INPUT_FOCUS_POINTER_ROOT.rawValue ? nil : focus
  }

  /// Whether the focus is in a window, or in one around it, as some window managers have it.
  func hasFocus(_ window: Window, _ deadline: Deadline) throws(TransferError) -> Bool {
    guard let focus = try focus(deadline) else { return true }
    if try isWindow(focus, in: window, deadline) { return true }
    return try isWindow(window, in: focus, deadline)
  }

  /// Whether a window is another one, or lies in it; the root window counts as none.
  func isWindow(_ window: Window, in other: Window, _ deadline: Deadline) throws(TransferError) -> Bool {
    try windows(around: window, deadline).contains(other)
  }

  /// A window and those that it lies in, without the root window.
  func windows(around window: Window, _ deadline: Deadline) throws(TransferError) -> [Window] {
    var windows: [Window] = []
    var window = window
    while window != noWindow, window != root {
      windows.append(window)
      let sequence = xcb_query_tree(handle, window).sequence
      window = try reply(xcb_query_tree_reply_t.self, to: sequence, deadline)?.body.parent ?? noWindow
    }
    return windows
  }

  /// The window on the screen that the pointer is in, a window manager's frame perhaps.
  func windowAtPointer(_ deadline: Deadline) throws(TransferError) -> Window {
    let sequence = xcb_query_pointer(handle, root).sequence
    return try reply(xcb_query_pointer_reply_t.self, to: sequence, deadline)?.body.child ?? noWindow
  }

  // MARK: - Keys

  /// The first and the last number of a key.
  var keycodes: (xcb_keycode_t, xcb_keycode_t) {
    guard let setup = xcb_get_setup(handle) else { return (8, 255) }
    return (setup.pointee.min_keycode, setup.pointee.max_keycode)
  }

  /// Takes these strokes for this connection, whichever window has the focus: all of them, or none.
  ///
  /// The grab freezes nothing, so that a process that is stopped takes no key but these. See ``freezeKeys(since:)``.
  /// - Returns: false if another connection has one of them.
  func grab(_ strokes: Set<Keyboard.Stroke>) throws(TransferError) -> Bool {
    let mode = UInt8(XCB_GRAB_MODE_ASYNC.rawValue)
    let sequences = strokes.map {
      xcb_grab_key_checked(handle, 0, root, $0.state, $0.code, mode, mode).sequence
    }
    try synchronise(.endless)
    // All are asked, or the errors of the others would come as events.
    let failures = sequences.count { hasFailed($0) }
    if failures > 0 { ungrabKeys() }
    return failures == 0
  }

  /// Has the server keep back all that is typed, until ``thawKeys()`` or the end of the connection.
  ///
  /// To be called at a stroke of this connection with its time: a later grab by another program stays.
  func freezeKeys(since time: xcb_timestamp_t) {
    let (pointer, keyboard) = (UInt8(XCB_GRAB_MODE_ASYNC.rawValue), UInt8(XCB_GRAB_MODE_SYNC.rawValue))
    xcb_discard_reply(handle, xcb_grab_keyboard(handle, 0, root, time, pointer, keyboard).sequence)
    flush()
  }

  /// Gives what was kept back to the window that has the focus.
  func thawKeys() {
    xcb_ungrab_keyboard(handle, noTime)
    flush()
  }

  /// Whether a key is down.
  func isDown(_ key: xcb_keycode_t, _ deadline: Deadline) throws(TransferError) -> Bool {
    let sequence = xcb_query_keymap(handle).sequence
    guard let keys = try reply(xcb_query_keymap_reply_t.self, to: sequence, deadline)?.body.keys else {
      return false
    }
    return withUnsafeBytes(of: keys) { $0[Int(key) / 8] & 1 << (key % 8) != 0 }
  }

  /// Gives back every stroke that this connection has taken.
  func ungrabKeys() {
    xcb_ungrab_key(handle, UInt8(XCB_GRAB_ANY.rawValue), root, UInt16(XCB_MOD_MASK_ANY.rawValue))
  }

  // MARK: - Watching the socket

  /// Calls a handler whenever a connection's socket is readable, until it is let go.
  ///
  /// The connection is kept until libdispatch has forgotten the socket: a descriptor that is closed while it is
  /// still being watched may by then be somebody else's.
  final class ReadSource {
    private let source: any DispatchSourceRead
    private let queue: DispatchQueue
    private var handler: @Sendable () -> Void = {}

    init(_ connection: XConnection, queue: DispatchQueue) {
      self.queue = queue
      source = DispatchSource.makeReadSource(fileDescriptor: connection.fileDescriptor, queue: queue)
      source.setCancelHandler { withExtendedLifetime(connection) {} }
    }

    deinit {
      source.cancel()
    }

    /// To be called once, before this is let go: libdispatch traps if a source ends that never began.
    func start(_ handler: @escaping @Sendable () -> Void) {
      self.handler = handler
      source.setEventHandler(handler: handler)
      source.activate()
    }

    /// Calls the handler once more, after what the queue has to do before.
    func callAgain() { queue.async(execute: handler) }
  }
}

/// Why the X server cannot be used.
public enum X11Error: Error, Equatable, Sendable {
  /// No server answered at `display`, which is `DISPLAY`'s value if none was named.
  case cannotConnect(display: String)
  /// The server has ended, or has closed the connection, which does not come back: make a new reader or owner.
  case connectionLost
}
