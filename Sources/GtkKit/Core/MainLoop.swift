import CGtk
import Dispatch  // Links the library whose two functions CGtk declares.
import Glibc

/// GLib's main loop as the main actor's executor.
///
/// Under a bare GLib loop no main-actor task ever runs: Swift puts them on libdispatch's main queue, which
/// nobody drains. libdispatch tells of work there through an eventfd, meant for CoreFoundation's run loop.
@MainActor
public enum MainLoop {
  private static var source: guint = 0

  /// Lets main-actor tasks run in the default GLib main context.
  ///
  /// Calling it again does nothing.
  public static func attachMainActor() {
    guard source == 0 else { return }
    let drain: @MainActor @convention(c) (gint, GIOCondition, gpointer?) -> gboolean = { _, _, _ in
      MainLoop.runTasks()
      return 1
    }
    source = g_unix_fd_add(
      _dispatch_get_main_queue_handle_4CF(), G_IO_IN, unsafeBitCast(drain, to: GUnixFDSourceFunc.self), nil)
  }

  /// Keeps all tasks off libdispatch's pool of threads, which would wake the process up once a second.
  ///
  /// For a program that waits most of the time. Tasks of no actor follow one another then, and must not block.
  public static func avoidThreadPool() { PoollessTasks.begin() }

  /// Runs the loop until asynchronous work is done, for at most so long: what the end of the program waits for.
  public static func wait(atMost limit: Duration, for work: @escaping @MainActor () async -> Void) {
    let completion = Completion()
    Task {
      await work()
      completion.isReached = true
    }
    run(until: { completion.isReached }, atMost: limit)
  }

  /// Runs main-actor tasks, and nothing else of the loop, until asynchronous work is done, for at most so long.
  ///
  /// For the end of a program whose display has gone: GDK ends the process when the loop itself runs on.
  public static func finish(atMost limit: Duration, _ work: @escaping @MainActor () async -> Void) {
    let completion = Completion()
    Task {
      await work()
      completion.isReached = true
    }
    let clock = ContinuousClock()
    let end = clock.now + limit
    while !completion.isReached, clock.now < end {
      var tasks = pollfd(fd: _dispatch_get_main_queue_handle_4CF(), events: Int16(POLLIN), revents: 0)
      if poll(&tasks, 1, Int32(clamping: (end - clock.now).milliseconds)) > 0 { runTasks() }
    }
  }

  private static func runTasks() {
    // The counter has to be read, or the descriptor stays readable and the loop spins.
    var count: UInt64 = 0
    _ = read(_dispatch_get_main_queue_handle_4CF(), &count, MemoryLayout<UInt64>.size)
    _dispatch_main_queue_callback_4CF(nil)
  }

  /// Runs the loop until a condition holds, for at most so long; answers whether it came to hold.
  ///
  /// For the end of the program and for tests: everything else is driven by `Application.run`.
  @discardableResult
  public static func run(until condition: () -> Bool, atMost limit: Duration) -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + limit
    let wake = Timeout(every: .milliseconds(10)) {}
    defer { wake.cancel() }
    while !condition() {
      guard clock.now < end else { return false }
      g_main_context_iteration(nil, 1)
    }
    return true
  }
}

/// Whether the work that is waited for is done.
@MainActor
private final class Completion {
  var isReached = false
}
