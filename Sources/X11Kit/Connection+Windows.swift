import CXCB

/// Events that a window can be asked to report.
struct WindowEvents: OptionSet {
  let rawValue: UInt32

  static let none: WindowEvents = []
  static let properties = WindowEvents(rawValue: XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue)
  /// Its destruction is among them.
  static let structure = WindowEvents(rawValue: XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue)
}

extension Connection {
  /// Makes a window that is never shown, and reports what happens to its properties.
  func makeWindow() -> Window {
    let window = xcb_generate_id(handle)
    var mask = WindowEvents.properties.rawValue
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

  /// Whether two windows belong to one client: the server gives each client numbers of its own.
  func isOfSameClient(_ window: Window, _ other: Window) -> Bool {
    (window ^ other) & ~xcb_get_setup(handle).pointee.resource_id_mask == 0
  }
}
