import Dispatch
import Foundation
import Synchronization

/// A running child process, with its standard output and standard error.
///
/// The program ends at the latest when the test process ends, even if that is killed: see `startThread`.
///
///     let listing = try await Program.run(["ls", "/"], environment: [:])
///     #expect(listing.exit == .code(0))
public final class Program: Sendable {
  /// How a program ended.
  public enum Exit: Equatable, Sendable {
    /// The program exited with this status; 127 if there is no such program.
    case code(Int32)
    /// A signal ended the program.
    case signal(Int32)
  }

  /// The signal that a program gets if the test process ends first, with setpriv's name as raw value.
  public enum DeathSignal: String, Sendable {
    /// Ends the program immediately.
    case kill = "KILL"
    /// Lets the program clean up.
    case terminate = "TERM"
  }

  private enum State {
    case starting
    case failed(TestSupportError)
    case running(pid_t)
    case ended(pid_t, Exit)
  }

  /// The command line with which the program was started.
  public let arguments: [String]

  private let state = Mutex(State.starting)
  /// Whether the program's process group is killed when the program ends; false for a program that continues in the
  /// background, such as wl-copy.
  private let endsGroup = Atomic(false)
  private let inputFile: ScratchFile
  private let outputFile: ScratchFile
  private let errorFile: ScratchFile

  /// Starts a program with exactly this environment, whose PATH is searched for the program.
  ///
  /// - Parameters:
  ///   - input: The program's standard input.
  ///   - standardInput: An open file as standard input instead of `input`; the caller keeps and closes it.
  ///   - inheritingStreams: Whether the program writes to this process's streams, and not to `output` and `errors`.
  ///   - deathSignal: The signal that the program gets if the test process ends first.
  public init(
    _ arguments: [String], environment: [String: String], input: [UInt8] = [], standardInput: Int32? = nil,
    inheritingStreams: Bool = false, deathSignal: DeathSignal = .kill
  ) throws {
    self.arguments = arguments
    inputFile = try ScratchFile(containing: input)
    outputFile = try ScratchFile()
    errorFile = try ScratchFile()
    startThread { [self] () throws(TestSupportError) in
      try spawn(
        ["/usr/bin/setpriv", "--pdeathsig", deathSignal.rawValue, "--"] + arguments,
        environment: environment, input: standardInput ?? inputFile.descriptor,
        output: inheritingStreams ? STDOUT_FILENO : outputFile.descriptor,
        errors: inheritingStreams ? STDERR_FILENO : errorFile.descriptor)
    }
    if case .failed(let error) = state.withLock({ $0 }) { throw error }
  }

  /// The process id, even after the program has ended.
  public var processID: pid_t {
    state.withLock {
      switch $0 {
      case .running(let pid), .ended(let pid, _): pid
      case .starting, .failed: -1
      }
    }
  }

  /// How the program ended; nil while it runs.
  public var exit: Exit? {
    state.withLock {
      guard case .ended(_, let exit) = $0 else { return nil }
      return exit
    }
  }

  /// Whether the program still runs.
  public var isRunning: Bool { exit == nil }

  /// The standard output so far.
  public var output: [UInt8] { outputFile.content() }

  /// The whole lines of the standard output so far.
  public var lines: [String] {
    let output = output
    guard let end = output.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    return String(decoding: output[..<end], as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The standard error so far, as text, without the messages in `foreignNoise`.
  public var errors: String {
    Self.foreignNoise.reduce(String(decoding: errorFile.content(), as: UTF8.self)) { text, noise in
      text.replacingOccurrences(of: noise, with: "", options: .regularExpression)
    }
  }

  /// Patterns of messages that libraries print in any program on a virtual desktop.
  private static let foreignNoise = [
    // GTK 4.24 on an X server without a frame counter, such as Xvfb.
    #"\n?\([^\n]*:\d+\): Gdk-WARNING \*\*: [\d:.]+: gdk_frame_timings_submitted\(\) called on submitted frame\.\n"#,
    // GTK 4.24 prints this when a window was hidden before its last frame was drawn and is shown again
    // (`gdk_frame_clock_start`).
    #"\n?\([^\n]*:\d+\): Gdk-WARNING \*\*: [\d:.]+: \([^\n]*:\d+\):gdk_frame_timings_throttling_hint: "#
      + #"runtime check failed: \(self->result != GDK_FRAME_PREPARING\)\n"#,
    // Mesa on an X server without a graphics card.
    #"MESA-EGL: warning: DRI3 error: Could not get DRI3 device\n"#,
    #"MESA-EGL: warning: Ensure your X server supports DRI3 to get accelerated rendering\n"#,
    // The key file of the tests' settings, if the user has no inotify instance left. GLib then notices no changes.
    #"\n?\([^\n]*:\d+\): GLib-GIO-WARNING \*\*: [\d:.]+: Failed to create file monitor for [^\n]*/settings/keyfile: [^\n]*\n"#,
  ]

  /// Sends a signal, if the program still runs.
  public func signal(_ number: Int32) {
    state.withLock {
      guard case .running(let pid) = $0 else { return }
      kill(pid, number)
    }
  }

  /// Waits until the lines of the standard output so far meet `condition`.
  ///
  /// - Throws: An error with the program's standard error as soon as the program has ended without that.
  public nonisolated(nonsending) func waitUntil(
    _ what: String, every pause: Duration? = nil, prints condition: ([String]) -> Bool
  ) async throws {
    let isSo = try await eventually(every: pause) {
      // Look at the end first, because the program may print and end in between.
      let end = exit
      if condition(lines) { return true }
      if let end { throw TestSupportError("\(what): \(arguments) ended with \(end)\n\(errors)") }
      return false
    }
    guard isSo else { throw TestSupportError("\(what): \(arguments) printed \(lines.suffix(5))\n\(errors)") }
  }

  /// Waits until the program has ended; returns nil if it still runs after `limit`.
  public func waitForExit(within limit: Duration = generousLimit) async throws -> Exit? {
    _ = try await eventually(within: limit, every: .milliseconds(2)) { !isRunning }
    return exit
  }

  /// Ends the program with SIGTERM, or with SIGKILL after `grace`, together with its process group.
  @discardableResult
  public func stop(grace: Duration = .seconds(3)) async throws -> Exit? {
    endsGroup.store(true, ordering: .relaxed)
    signal(SIGTERM)
    if let exit = try await waitForExit(within: grace) { return exit }
    return try await killNow()
  }

  /// Kills the program (SIGKILL) together with its process group, and waits until it has ended.
  @discardableResult
  public func killNow() async throws -> Exit? {
    endsGroup.store(true, ordering: .relaxed)
    signal(SIGKILL)
    return try await waitForExit(within: .seconds(5))
  }

  // MARK: - Starting and reaping

  /// Starts the child on a thread of its own, which then waits for the child's end; returns once the child was started.
  ///
  /// The kernel sends PR_SET_PDEATHSIG's signal when the *thread* that started the child ends. If a pool thread started
  /// the child, the child would die with that thread. This thread lives exactly as long as the child.
  private func startThread(_ spawn: @escaping @Sendable () throws(TestSupportError) -> pid_t) {
    let started = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [self] in
      do throws(TestSupportError) {
        let pid = try spawn()
        state.withLock { $0 = .running(pid) }
        started.signal()
        reap(pid)
      } catch {
        state.withLock { $0 = .failed(error) }
        started.signal()
      }
    }
    started.wait()
  }

  /// Waits for the child to exit, and reaps it under the lock, so that `signal` never hits a reused process id.
  private func reap(_ pid: pid_t) {
    var information = siginfo_t()
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    state.withLock {
      // Until the child is reaped, no other process group can have its id.
      if endsGroup.load(ordering: .relaxed) { kill(-pid, SIGKILL) }
      var status: Int32 = 0
      waitpid(pid, &status, 0)
      let signal = status & 0x7f
      $0 = .ended(pid, signal == 0 ? .code((status >> 8) & 0xff) : .signal(signal))
    }
  }
}
