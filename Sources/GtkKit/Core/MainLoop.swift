import CGtk
import Dispatch  // Only to link libdispatch: CGtk declares the functions that this file uses.
import Glibc
import SerialQueue

/// Makes GLib's main loop the main actor's executor.
///
/// Without this, main-actor tasks never run: Swift puts them on libdispatch's main queue, which a GLib loop does not
/// drain. `attachMainActor` therefore watches the eventfd through which libdispatch signals pending work to
/// CoreFoundation's run loop.
@MainActor
public enum MainLoop {
  private static var source: guint = 0

  /// Runs main-actor tasks in the default GLib main context; a second call has no effect.
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

  /// Limits the C library to two heaps instead of one for each new thread, because each heap retains its freed memory.
  ///
  /// Call this once the first frame is drawn: until then, threads look up fonts, and the main thread would wait for
  /// them if they shared its heap. Threads that have a heap of their own keep it.
  public static func limitMallocArenas() { copypasta_share_heaps() }

  /// Returns freed memory, which the C library would otherwise retain, to the kernel.
  ///
  /// This takes up to a millisecond for each MiB.
  public static func trimHeaps() { copypasta_trim_heaps() }

  /// Waits until `work` is done, for at most `limit`; after that, `work` continues unattended.
  public static func wait(atMost limit: Duration, for work: @escaping @MainActor () async -> Void) async {
    let isDone = FirstValue<Void>()
    Task.unpooled {
      await work()
      isDone.send(())
    }
    do throws(CancellationError) { try await isDone.value(within: limit, else: ()) } catch {}
  }

  /// Runs main-actor tasks, but no other work of the loop, until `work` is done; for a program without a main loop.
  public static func result<Value>(of work: @escaping @MainActor () async -> Value) -> Value {
    let result = Shared<Value?>(nil)
    Task.unpooled { result.value = await work() }
    while true {
      if let value = result.value { return value }
      var tasks = pollfd(fd: _dispatch_get_main_queue_handle_4CF(), events: Int16(POLLIN), revents: 0)
      if poll(&tasks, 1, -1) > 0 { runTasks() }
    }
  }

  private static func runTasks() {
    // Read the eventfd's counter; otherwise the descriptor stays readable and causes a busy loop.
    var count: UInt64 = 0
    _ = read(_dispatch_get_main_queue_handle_4CF(), &count, MemoryLayout<UInt64>.size)
    _dispatch_main_queue_callback_4CF(nil)
  }

  /// Returns when the loop has no other work.
  public static func idle() async {
    let idle = FirstValue<Void>()
    whenIdle { idle.send(()) }
    do throws(CancellationError) { try await idle.value() } catch {}
  }

  static func whenIdle(_ body: @escaping @MainActor () -> Void) {
    let source: SourceBody = {
      body()
      return false
    }
    g_idle_add_full(G_PRIORITY_LOW, callSourceBody, Closure.retained(source), releaseClosure)
  }

  /// Runs the loop until a condition holds, for at most `limit`.
  ///
  /// Use it when the program starts, and in tests; otherwise `Application.run` runs the loop.
  ///
  /// - Returns: whether the condition holds.
  @discardableResult
  public static func run(until condition: () -> Bool, atMost limit: Duration) -> Bool {
    let end = ContinuousClock.now + limit
    while !condition() {
      guard end > .now else { return false }
      // The condition may become true without an event, so check it every 10 ms.
      let wake = Timeout(after: .milliseconds(10)) {}
      g_main_context_iteration(nil, 1)
      wake.cancel()
    }
    return true
  }
}

/// The callback of a GLib source; returns whether to keep the source.
typealias SourceBody = @MainActor () -> Bool

/// The C callback of a source whose user data is a retained `SourceBody`.
@MainActor let callSourceBody: GSourceFunc = {
  let call: @MainActor @convention(c) (gpointer?) -> gboolean = { Closure<SourceBody>.behind($0)() ? 1 : 0 }
  return unsafeBitCast(call, to: GSourceFunc.self)
}()

/// A timer on the main loop; releasing the timer cancels it.
@MainActor
public final class Timeout {
  /// The id of the GLib source; 0 once the source is removed.
  ///
  /// The source's closure shares this id. If the timer is released on another thread, the source may fire before
  /// `deinit` runs, which must then not remove the source again.
  private let source = Shared<guint>(0)

  public init(after delay: Duration, _ body: @escaping @MainActor () -> Void) {
    // Capture weakly, so that the timer can be released.
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

  public func cancel() {
    guard source.value != 0 else { return }
    g_source_remove(source.value)
    source.value = 0
  }

  // MARK: - Waiting

  /// Waits for `delay` on the main loop.
  ///
  /// Use it instead of `Task.sleep`, which would start libdispatch's thread pool. Once started, the pool wakes the
  /// process once a second.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public static func wait(_ delay: Duration) async throws(CancellationError) {
    try await FirstValue<Void>().value(within: delay, else: ())
  }
}

/// Lets one task that runs on the main loop wait for the first value sent.
@MainActor
public final class FirstValue<Value: Sendable> {
  private let (values, continuation) = AsyncStream<Value>.makeStream(bufferingPolicy: .bufferingOldest(1))

  public init() {}

  /// Sends a value; only the first call has an effect.
  public func send(_ value: Value) { continuation.yield(value) }

  /// Waits for the value.
  ///
  /// After `limit`, returns `expired`; if that is nil, continues to wait.
  ///
  /// - Throws: `CancellationError`, immediately, if the task is cancelled.
  public func value(
    within limit: Duration? = nil, else expired: @autoclosure @escaping @MainActor () -> Value? = nil
  ) async throws(CancellationError) -> Value {
    let timeout = limit.map { Timeout(after: $0) { if let value = expired() { self.send(value) } } }
    defer { timeout?.cancel() }
    for await value in values where !Task.isCancelled { return value }
    throw CancellationError()
  }
}

extension Duration {
  /// Whole milliseconds, rounded up so that a timer does not fire early.
  public var milliseconds: Int64 { Int64((self / .milliseconds(1)).rounded(.up)) }
}
