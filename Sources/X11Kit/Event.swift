import CXCB

/// An X event, reduced to what selections and key grabs need.
enum Event {
  case propertySet(Window, Atom, at: xcb_timestamp_t)
  /// `sequence` is the number of our last request that the server had processed before the event.
  case propertyDeleted(Window, Atom, sequence: UInt32)
  case windowDestroyed(Window)
  case selectionRequested(SelectionRequest)
  case selectionAnswered(SelectionAnswer)
  /// A watched selection has a new owner, or its owner took it again; `owner` is nil if the selection was released.
  case ownerChanged(SelectionChange)
  /// An earlier request named a window that no longer exists.
  case windowMissing(Window)
  /// A window or one of its children received the focus, or a keyboard grab ended.
  case focusCame(Window)
  case keyPressed(Key)
  case keyReleased(Key)
  /// The mapping of keys or modifiers has changed.
  case keyboardChanged
  case other

  struct Key: Equatable {
    let code: xcb_keycode_t
    let time: xcb_timestamp_t
  }

  /// Another program requests the selection (ICCCM 2.2).
  typealias SelectionRequest = xcb_selection_request_event_t

  /// The owner's answer to a request (ICCCM 2.4); it is a refusal if `property` is None.
  typealias SelectionAnswer = xcb_selection_notify_event_t

  struct SelectionChange {
    let selection: Atom
    let owner: Window?
    /// The number of our last request that the server had processed before the event.
    let sequence: UInt32

    /// Whether the change happened after our request number `request` was processed.
    func isAfter(_ request: UInt32) -> Bool { sequence.isAtOrAfter(request) }
  }

  init(_ raw: UnsafeMutablePointer<xcb_generic_event_t>, ownerChangeCode: CInt?) {
    func body<Body>(_ type: Body.Type = Body.self) -> Body { UnsafeRawPointer(raw).load(as: type) }
    // The top bit marks events that a client sent with SendEvent. Accept only the kinds that clients legitimately send,
    // because a forged DestroyNotify would end our reads.
    let isForged = raw.pointee.response_type & 0x80 != 0
    let sequence = raw.pointee.full_sequence
    switch CInt(raw.pointee.response_type & 0x7f) {
    case 0:
      let error = body(xcb_generic_error_t.self)
      self = CInt(error.error_code) == XCB_WINDOW ? .windowMissing(error.resource_id) : .other
    case XCB_SELECTION_NOTIFY: self = .selectionAnswered(body())
    case _ where isForged: self = .other
    case XCB_PROPERTY_NOTIFY:
      let event = body(xcb_property_notify_event_t.self)
      self =
        UInt32(event.state) == XCB_PROPERTY_DELETE.rawValue
        ? .propertyDeleted(event.window, event.atom, sequence: sequence)
        : .propertySet(event.window, event.atom, at: event.time)
    case XCB_DESTROY_NOTIFY: self = .windowDestroyed(body(xcb_destroy_notify_event_t.self).window)
    case XCB_SELECTION_REQUEST: self = .selectionRequested(body())
    case XCB_KEY_PRESS, XCB_KEY_RELEASE:
      // Presses and releases have the same layout.
      let event = body(xcb_key_press_event_t.self)
      let key = Key(code: event.detail, time: event.time)
      self = CInt(event.response_type) == XCB_KEY_PRESS ? .keyPressed(key) : .keyReleased(key)
    case XCB_FOCUS_IN: self = .focusCame(body(xcb_focus_in_event_t.self).event)
    case XCB_MAPPING_NOTIFY: self = .keyboardChanged
    case ownerChangeCode:
      let event = body(copypasta_xfixes_selection_event.self)
      let owner = event.owner == noWindow ? nil : event.owner
      self = .ownerChanged(
        SelectionChange(selection: event.selection, owner: owner, sequence: sequence))
    default: self = .other
    }
  }
}

extension UInt32 {
  /// Whether this server time, or request number, equals `other` or comes after it.
  ///
  /// Times and request numbers wrap around; times, which are in milliseconds, do so after 49.7 days.
  func isAtOrAfter(_ other: UInt32) -> Bool { Int32(bitPattern: self &- other) >= 0 }
}
