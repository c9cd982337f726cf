import CXCB

/// What taking a property off a window came to.
enum TakenProperty: Equatable {
  /// There is no such property.
  case absent
  /// Its bytes were appended, and it is deleted. `format` is the size of an element: 8, 16 or 32 bits.
  case taken(type: Atom, format: UInt8)
  /// It holds more than was allowed. Whether it is still there depends on its length.
  case tooLarge
  /// It changed while it was being read.
  case unsteady
}

extension Connection {
  /// Reads a property and deletes it, in slices of at most 1 MiB.
  ///
  /// XCB holds a whole reply in memory: in one slice, 64 MiB of text would be there twice.
  /// - Parameter limit: How many bytes `bytes` may hold at the end.
  func takeProperty(
    _ property: Atom, of window: Window, appendingTo bytes: inout [UInt8], limit: Int, _ patience: Patience
  ) throws(Interruption) -> TakenProperty {
    let sliceLength: UInt32 = 1 << 18  // in units of 4 bytes
    var offset: UInt32 = 0
    var seen: (type: Atom, format: UInt8)?
    while true {
      // "Delete" is heeded by the server for the last slice only.
      let sequence = xcb_get_property(
        handle, 1, window, property, XCB_GET_PROPERTY_TYPE_ANY.rawValue, offset, sliceLength
      ).sequence
      guard let reply = try reply(xcb_get_property_reply_t.self, to: sequence, patience),
        reply.body.type != noAtom
      else { return seen == nil ? .absent : .unsteady }
      let body = reply.body
      let (count, rest) = (Int(xcb_get_property_value_length(reply.memory)), Int(body.bytes_after))
      if let seen, seen != (body.type, body.format) { return .unsteady }
      guard bytes.count + count + rest <= limit else { return .tooLarge }
      // Not for every piece of an INCR transfer: exact reservations would copy all that was before, each time.
      if seen == nil, bytes.isEmpty { bytes.reserveCapacity(count + rest) }
      bytes.append(
        contentsOf: UnsafeRawBufferPointer(start: xcb_get_property_value(reply.memory), count: count))
      if rest == 0 { return .taken(type: body.type, format: body.format) }
      // Else a slice that brings nothing would be asked for without end.
      guard count == Int(sliceLength) * 4 else { return .unsteady }
      seen = (body.type, body.format)
      offset += sliceLength
    }
  }

  /// Deletes a property without reading it; true where it was there, and without length.
  ///
  /// One that is not there is not deleted: its next value, perhaps the end of a transfer, may come meanwhile.
  func discardProperty(
    _ property: Atom, of window: Window, _ patience: Patience
  ) throws(Interruption) -> Bool {
    let sequence = xcb_get_property(
      handle, 1, window, property, XCB_GET_PROPERTY_TYPE_ANY.rawValue, 0, 0
    ).sequence
    guard let reply = try reply(xcb_get_property_reply_t.self, to: sequence, patience),
      reply.body.type != noAtom
    else { return false }
    // Without length it is deleted by now.
    if reply.body.bytes_after == 0 { return true }
    xcb_delete_property(handle, window, property)
    return false
  }

  /// Reads at most `limit` elements of 32 bits and leaves the property; nil where it holds something else, or more.
  func elements(of property: Atom, of window: Window, limit: Int) throws(Interruption) -> [UInt32]? {
    let sequence = xcb_get_property(
      handle, 0, window, property, XCB_GET_PROPERTY_TYPE_ANY.rawValue, 0, UInt32(limit)
    ).sequence
    guard let reply = try reply(xcb_get_property_reply_t.self, to: sequence, .endless),
      reply.body.format == 32, reply.body.bytes_after == 0
    else { return nil }
    let count = Int(xcb_get_property_value_length(reply.memory))
    let bytes = UnsafeRawBufferPointer(start: xcb_get_property_value(reply.memory), count: count)
    return bytes.bindMemory(to: UInt32.self).map { $0 }
  }

  /// Replaces a property by bytes, and returns the number of the request.
  @discardableResult
  func setProperty(
    _ property: Atom, of window: Window, type: Atom, bytes: ArraySlice<UInt8>
  ) -> UInt32 {
    bytes.withUnsafeBytes { write(property, window, type, format: 8, $0, count: $0.count) }
  }

  /// Replaces a property by elements of 32 bits, and returns the number of the request.
  @discardableResult
  func setProperty(_ property: Atom, of window: Window, type: Atom, elements: [UInt32]) -> UInt32 {
    elements.withUnsafeBytes { write(property, window, type, format: 32, $0, count: elements.count) }
  }

  /// Changes a property of a window of ours by nothing: the event for it tells the server's time (ICCCM 2.1).
  func requestTime(for window: Window, through property: Atom) {
    xcb_change_property(
      handle, UInt8(XCB_PROP_MODE_APPEND.rawValue), window, property, XCB_ATOM_STRING.rawValue, 8, 0, nil)
  }

  private func write(
    _ property: Atom, _ window: Window, _ type: Atom, format: UInt8, _ data: UnsafeRawBufferPointer,
    count: Int
  ) -> UInt32 {
    xcb_change_property(
      handle, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, property, type, format, UInt32(count),
      data.baseAddress
    ).sequence
  }
}
