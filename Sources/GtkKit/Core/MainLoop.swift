import CGtk
import Dispatch  // Links the library whose two functions CGtk declares.
import Glibc
import SerialQueue

/// GLib's main loop as the main actor's executor.
///
/// Under a bare GLib loop no main-actor task ever runs: Swift puts them on libdispatch's main queue, which
/// nobody drains. libdispatch tells of work there through an eventfd, meant for CoreFoundation's run loop.
@MainActor
public enum MainLoop {
  private static var source: guint = 0

  /// Lets main-actor tasks run in the default GLib main context.
  ///
  /// A second call does nothing.
  public static func attachMainActor() {
    guard source == 0 else { return }
    let drain: @MainActor @convention(c) (gint, GIOCondition, gpointer?) -> gboolean = { _, _, _ in
      MainLoop.runTasks()
      return 1
    }
    source = g_unix_fd_add(
      _dispatch_get_main_queue_handle_4CF(), copypasta_G_IO_IN,
      unsafeBitCast(drain, to: GUnixFDSourceFunc.self), nil)
  }

  /// Has the C library keep two heaps, and not one for each thread: every heap keeps what was freed in it.
  ///
  /// For a program whose other threads wait most of the time. Call this before the first of them begins.
  public static func limitMallocArenas() { copypasta_share_heaps() }

  /// Runs the loop until asynchronous work is done, for at most so long; for the end of the program.
  public static func wait(atMost limit: Duration, for work: @escaping @MainActor () async -> Void) {
    let isDone = begin(work)
    run(until: { isDone.value }, atMost: limit)
  }

  /// Runs main-actor tasks, and nothing else of the loop, until asynchronous work is done, for at most so long.
  ///
  /// For the end of a program: if the display has gone, GDK ends the process when the loop itself turns; and for a
  /// window that has gone GTK 4.8 does then what it had queued.
  public static func finish(atMost limit: Duration, _ work: @escaping @MainActor () async -> Void) {
    let isDone = begin(work)
    let end = ContinuousClock.now + limit
    while !isDone.value, end > .now {
      var tasks = pollfd(fd: _dispatch_get_main_queue_handle_4CF(), events: Int16(POLLIN), revents: 0)
      if poll(&tasks, 1, Int32(clamping: (end - ContinuousClock.now).milliseconds)) > 0 { runTasks() }
    }
  }

  /// Begins asynchronous work, and says when it is done.
  private static func begin(_ work: @escaping @MainActor () async -> Void) -> Shared<Bool> {
    let isDone = Shared(false)
    Task.unpooled {
      await work()
      isDone.value = true
    }
    return isDone
  }

  private static func runTasks() {
    // The counter has to be read, or the descriptor stays readable and the loop spins.
    var count: UInt64 = 0
    _ = read(_dispatch_get_main_queue_handle_4CF(), &count, MemoryLayout<UInt64>.size)
    _dispatch_main_queue_callback_4CF(nil)
  }

  /// Returns when the loop has nothing else to do.
  public static func idle() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isIdle: SourceBody = {
        continuation.resume()
        return false
      }
      g_idle_add_full(G_PRIORITY_LOW, callSourceBody, Closure.retained(isIdle), releaseClosure)
    }
  }

  /// Runs the loop until a condition holds, for at most so long.
  ///
  /// For the end of the program and for tests: everything else is driven by `Application.run`.
  /// - Returns: whether the condition came to hold.
  @discardableResult
  public static func run(until condition: () -> Bool, atMost limit: Duration) -> Bool {
    let end = ContinuousClock.now + limit
    while !condition() {
      guard end > .now else { return false }
      // The condition may come to hold without an event.
      let wake = Timeout(after: .milliseconds(10)) {}
      g_main_context_iteration(nil, 1)
      wake.cancel()
    }
    return true
  }
}

/// The closure behind a source of GLib's, which returns whether to be called again.
typealias SourceBody = @MainActor () -> Bool

/// GLib's callback for a source whose user data is a retained `SourceBody`.
@MainActor let callSourceBody: GSourceFunc = {
  let call: @MainActor @convention(c) (gpointer?) -> gboolean = { Closure<SourceBody>.behind($0)() ? 1 : 0 }
  return unsafeBitCast(call, to: GSourceFunc.self)
}()

/// A timer on the main loop; cancelled when it is let go.
@MainActor
public final class Timeout {
  /// The source in the main loop; 0 once it has gone, also if the timer is let go on another thread, and ends later.
  private let source = Shared<guint>(0)

  /// Calls `body` once, so long from now.
  public init(after delay: Duration, _ body: @escaping @MainActor () -> Void) {
    // Weakly, so that the timer itself can be let go.
    let fire: SourceBody = { [source, weak self] in
      source.value = 0
      if self != nil { body() }
      return false
    }
    source.value = g_timeout_add_full(
      G_PRIORITY_DEFAULT, guint(clamping: delay.milliseconds), callSourceBody, Closure.retained(fire),
      releaseClosure)
  }

  isolated deinit {
    cancel()
  }

  /// Ends the timer, which does not fire any more.
  public func cancel() {
    guard source.value != 0 else { return }
    g_source_remove(source.value)
    source.value = 0
  }

  // MARK: - Waiting

  /// Waits so long, on the main loop: `Task.sleep` would bring in libdispatch's pool of threads, which from then on
  /// wakes the process up once a second.
  ///
  /// - Throws: `CancellationError`, at once, if the task is cancelled.
  public static func wait(_ delay: Duration) async throws(CancellationError) {
    let (end, continuation) = AsyncStream<Never>.makeStream()
    let timeout = Timeout(after: delay) { continuation.finish() }
    // The wait also ends if the task is cancelled.
    for await _ in end {}
    timeout.cancel()
    if Task.isCancelled { throw CancellationError() }
  }
}

extension Duration {
  /// Whole milliseconds, rounded up: a timer must not fire early.
  public var milliseconds: Int64 { Int64((self / .milliseconds(1)).rounded(.up)) }
}
