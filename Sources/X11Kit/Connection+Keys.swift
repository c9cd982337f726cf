import CXCB

extension Connection {
  /// The first and the last number of a key.
  var keycodes: (xcb_keycode_t, xcb_keycode_t) {
    guard let setup = xcb_get_setup(handle) else { return (8, 255) }
    return (setup.pointee.min_keycode, setup.pointee.max_keycode)
  }

  /// Takes these strokes for this connection, wherever the keyboard is; false where another one has one of them.
  ///
  /// Then none is taken.
  func grab(_ strokes: Set<Keyboard.Stroke>) throws(Interruption) -> Bool {
    let mode = UInt8(XCB_GRAB_MODE_ASYNC.rawValue)
    let sequences = strokes.map {
      xcb_grab_key_checked(handle, 0, root, $0.state, $0.code, mode, mode).sequence
    }
    // Any reply: when it is here, so are the errors.
    let last = xcb_get_input_focus(handle).sequence
    _ = try reply(xcb_get_input_focus_reply_t.self, to: last, .endless)
    // All are asked, or the errors of the others would come as events.
    let failures = sequences.count { hasFailed($0) }
    if failures > 0 { ungrabKeys() }
    return failures == 0
  }

  /// Gives back every stroke that this connection has taken.
  func ungrabKeys() {
    xcb_ungrab_key(handle, UInt8(XCB_GRAB_ANY.rawValue), root, UInt16(XCB_MOD_MASK_ANY.rawValue))
  }
}
