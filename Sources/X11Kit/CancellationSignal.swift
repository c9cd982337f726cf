import Glibc

/// Wakes a thread that sleeps in `poll(2)` when its task is cancelled, from whatever thread that happens on.
///
/// It only wakes: whether there is a cancellation is for `Task.isCancelled` to say. So a signal that comes
/// too late, after its read has ended, costs the next read one turn of a loop and nothing else.
final class CancellationSignal: Sendable {
  /// Readable after ``send()``, until ``clear()``.
  let descriptor: CInt
  private let writeEnd: CInt

  /// Nil where the process is out of file descriptors.
  ///
  /// A pair of sockets: Swift's Glibc module has neither `eventfd` nor `pipe2`, and a plain `pipe` would be
  /// inherited by a program that another thread starts at this moment.
  init?() {
    var ends: [CInt] = [-1, -1]
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    guard socketpair(AF_UNIX, CInt(kind), 0, &ends) == 0 else { return nil }
    descriptor = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    close(descriptor)
    close(writeEnd)
  }

  func send() {
    // A full socket refuses the byte, and is as readable as it needs to be.
    _ = write(writeEnd, [1], 1)
  }

  func clear() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(descriptor, &bytes, bytes.count) > 0 {}
  }
}
