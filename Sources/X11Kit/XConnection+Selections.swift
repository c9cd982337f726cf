import CXCB
import ClipboardCore

extension XConnection {
  func owner(of selection: Atom, _ deadline: Deadline) throws(TransferError) -> Window? {
    try selectionOwner(answering: xcb_get_selection_owner(handle, selection).sequence, deadline)
  }

  /// Returns the owner from the reply to the `xcb_get_selection_owner` request number `sequence`; nil if there is no
  /// owner.
  func selectionOwner(answering sequence: UInt32, _ deadline: Deadline) throws(TransferError) -> Window? {
    let reply = try reply(xcb_get_selection_owner_reply_t.self, to: sequence, deadline)
    guard let owner = reply?.body.owner, owner != noWindow else { return nil }
    return owner
  }

  /// Makes `window` the owner of `selection` (ICCCM 2.1).
  ///
  /// The server ignores the request if another client became the owner after `time`.
  ///
  /// - Returns: the number of the request.
  @discardableResult
  func setOwner(of selection: Atom, to window: Window, at time: xcb_timestamp_t) -> UInt32 {
    xcb_set_selection_owner(handle, window, selection, time).sequence
  }

  /// Asks the owner of `selection` to convert it to `target` and store it in `property` of `requestor` (ICCCM 2.4).
  ///
  /// - Returns: the number of the request.
  @discardableResult
  func convert(
    _ selection: Atom, to target: Atom, into property: Atom, of requestor: Window, at time: xcb_timestamp_t
  ) -> UInt32 {
    xcb_convert_selection(handle, requestor, selection, target, property, time).sequence
  }

  /// Initialises the XFixes extension, which servers have had since 2004; call it once before ``followOwner(of:_:)``.
  ///
  /// - Returns: false if the server lacks it.
  func prepareOwnerChanges() throws(TransferError) -> Bool {
    guard let extensionData = xcb_get_extension_data(handle, copypasta_xfixes()),
      extensionData.pointee.present != 0
    else { return false }
    let version = copypasta_xfixes_query_version(handle)
    guard try reply(xcb_generic_reply_t.self, to: version, .endless) != nil else { return false }
    // XFixesSelectionNotify is the first event of the extension.
    ownerChangeCode = CInt(extensionData.pointee.first_event)
    return true
  }

  /// Starts or stops receiving an `Event.ownerChanged` for each change of a selection's owner.
  func followOwner(of selection: Atom, _ isFollowed: Bool) {
    // All kinds of changes: a new owner, a destroyed owner window, a closed owner connection.
    let all: UInt32 = 0b111
    copypasta_xfixes_select_selection_input(handle, root, selection, isFollowed ? all : 0)
  }

  /// Notifies the requestor that the answer is in `property`, or, if `property` is nil, that the request is refused
  /// (ICCCM 2.2).
  func answer(_ request: Event.SelectionRequest, property: Atom?) {
    var event = xcb_selection_notify_event_t()
    event.response_type = UInt8(XCB_SELECTION_NOTIFY)
    event.time = request.time
    event.requestor = request.requestor
    event.selection = request.selection
    event.target = request.target
    event.property = property ?? noAtom
    // XCB sends 32 bytes, the size of every event, but the struct has only 24.
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { buffer in
      buffer.initializeMemory(as: UInt8.self, repeating: 0)
      buffer.storeBytes(of: event, as: xcb_selection_notify_event_t.self)
      xcb_send_event(handle, 0, request.requestor, 0, buffer.bindMemory(to: CChar.self).baseAddress)
    }
  }

  // MARK: - Properties

  enum ConsumedProperty: Equatable {
    /// The property does not exist.
    case absent
    /// The bytes were appended, and the property is deleted. `format` is the size of an element: 8, 16 or 32 bits.
    case consumed(type: Atom, format: UInt8)
    /// The value exceeds the limit; the property was deleted only if its last slice had been read.
    case tooLarge
    /// The property changed while it was being read.
    case unsteady
  }

  /// Reads a property in slices of at most 1 MiB, and deletes it.
  ///
  /// XCB keeps a whole reply in memory, so a single slice of 64 MiB would be in memory twice.
  ///
  /// - Parameter limit: the maximum size of `bytes` afterwards.
  func consumeProperty(
    _ property: Atom, of window: Window, appendingTo bytes: inout [UInt8], limit: Int, _ deadline: Deadline
  ) throws(TransferError) -> ConsumedProperty {
    let sliceLength: UInt32 = 1 << 18  // in units of 4 bytes
    var offset: UInt32 = 0
    var seen: (type: Atom, format: UInt8)?
    while true {
      // The server deletes the property only with the last slice.
      let sequence = xcb_get_property(
        handle, 1, window, property, XCB_GET_PROPERTY_TYPE_ANY.rawValue, offset, sliceLength
      ).sequence
      guard let reply = try reply(xcb_get_property_reply_t.self, to: sequence, deadline),
        reply.body.type != noAtom
      else { return seen == nil ? .absent : .unsteady }
      let body = reply.body
      let (count, rest) = (Int(xcb_get_property_value_length(reply.memory)), Int(body.bytes_after))
      if let seen, seen != (body.type, body.format) { return .unsteady }
      guard bytes.count + count + rest <= limit else { return .tooLarge }
      // Do not reserve for each chunk of an INCR transfer, because exact reservations would copy all earlier chunks
      // each time.
      if seen == nil, bytes.isEmpty { bytes.reserveCapacity(count + rest) }
      bytes.append(
        contentsOf: UnsafeRawBufferPointer(start: xcb_get_property_value(reply.memory), count: count))
      if rest == 0 { return .consumed(type: body.type, format: body.format) }
      // Reject a short slice before the end: it is invalid, and accepting it could make this loop endless.
      guard count == Int(sliceLength) * 4 else { return .unsteady }
      seen = (body.type, body.format)
      offset += sliceLength
    }
  }

  /// Deletes a property without reading it.
  ///
  /// If the property is missing, this sends no deletion: its next value, which may be the end of a transfer, could
  /// arrive before the deletion and be lost.
  ///
  /// - Returns: whether the property existed and was empty.
  func discardProperty(
    _ property: Atom, of window: Window, _ deadline: Deadline
  ) throws(TransferError) -> Bool {
    let sequence = xcb_get_property(
      handle, 1, window, property, XCB_GET_PROPERTY_TYPE_ANY.rawValue, 0, 0
    ).sequence
    guard let reply = try reply(xcb_get_property_reply_t.self, to: sequence, deadline),
      reply.body.type != noAtom
    else { return false }
    // If the property is empty, this request has already deleted it.
    if reply.body.bytes_after == 0 { return true }
    xcb_delete_property(handle, window, property)
    return false
  }

  /// Reads at most `limit` elements, of 8, 16 or 32 bits, without deleting the property.
  ///
  /// - Returns: nil if the property is longer or has a different format, or if the connection is lost.
  func elements<Element: FixedWidthInteger>(of property: Atom, of window: Window, limit: Int) -> [Element]? {
    let sequence = xcb_get_property(
      handle, 0, window, property, XCB_GET_PROPERTY_TYPE_ANY.rawValue, 0,
      UInt32(limit * Element.bitWidth / 32)
    ).sequence
    do {
      guard let reply = try reply(xcb_get_property_reply_t.self, to: sequence, .endless),
        reply.body.format == Element.bitWidth, reply.body.bytes_after == 0
      else { return nil }
      let count = Int(xcb_get_property_value_length(reply.memory))
      let bytes = UnsafeRawBufferPointer(start: xcb_get_property_value(reply.memory), count: count)
      return Array(bytes.bindMemory(to: Element.self))
    } catch {
      return nil
    }
  }

  /// Sets a property to bytes, and returns the number of the request.
  @discardableResult
  func setProperty(
    _ property: Atom, of window: Window, type: Atom, bytes: ArraySlice<UInt8>
  ) -> UInt32 {
    bytes.withUnsafeBytes { write(property, window, type, format: 8, $0, count: $0.count) }
  }

  /// Sets a property to elements of 32 bits, and returns the number of the request.
  @discardableResult
  func setProperty(_ property: Atom, of window: Window, type: Atom, elements: [UInt32]) -> UInt32 {
    elements.withUnsafeBytes { write(property, window, type, format: 32, $0, count: elements.count) }
  }

  /// Requests the server's time (ICCCM 2.1): empties a property of our own window; the resulting event contains the
  /// time.
  ///
  /// It replaces the property's value, because appending fails if another client has written a value of a different
  /// type.
  func requestTime(for window: Window, through property: Atom) {
    setProperty(property, of: window, type: XCB_ATOM_STRING.rawValue, bytes: [])
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

/// The atoms in use.
///
/// They are valid while the server runs. An atom is None if the server was out of memory; requests that use it fail.
struct Atoms {
  enum Name: String, CaseIterable {
    case clipboard = "CLIPBOARD"
    case targets = "TARGETS"
    case timestamp = "TIMESTAMP"
    case multiple = "MULTIPLE"
    case incr = "INCR"

    /// The content that a program drags or has dropped (XDND protocol of freedesktop.org).
    case draggedContent = "XdndSelection"
    case clipboardManager = "CLIPBOARD_MANAGER"
    case saveTargets = "SAVE_TARGETS"

    case atomPairType = "ATOM_PAIR"

    /// The window whose `_NET_WM_NAME` is the name of the window manager (EWMH).
    case windowManager = "_NET_SUPPORTING_WM_CHECK"
    case windowName = "_NET_WM_NAME"

    // Properties that a window manager sets on windows and on the root window (ICCCM, EWMH).
    case windowState = "WM_STATE"
    case workspace = "_NET_WM_DESKTOP"
    case currentWorkspace = "_NET_CURRENT_DESKTOP"
    case frameSize = "_NET_FRAME_EXTENTS"

    /// Properties of our own windows, a separate one for each request, so that answers cannot be confused.
    case timeProperty = "COPYPASTA_TIME"
    case targetsProperty = "COPYPASTA_TARGETS"
    case hintProperty = "COPYPASTA_HINT"
    case handOverProperty = "COPYPASTA_HAND_OVER"
    case textProperty = "COPYPASTA_TEXT"
  }

  private let numbers: [String: Atom]

  /// Interns all atoms in one round trip.
  init(_ connection: XConnection) throws(TransferError) {
    let names = Name.allCases.map(\.rawValue) + TextFormat.names + [SecretHint.name]
    let sequences = names.map {
      xcb_intern_atom(connection.handle, 0, UInt16($0.utf8.count), $0).sequence
    }
    var numbers: [String: Atom] = [:]
    for (name, sequence) in zip(names, sequences) {
      let reply = try connection.reply(xcb_intern_atom_reply_t.self, to: sequence, .endless)
      numbers[name] = reply?.body.atom
    }
    self.numbers = numbers
  }

  subscript(name: Name) -> Atom { numbers[name.rawValue] ?? noAtom }

  subscript(format: TextFormat) -> Atom { numbers[format.rawValue] ?? noAtom }

  var secretHint: Atom { numbers[SecretHint.name] ?? noAtom }

  var textTargets: [Atom] { TextFormat.allCases.map { self[$0] } }
}
