import CXCB
import Glibc

/// A reply of the server, freed at the end of its scope.
struct Reply<Body>: ~Copyable {
  let memory: UnsafeMutablePointer<Body>

  var body: Body { memory.pointee }

  deinit {
    free(memory)
  }
}

extension Connection {
  /// Waits for the reply to the request number `sequence`; nil where the server answered with an error.
  ///
  /// Not `xcb_wait_for_reply`: while another client holds the server grabbed, that one has no end.
  func reply<Body>(
    _ type: Body.Type, to sequence: UInt32, _ patience: Patience
  ) throws(Interruption) -> Reply<Body>? {
    var reply: UnsafeMutableRawPointer?
    var error: UnsafeMutablePointer<xcb_generic_error_t>?
    flush()
    while xcb_poll_for_reply(handle, sequence, &reply, &error) == 0 {
      do {
        try waitForInput(patience)
      } catch {
        xcb_discard_reply(handle, sequence)
        throw error
      }
    }
    free(error)
    guard let reply else {
      if isLost { throw .connectionLost }
      return nil
    }
    return Reply(memory: reply.bindMemory(to: Body.self, capacity: 1))
  }

  /// Whether the request number `sequence`, which has no reply and was sent as a checked one, failed.
  ///
  /// To be asked after the reply to a later request has arrived: by then it is known without a wait.
  func hasFailed(_ sequence: UInt32) -> Bool {
    var reply: UnsafeMutableRawPointer?
    var error: UnsafeMutablePointer<xcb_generic_error_t>?
    guard xcb_poll_for_reply(handle, sequence, &reply, &error) != 0, let error else { return false }
    free(error)
    return true
  }
}
