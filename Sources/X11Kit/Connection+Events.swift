import CXCB
import Glibc

extension Connection {
  /// The next event, from the queue or from the socket, without a wait.
  func takeEvent() -> Event? { consume(xcb_poll_for_event(handle)) }

  /// The next event that is in the queue already.
  ///
  /// The socket is not read.
  func takeQueuedEvent() -> Event? { consume(xcb_poll_for_queued_event(handle)) }

  /// Waits for the next event.
  func nextEvent(_ patience: Patience) throws(Interruption) -> Event {
    // First, for it may read events, for which `poll` would then not wake.
    flush()
    while true {
      try patience.check()
      if let event = takeEvent() { return event }
      if isLost { throw .connectionLost }
      try waitForInput(patience)
    }
  }

  private func consume(_ raw: UnsafeMutablePointer<xcb_generic_event_t>?) -> Event? {
    guard let raw else { return nil }
    defer { free(raw) }
    return Event(raw, ownerChangeCode: ownerChangeCode)
  }
}
