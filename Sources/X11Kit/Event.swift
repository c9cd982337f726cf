import CXCB

/// An event of the server, as far as selections and key grabs need it.
enum Event: Equatable {
  case propertySet(Window, Atom, at: xcb_timestamp_t)
  /// `sequence` is the number of our last request that the server had carried out by then.
  case propertyDeleted(Window, Atom, sequence: UInt32)
  case windowDestroyed(Window)
  case selectionRequested(SelectionRequest)
  case selectionLost(Atom)
  case selectionAnswered(SelectionAnswer)
  /// A selection that is followed has another owner, or the same one anew; or, with nil, none any more.
  case ownerChanged(SelectionChange)
  /// An earlier request named a window that does not exist any more.
  case windowMissing(Window)
  case keyPressed(Key)
  case keyReleased(Key)
  /// The keys or the modifiers mean something else than before.
  case keyboardChanged
  case other

  /// A key went down or up.
  struct Key: Equatable {
    let code: xcb_keycode_t
    let time: xcb_timestamp_t

    init(_ raw: UnsafeMutablePointer<xcb_generic_event_t>) {
      // Presses and releases have the same form.
      (code, time) = raw.withMemoryRebound(to: xcb_key_press_event_t.self, capacity: 1) {
        ($0.pointee.detail, $0.pointee.time)
      }
    }
  }

  /// Another program asks for the selection (ICCCM 2.2).
  struct SelectionRequest: Equatable {
    let time: xcb_timestamp_t
    let owner, requestor: Window
    let selection, target, property: Atom
  }

  /// The owner's answer to what was asked of it (ICCCM 2.4); without a property it is a refusal.
  struct SelectionAnswer: Equatable {
    let requestor: Window
    let selection, target, property: Atom
  }

  /// A selection changed hands.
  struct SelectionChange: Equatable {
    let selection: Atom
    let owner: Window?
    /// The number of our last request that the server had carried out by then.
    let sequence: UInt32

    /// Whether it happened after our request with a number was carried out; numbers wrap around.
    func isAfter(_ request: UInt32) -> Bool { Int32(bitPattern: sequence &- request) >= 0 }
  }

  init(_ raw: UnsafeMutablePointer<xcb_generic_event_t>, ownerChangeCode: CInt?) {
    // The top bit marks what a client has sent in place of the server. Only what clients do send one another
    // is taken with it: a forged DestroyNotify would end our reads.
    let code = CInt(raw.pointee.response_type & 0x7f)
    let isForged = raw.pointee.response_type & 0x80 != 0
    switch code {
    case 0: self = Event(error: raw)
    case XCB_PROPERTY_NOTIFY where !isForged: self = Event(property: raw)
    case XCB_DESTROY_NOTIFY where !isForged:
      self = raw.withMemoryRebound(to: xcb_destroy_notify_event_t.self, capacity: 1) {
        .windowDestroyed($0.pointee.window)
      }
    case XCB_SELECTION_CLEAR where !isForged:
      self = raw.withMemoryRebound(to: xcb_selection_clear_event_t.self, capacity: 1) {
        .selectionLost($0.pointee.selection)
      }
    case XCB_SELECTION_REQUEST where !isForged: self = Event(request: raw)
    case XCB_SELECTION_NOTIFY: self = Event(answer: raw)
    case XCB_KEY_PRESS where !isForged: self = .keyPressed(Key(raw))
    case XCB_KEY_RELEASE where !isForged: self = .keyReleased(Key(raw))
    case XCB_MAPPING_NOTIFY where !isForged: self = .keyboardChanged
    case ownerChangeCode where !isForged: self = Event(change: raw)
    default: self = .other
    }
  }

  private init(error raw: UnsafeMutablePointer<xcb_generic_event_t>) {
    self = raw.withMemoryRebound(to: xcb_generic_error_t.self, capacity: 1) {
      CInt($0.pointee.error_code) == XCB_WINDOW ? .windowMissing($0.pointee.resource_id) : .other
    }
  }

  private init(property raw: UnsafeMutablePointer<xcb_generic_event_t>) {
    let sequence = raw.pointee.full_sequence
    self = raw.withMemoryRebound(to: xcb_property_notify_event_t.self, capacity: 1) {
      let event = $0.pointee
      return UInt32(event.state) == XCB_PROPERTY_DELETE.rawValue
        ? .propertyDeleted(event.window, event.atom, sequence: sequence)
        : .propertySet(event.window, event.atom, at: event.time)
    }
  }

  private init(change raw: UnsafeMutablePointer<xcb_generic_event_t>) {
    let sequence = raw.pointee.full_sequence
    self = raw.withMemoryRebound(to: copypasta_xfixes_selection_event.self, capacity: 1) {
      let owner = $0.pointee.owner
      return .ownerChanged(
        SelectionChange(
          selection: $0.pointee.selection, owner: owner == noWindow ? nil : owner, sequence: sequence))
    }
  }

  private init(request raw: UnsafeMutablePointer<xcb_generic_event_t>) {
    self = raw.withMemoryRebound(to: xcb_selection_request_event_t.self, capacity: 1) {
      let event = $0.pointee
      return .selectionRequested(
        SelectionRequest(
          time: event.time, owner: event.owner, requestor: event.requestor, selection: event.selection,
          target: event.target, property: event.property))
    }
  }

  private init(answer raw: UnsafeMutablePointer<xcb_generic_event_t>) {
    self = raw.withMemoryRebound(to: xcb_selection_notify_event_t.self, capacity: 1) {
      let event = $0.pointee
      return .selectionAnswered(
        SelectionAnswer(
          requestor: event.requestor, selection: event.selection, target: event.target,
          property: event.property))
    }
  }
}
