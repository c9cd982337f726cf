import CXCB
import ClipboardCore
import Dispatch
import Glibc

typealias Atom = xcb_atom_t
typealias Window = xcb_window_t

/// The protocol's None, for a window.
let noWindow: Window = 0
/// The protocol's None, for an atom.
let noAtom: Atom = 0
/// CurrentTime, which a request without a timestamp contains.
public let noTime: UInt32 = 0

/// A separate connection to the X server, which is closed when this object is released.
///
/// It uses XCB rather than Xlib, because Xlib calls `exit` when the server exits, and has only one error handler per
/// process, which GDK has set. The object is not Sendable and belongs to one actor.
///
/// XCB reads events while it waits for a reply or writes to a full socket. These events are in its queue, and the
/// socket does not become readable for them, so check the queue before every sleep.
final class XConnection {
  struct WindowEvents: OptionSet {
    let rawValue: UInt32

    static let properties = WindowEvents(rawValue: XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue)
    /// Changes of the window itself, including its destruction.
    static let structure = WindowEvents(rawValue: XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue)
    static let focus = WindowEvents(rawValue: XCB_EVENT_MASK_FOCUS_CHANGE.rawValue)
  }

  let handle: OpaquePointer
  let root: Window
  /// The code of XFixesSelectionNotify; nil before ``prepareOwnerChanges()``.
  var ownerChangeCode: CInt?
  /// What is selected on the windows of other clients.
  private var selected: [Window: [WindowEvents]] = [:]

  /// Connects to `display`; nil stands for the variable `DISPLAY`.
  init(display: String?) throws(X11Error) {
    // `xcb_connect` returns an object even if it fails, so check that object, and free it.
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

  /// Returns the root window of the screen that the display's name selects; `:0.1` selects the second screen.
  private static func root(ofScreen number: CInt, _ handle: OpaquePointer) -> Window? {
    var screens = xcb_setup_roots_iterator(xcb_get_setup(handle))
    for _ in 0..<number where screens.rem > 1 { xcb_screen_next(&screens) }
    return screens.data?.pointee.root
  }

  deinit {
    xcb_disconnect(handle)
  }

  var fileDescriptor: CInt { xcb_get_file_descriptor(handle) }

  var isLost: Bool { xcb_connection_has_error(handle) != 0 }

  /// Sends pending requests; this may read events into the queue.
  func flush() {
    // Ignore the result, because `isLost` reports the error.
    xcb_flush(handle)
  }

  /// The maximum request length of the server, in units of 4 bytes.
  var longestRequest: Int { Int(xcb_get_maximum_request_length(handle)) }

  // MARK: - Events

  /// Returns the next event, from the queue or the socket, without waiting.
  func consumeEvent() -> Event? { event(from: xcb_poll_for_event(handle)) }

  /// Returns the next event in the queue, without reading the socket.
  func consumeQueuedEvent() -> Event? { event(from: xcb_poll_for_queued_event(handle)) }

  /// Handles pending events, up to `eventsPerTurn`, so that a flood of events does not starve other work.
  ///
  /// Call it also after everything that waits or writes: XCB may have read events during this time, and the socket does
  /// not become readable again for them.
  ///
  /// - Returns: whether there may be more; see ``ReadSource/callAgain()``.
  func handleTurn(_ handle: (Event) -> Void) -> Bool {
    for _ in 0..<Self.eventsPerTurn {
      guard let event = consumeEvent() ?? consumeEventAfterFlush() else { return false }
      handle(event)
    }
    return true
  }

  /// The number of events in 16 KiB, the size of XCB's reads.
  private static let eventsPerTurn = 512

  private func consumeEventAfterFlush() -> Event? {
    flush()
    return consumeQueuedEvent()
  }

  private func event(from raw: UnsafeMutablePointer<xcb_generic_event_t>?) -> Event? {
    guard let raw else { return nil }
    defer { free(raw) }
    return Event(raw, ownerChangeCode: ownerChangeCode)
  }

  // MARK: - Replies

  /// A reply of the server, which is freed when it goes out of scope.
  struct Reply<Body>: ~Copyable {
    let memory: UnsafeMutablePointer<Body>

    var body: Body { memory.pointee }

    deinit {
      free(memory)
    }
  }

  /// Waits for the reply to the request number `sequence`.
  ///
  /// Does not use `xcb_wait_for_reply`, which ignores deadlines and blocks while another client has grabbed the server.
  ///
  /// - Returns: nil if the server answered with an error.
  func reply<Body>(
    _ type: Body.Type, to sequence: UInt32, _ deadline: Deadline
  ) throws(TransferError) -> Reply<Body>? {
    var reply: UnsafeMutableRawPointer?
    var error: UnsafeMutablePointer<xcb_generic_error_t>?
    flush()
    while xcb_poll_for_reply(handle, sequence, &reply, &error) == 0 {
      do {
        var input = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
        // `poll` fails only with EINTR or ENOMEM; then this tries again, and the deadline still applies.
        poll(&input, 1, try deadline.pollTimeout)
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

  /// Waits until the server has processed all requests, so that their events and errors have arrived.
  func synchronise(_ deadline: Deadline) throws(TransferError) {
    _ = try reply(xcb_get_input_focus_reply_t.self, to: xcb_get_input_focus(handle).sequence, deadline)
  }

  /// Whether the request number `sequence`, a checked request without a reply, has failed.
  ///
  /// Call it after the reply to a later request has arrived, so that the result is known without waiting.
  func hasFailed(_ sequence: UInt32) -> Bool {
    var reply: UnsafeMutableRawPointer?
    var error: UnsafeMutablePointer<xcb_generic_error_t>?
    guard xcb_poll_for_reply(handle, sequence, &reply, &error) != 0, let error else { return false }
    free(error)
    return true
  }

  // MARK: - Windows

  /// Creates a window that is never shown, with events for its properties and its destruction.
  func makeWindow() -> Window {
    let window = xcb_generate_id(handle)
    var mask = WindowEvents([.properties, .structure]).rawValue
    xcb_create_window(
      handle, 0, window, root, -1, -1, 1, 1, 0, UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue), 0,
      XCB_CW_EVENT_MASK.rawValue, &mask)
    return window
  }

  /// Destroys a window of ours, including properties that other clients have set on it.
  func destroy(_ window: Window) {
    xcb_destroy_window(handle, window)
  }

  /// Receives events of another client's window until ``deselect(_:on:)``.
  ///
  /// If the window does not exist, an `Event.windowMissing` follows.
  func select(_ events: WindowEvents, on window: Window) {
    selected[window, default: []].append(events)
    updateEvents(of: window)
  }

  /// Ends one ``select(_:on:)`` of the same events.
  func deselect(_ events: WindowEvents, on window: Window) {
    guard let index = selected[window]?.firstIndex(of: events) else { return }
    selected[window]?.remove(at: index)
    updateEvents(of: window)
    if selected[window] == [] { selected[window] = nil }
  }

  private func updateEvents(of window: Window) {
    var mask = WindowEvents(selected[window] ?? []).rawValue
    xcb_change_window_attributes(handle, window, XCB_CW_EVENT_MASK.rawValue, &mask)
  }

  /// Returns an id for the client that created `window`: the server assigns each client a separate range of ids.
  func client(of window: Window) -> UInt32 { window & ~xcb_get_setup(handle).pointee.resource_id_mask }

  // MARK: - The focus

  /// Returns the window with the focus; nil if the focus follows the pointer.
  func focus(_ deadline: Deadline) throws(TransferError) -> Window? {
    let sequence = xcb_get_input_focus(handle).sequence
    let reply = try reply(xcb_get_input_focus_reply_t.self, to: sequence, deadline)
    guard let focus = reply?.body.focus else { return noWindow }
    return focus == XCB_INPUT_FOCUS_POINTER_ROOT.rawValue ? nil : focus
  }

  /// Whether the focus is in a window or, as with some window managers, in one of its ancestors; also true if the focus
  /// follows the pointer.
  func hasFocus(_ window: Window, _ deadline: Deadline) throws(TransferError) -> Bool {
    guard let focus = try focus(deadline) else { return true }
    if try isWindow(focus, in: window, deadline) { return true }
    return try isWindow(window, in: focus, deadline)
  }

  /// Whether a window is `other` or a descendant of it; the root window does not count.
  func isWindow(_ window: Window, in other: Window, _ deadline: Deadline) throws(TransferError) -> Bool {
    try windows(around: window, deadline).contains(other)
  }

  /// Returns a window and its ancestors, without the root window.
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

  /// Returns the top-level window at the pointer, possibly a window manager's frame.
  func windowAtPointer(_ deadline: Deadline) throws(TransferError) -> Window {
    let sequence = xcb_query_pointer(handle, root).sequence
    return try reply(xcb_query_pointer_reply_t.self, to: sequence, deadline)?.body.child ?? noWindow
  }

  // MARK: - Keys

  var keycodes: (xcb_keycode_t, xcb_keycode_t) {
    guard let setup = xcb_get_setup(handle) else { return (8, 255) }
    return (setup.pointee.min_keycode, setup.pointee.max_keycode)
  }

  /// Grabs either all of these strokes or none; they are reported whichever window has the focus.
  ///
  /// The grab freezes nothing: if this process is stopped, only these keys are blocked. See ``freezeKeys(since:)``.
  ///
  /// - Returns: false if another connection has grabbed one of them.
  func grab(_ strokes: Set<Keyboard.Stroke>) throws(TransferError) -> Bool {
    let mode = UInt8(XCB_GRAB_MODE_ASYNC.rawValue)
    let sequences = strokes.map {
      xcb_grab_key_checked(handle, 0, root, $0.state, $0.code, mode, mode).sequence
    }
    try synchronise(.endless)
    // Check all requests, because unchecked errors would arrive as events.
    let failures = sequences.count { hasFailed($0) }
    if failures > 0 { ungrabKeys() }
    return failures == 0
  }

  /// Freezes the keyboard until ``thawKeys()`` or the end of the connection: the server queues what is typed.
  ///
  /// Pass the time of one of our strokes, so that a later grab by another program is not replaced.
  func freezeKeys(since time: xcb_timestamp_t) {
    let (pointer, keyboard) = (UInt8(XCB_GRAB_MODE_ASYNC.rawValue), UInt8(XCB_GRAB_MODE_SYNC.rawValue))
    xcb_discard_reply(handle, xcb_grab_keyboard(handle, 0, root, time, pointer, keyboard).sequence)
    flush()
  }

  /// Thaws the keyboard: the server delivers the queued keys to the window with the focus.
  func thawKeys() {
    xcb_ungrab_keyboard(handle, noTime)
    flush()
  }

  func isDown(_ key: xcb_keycode_t, _ deadline: Deadline) throws(TransferError) -> Bool {
    let sequence = xcb_query_keymap(handle).sequence
    guard let keys = try reply(xcb_query_keymap_reply_t.self, to: sequence, deadline)?.body.keys else {
      return false
    }
    return withUnsafeBytes(of: keys) { $0[Int(key) / 8] & 1 << (key % 8) != 0 }
  }

  func ungrabKeys() {
    xcb_ungrab_key(handle, UInt8(XCB_GRAB_ANY.rawValue), root, UInt16(XCB_MOD_MASK_ANY.rawValue))
  }

  // MARK: - Watching the socket

  /// Calls a handler on a queue whenever the socket is readable, until the handler returns false.
  ///
  /// Use it for urgent events: a separate thread waits for the socket, and runs the handler on the queue without waking
  /// another thread. With a ``ReadSource``, two libdispatch threads must wake in turn, and the second one may first
  /// have to be created.
  ///
  /// - Throws: `connectionLost` if the process is out of file descriptors.
  func callAtOnce(on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Bool) throws(X11Error) {
    // Use a duplicate, so that the descriptor is not reused after the connection is closed; closing shuts the socket
    // down, which wakes the thread.
    let socket = fcntl(fileDescriptor, F_DUPFD_CLOEXEC, 0)
    guard socket >= 0 else { throw .connectionLost }
    DispatchQueue(label: queue.label + ".input").async {
      var input = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      repeat { poll(&input, 1, -1) } while queue.sync(execute: handler)
      close(socket)
    }
  }

  /// Calls a handler whenever a connection's socket is readable, until the source is released.
  ///
  /// It retains the connection until libdispatch no longer watches the socket. Otherwise the descriptor could be closed
  /// and its number reused while it is still watched.
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

    /// Starts calling `handler`; call this exactly once.
    ///
    /// libdispatch traps if a source that was never activated is released.
    func start(_ handler: @escaping @Sendable () -> Void) {
      self.handler = handler
      source.setEventHandler(handler: handler)
      source.activate()
    }

    /// Calls the handler again, after other pending work on the queue.
    func callAgain() { queue.async(execute: handler) }
  }
}

/// Why the X server cannot be used.
public enum X11Error: Error, Equatable, Sendable {
  /// No server answered at `display`, which is the value of `DISPLAY` if no display was given.
  case cannotConnect(display: String)
  /// The connection is permanently lost; create a new object.
  case connectionLost
}
