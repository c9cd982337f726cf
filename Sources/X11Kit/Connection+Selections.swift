import CXCB

extension Connection {
  /// The window that owns `selection`; nil where none does.
  func owner(of selection: Atom, _ patience: Patience) throws(Interruption) -> Window? {
    try selectionOwner(answering: xcb_get_selection_owner(handle, selection).sequence, patience)
  }

  /// The answer to `xcb_get_selection_owner` with this number.
  func selectionOwner(answering question: UInt32, _ patience: Patience) throws(Interruption) -> Window? {
    let reply = try reply(xcb_get_selection_owner_reply_t.self, to: question, patience)
    guard let owner = reply?.body.owner, owner != noWindow else { return nil }
    return owner
  }

  /// Makes `window` the owner of `selection`, or, with nil, nobody (ICCCM 2.1).
  ///
  /// The server ignores it where somebody else has become the owner after `time`.
  func setOwner(of selection: Atom, to window: Window?, at time: xcb_timestamp_t) {
    xcb_set_selection_owner(handle, window ?? noWindow, selection, time)
  }

  /// Asks the owner of `selection` to put it, as `target`, into `property` of `requestor` (ICCCM 2.4).
  ///
  /// - Returns: the number of the request.
  @discardableResult
  func convert(
    _ selection: Atom, to target: Atom, into property: Atom, of requestor: Window, at time: xcb_timestamp_t
  ) -> UInt32 {
    xcb_convert_selection(handle, requestor, selection, target, property, time).sequence
  }

  /// Asks for the XFixes extension, which every server has had since 2004; to be called once, before
  /// ``followOwner(of:_:)``.
  ///
  /// - Returns: false where the server lacks it.
  func prepareOwnerChanges() throws(Interruption) -> Bool {
    guard let extensionData = xcb_get_extension_data(handle, copypasta_xfixes()),
      extensionData.pointee.present != 0
    else { return false }
    let version = copypasta_xfixes_query_version(handle)
    guard try reply(xcb_generic_reply_t.self, to: version, .endless) != nil else { return false }
    // XFixesSelectionNotify is the extension's first event.
    ownerChangeCode = CInt(extensionData.pointee.first_event)
    return true
  }

  /// Has the server tell of each change of a selection's owner, as an `Event.ownerChanged`; or not any more.
  func followOwner(of selection: Atom, _ isFollowed: Bool) {
    // A new owner, the end of its window, the end of its connection.
    let all: UInt32 = 0b111
    copypasta_xfixes_select_selection_input(handle, root, selection, isFollowed ? all : 0)
  }

  /// Tells who asked that the answer lies in `property`; with nil, that there is none (ICCCM 2.2).
  func answer(_ request: SelectionRequest, property: Atom?) {
    var event = xcb_selection_notify_event_t()
    event.response_type = UInt8(XCB_SELECTION_NOTIFY)
    event.time = request.time
    event.requestor = request.requestor
    event.selection = request.selection
    event.target = request.target
    event.property = property ?? noAtom
    // XCB sends the 32 bytes that every event has, and the struct has 24.
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { buffer in
      buffer.initializeMemory(as: UInt8.self, repeating: 0)
      buffer.storeBytes(of: event, as: xcb_selection_notify_event_t.self)
      xcb_send_event(handle, 0, request.requestor, 0, buffer.bindMemory(to: CChar.self).baseAddress)
    }
  }
}

/// "None", where a window is meant.
let noWindow: Window = 0
/// "None", where an atom is meant.
let noAtom: Atom = 0
/// "CurrentTime": a request that does not say when it was made.
let noTime: xcb_timestamp_t = 0
