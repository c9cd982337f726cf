import CXCB
import Foundation
import Synchronization

/// Reads the windows and the pixels of an X server over one connection.
///
/// Tests poll it, so starting a program for each query would take most of the processor time.
final class X11Display: Sendable {
  /// The connection, used by one thread at a time.
  fileprivate struct Connection: ~Copyable {
    let handle: OpaquePointer
    let root: xcb_window_t
    let size: (width: Int, height: Int)
    var atoms: [String: xcb_atom_t] = [:]
    var names: [xcb_atom_t: String] = [:]

    deinit { xcb_disconnect(handle) }
  }

  private let connection: Mutex<Connection>

  /// Connects to a display, such as `:1`.
  init(_ name: String) throws {
    guard let handle = xcb_connect(name, nil) else { throw TestSupportError("no connection to \(name)") }
    guard xcb_connection_has_error(handle) == 0, let setup = xcb_get_setup(handle),
      let screen = xcb_setup_roots_iterator(setup).data?.pointee
    else {
      xcb_disconnect(handle)
      throw TestSupportError("the X server \(name) does not answer")
    }
    connection = Mutex(
      Connection(
        handle: handle, root: screen.root,
        size: (Int(screen.width_in_pixels), Int(screen.height_in_pixels))))
  }

  // MARK: Windows

  /// The mapped windows that the window manager manages.
  func windows() throws -> [UInt] {
    try connection.withLock { x in
      try x.words(of: "_NET_CLIENT_LIST", on: x.root).filter { try x.isViewable($0) }.map(UInt.init)
    }
  }

  /// The mapped windows of this class, the second word of `WM_CLASS`.
  func windows(ofClass name: String) throws -> [UInt] {
    try windows().filter { window in
      try bytes(of: "WM_CLASS", on: window).split(separator: 0).last?.elementsEqual(name.utf8) == true
    }
  }

  /// The open menus, popovers and tooltips: mapped windows that the window manager does not manage.
  func popups() throws -> [UInt] {
    try connection.withLock { x in
      let children = try x.content(
        of: xcb_query_tree_reply_t.self, xcb_query_tree(x.handle, x.root).sequence
      ) {
        UnsafeRawBufferPointer(start: xcb_query_tree_children($0), count: 4 * Int($0.pointee.children_len))
      }
      return try numbers(in: children).filter { window in
        guard try x.isViewable(window, unmanaged: true), let frame = try x.frame(of: window)
        else { return false }
        // Leave out the small or invisible windows of the window manager itself.
        return frame.x >= 0 && frame.y >= 0 && frame.width > 1 && frame.height > 1
      }.map(UInt.init)
    }
  }

  /// The window manager's active window; nil if no window is active.
  func activeWindow() throws -> UInt? {
    try connection.withLock { x in
      try x.words(of: "_NET_ACTIVE_WINDOW", on: x.root).first { $0 != 0 }.map(UInt.init)
    }
  }

  /// Whether the window manager has announced itself.
  func hasWindowManager() throws -> Bool {
    try connection.withLock { x in try !x.words(of: "_NET_SUPPORTING_WM_CHECK", on: x.root).isEmpty }
  }

  /// Whether a window and its ancestors are mapped; false for a destroyed window.
  func isVisible(_ window: UInt) throws -> Bool {
    try connection.withLock { x in try x.isViewable(xcb_window_t(window)) }
  }

  /// The title of a window; empty if it has none.
  func title(of window: UInt) throws -> String {
    let title = try bytes(of: "_NET_WM_NAME", on: window)
    return String(decoding: title.isEmpty ? try bytes(of: "WM_NAME", on: window) : title, as: UTF8.self)
  }

  /// A window's rectangle on the screen, without its frame.
  func frame(of window: UInt) throws -> Rectangle {
    try connection.withLock { x in
      guard let frame = try x.frame(of: xcb_window_t(window)) else {
        throw TestSupportError("window \(window) has gone")
      }
      return frame
    }
  }

  /// Takes a picture of the part of the screen with a window, or of the whole screen.
  func picture(of window: UInt?) throws -> Screenshot {
    if let window, try !isVisible(window) {
      let exists = try connection.withLock { x in try x.frame(of: xcb_window_t(window)) != nil }
      throw TestSupportError("window \(window) is not on the screen", mayPass: exists)
    }
    return try picture(in: try window.map(frame(of:)))
  }

  /// Takes a picture of a part of the screen, or of the whole screen.
  func picture(in frame: Rectangle?) throws -> Screenshot {
    try connection.withLock { x in
      let frame = frame ?? Rectangle(x: 0, y: 0, width: x.size.width, height: x.size.height)
      // Limit the part to the screen, because pixels outside cannot be requested.
      let (left, top) = (max(0, frame.x), max(0, frame.y))
      let part = Rectangle(
        x: left, y: top, width: min(x.size.width, frame.x + frame.width) - left,
        height: min(x.size.height, frame.y + frame.height) - top)
      let cookie = xcb_get_image(
        x.handle, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), x.root, Int16(part.x), Int16(part.y),
        UInt16(part.width), UInt16(part.height), ~0)
      guard let reply = try x.reply(xcb_get_image_reply_t.self, to: cookie.sequence) else {
        throw TestSupportError("no picture of \(part)")
      }
      defer { free(reply) }
      let pixels = UnsafeRawBufferPointer(
        start: xcb_get_image_data(reply), count: Int(xcb_get_image_data_length(reply)))
      return Screenshot(bgrx: Array(pixels), width: part.width, height: part.height)
    }
  }

  private func bytes(of property: String, on window: UInt) throws -> [UInt8] {
    try connection.withLock { x in try x.bytes(of: property, on: xcb_window_t(window)) ?? [] }
  }

  // MARK: Reusing the display

  /// The state that a test can change, and that must equal the initial state before another test gets the display.
  func state() throws -> [String] {
    try connection.withLock { x in
      let setup = xcb_get_setup(x.handle).pointee
      let mapping = xcb_get_keyboard_mapping(
        x.handle, setup.min_keycode, setup.max_keycode - setup.min_keycode + 1)
      let keyboard = try x.content(of: xcb_get_keyboard_mapping_reply_t.self, mapping.sequence) {
        UnsafeRawBufferPointer(
          start: xcb_get_keyboard_mapping_keysyms($0),
          count: 4 * Int(xcb_get_keyboard_mapping_keysyms_length($0)))
      }
      let pointer = try x.require(
        xcb_query_pointer_reply_t.self, xcb_query_pointer(x.handle, x.root).sequence)
      let properties = try x.content(
        of: xcb_list_properties_reply_t.self, xcb_list_properties(x.handle, x.root).sequence
      ) { UnsafeRawBufferPointer(start: xcb_list_properties_atoms($0), count: 4 * Int($0.pointee.atoms_len)) }
      var owners: [xcb_window_t] = []
      for name in ["CLIPBOARD", "PRIMARY", "CLIPBOARD_MANAGER", "_XSETTINGS_S0", "_NET_SYSTEM_TRAY_S0"] {
        let cookie = xcb_get_selection_owner(x.handle, try x.atom(name))
        owners.append(try x.require(xcb_get_selection_owner_reply_t.self, cookie.sequence).owner)
      }
      // Leave out the window manager's own properties.
      let names = try numbers(in: properties).map { try x.name(of: $0) }
        .filter { !$0.hasPrefix("_NET_") && !$0.hasPrefix("_OB_") }
      let resources = try x.bytes(of: "RESOURCE_MANAGER", on: x.root) ?? []
      let windows = try x.words(of: "_NET_CLIENT_LIST", on: x.root)
      return [
        "\(keyboard.hashValue)", "\(pointer.mask)", "\(names.sorted())", "\(resources)", "\(windows)",
        "\(owners)",
      ]
    }
  }

  /// Moves the pointer to its initial position, the middle of the screen.
  func centrePointer() throws {
    try connection.withLock { x in
      xcb_warp_pointer(x.handle, 0, x.root, 0, 0, 0, 0, Int16(x.size.width / 2), Int16(x.size.height / 2))
      // Wait for the reply to a later request, which arrives after the pointer has been moved.
      _ = try x.require(xcb_query_pointer_reply_t.self, xcb_query_pointer(x.handle, x.root).sequence)
    }
  }
}

extension X11Display.Connection {
  fileprivate mutating func atom(_ name: String) throws -> xcb_atom_t {
    if let atom = atoms[name] { return atom }
    let cookie = xcb_intern_atom(handle, 0, UInt16(name.utf8.count), name)
    let atom = try require(xcb_intern_atom_reply_t.self, cookie.sequence).atom
    atoms[name] = atom
    return atom
  }

  fileprivate mutating func name(of atom: xcb_atom_t) throws -> String {
    if let name = names[atom] { return name }
    let bytes = try content(
      of: xcb_get_atom_name_reply_t.self, xcb_get_atom_name(handle, atom).sequence
    ) { UnsafeRawBufferPointer(start: xcb_get_atom_name_name($0), count: Int($0.pointee.name_len)) }
    let name = String(decoding: bytes, as: UTF8.self)
    names[atom] = name
    return name
  }

  /// The bytes of a property; nil if the property or the window does not exist.
  fileprivate mutating func bytes(of property: String, on window: xcb_window_t) throws -> [UInt8]? {
    let cookie = xcb_get_property(
      handle, 0, window, try atom(property), XCB_GET_PROPERTY_TYPE_ANY.rawValue, 0, 1 << 18)
    guard let reply = try reply(xcb_get_property_reply_t.self, to: cookie.sequence) else { return nil }
    defer { free(reply) }
    guard reply.pointee.type != 0 else { return nil }
    let value = UnsafeRawBufferPointer(
      start: xcb_get_property_value(reply), count: Int(xcb_get_property_value_length(reply)))
    return Array(value)
  }

  /// The 32-bit numbers of a property.
  fileprivate mutating func words(of property: String, on window: xcb_window_t) throws -> [UInt32] {
    numbers(in: try bytes(of: property, on: window) ?? [])
  }

  /// Whether a window and its ancestors are mapped; with `unmanaged`, the window must also be override-redirect.
  fileprivate func isViewable(_ window: xcb_window_t, unmanaged: Bool = false) throws -> Bool {
    let cookie = xcb_get_window_attributes(handle, window)
    guard let reply = try reply(xcb_get_window_attributes_reply_t.self, to: cookie.sequence) else {
      return false
    }
    defer { free(reply) }
    return UInt32(reply.pointee.map_state) == XCB_MAP_STATE_VIEWABLE.rawValue
      && (!unmanaged || reply.pointee.override_redirect != 0)
  }

  /// A window's rectangle on the screen; nil for a destroyed window.
  fileprivate func frame(of window: xcb_window_t) throws -> Rectangle? {
    let size = xcb_get_geometry(handle, window)
    let place = xcb_translate_coordinates(handle, window, root, 0, 0)
    guard let geometry = try reply(xcb_get_geometry_reply_t.self, to: size.sequence) else {
      xcb_discard_reply(handle, place.sequence)
      return nil
    }
    defer { free(geometry) }
    guard let origin = try reply(xcb_translate_coordinates_reply_t.self, to: place.sequence) else {
      return nil
    }
    defer { free(origin) }
    return Rectangle(
      x: Int(origin.pointee.dst_x), y: Int(origin.pointee.dst_y), width: Int(geometry.pointee.width),
      height: Int(geometry.pointee.height))
  }

  /// A copy of the variable part of a reply.
  fileprivate func content<Reply>(
    of type: Reply.Type, _ sequence: UInt32,
    _ content: (UnsafeMutablePointer<Reply>) -> UnsafeRawBufferPointer
  ) throws -> [UInt8] {
    guard let reply = try reply(type, to: sequence) else { throw TestSupportError("no \(type)") }
    defer { free(reply) }
    return Array(content(reply))
  }

  /// Returns the fixed-size part of a reply; throws if there is none.
  ///
  /// Use it only for requests that do not depend on a window, because a window may have been closed.
  fileprivate func require<Reply>(_ type: Reply.Type, _ sequence: UInt32) throws -> Reply {
    guard let reply = try reply(type, to: sequence) else { throw TestSupportError("no \(type)") }
    defer { free(reply) }
    return reply.pointee
  }

  /// The reply to a request, to be freed by the caller; nil after an error, as for a destroyed window.
  ///
  /// Polls because XCB's own function waits without a limit while another client grabs the server.
  fileprivate func reply<Reply>(_: Reply.Type, to sequence: UInt32) throws -> UnsafeMutablePointer<Reply>? {
    xcb_flush(handle)
    let deadline = ContinuousClock.now + generousLimit
    while ContinuousClock.now < deadline {
      var answer: UnsafeMutableRawPointer?
      var error: UnsafeMutablePointer<xcb_generic_error_t>?
      if xcb_poll_for_reply(handle, sequence, &answer, &error) != 0 {
        free(error)
        guard xcb_connection_has_error(handle) == 0 else { throw TestSupportError("the X server has gone") }
        return answer?.assumingMemoryBound(to: Reply.self)
      }
      var descriptor = pollfd(fd: xcb_get_file_descriptor(handle), events: Int16(POLLIN), revents: 0)
      poll(&descriptor, 1, 100)
    }
    throw TestSupportError("the X server did not answer within \(generousLimit)")
  }
}

/// Converts bytes to 32-bit numbers.
private func numbers(in bytes: [UInt8]) -> [UInt32] {
  bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
}
