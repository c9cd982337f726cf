import Glibc
import Synchronization

/// Starts a program with these standard streams, an empty signal mask, default signal handlers and its own process
/// group.
func spawn(
  _ arguments: [String], environment: [String: String], input: Int32, output: Int32, errors: Int32
) throws(TestSupportError) -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for (number, descriptor) in [input, output, errors].enumerated() {
    posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
  }

  // Reset signals, because a test runner may ignore SIGPIPE or block signals, which a child would inherit.
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var signals = sigset_t()
  sigemptyset(&signals)
  posix_spawnattr_setsigmask(&attributes, &signals)
  sigfillset(&signals)
  posix_spawnattr_setsigdefault(&attributes, &signals)
  posix_spawnattr_setflags(
    &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

  var pid: pid_t = 0
  let code = withCStrings(arguments) { argv in
    withCStrings(environment.map { "\($0)=\($1)" }) { environment in
      spawning.withLock { _ in posix_spawn(&pid, arguments[0], &actions, &attributes, argv, environment) }
    }
  }
  guard code == 0 else { throw .system("cannot start \(arguments)", code: code) }
  return pid
}

/// Runs a program without input and output, blocks until it has ended, and returns whether it has succeeded.
func succeeds(_ arguments: [String], environment: [String: String]) -> Bool {
  let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
  defer { close(nothing) }
  do {
    let child = try spawn(
      arguments, environment: environment, input: nothing, output: nothing, errors: nothing)
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    return status == 0
  } catch { return false }
}

/// Makes a pipe that a child inherits only if it is passed explicitly; the caller closes both ends.
///
/// Swift cannot import `pipe2`. The lock prevents spawning another child before the ends are marked close-on-exec: that
/// child would keep them open, and the reader would wait for that child to exit as well.
public func pipe() throws -> (read: Int32, write: Int32) {
  var ends: [Int32] = [-1, -1]
  try spawning.withLock { _ in
    guard pipe(&ends) == 0 else { throw TestSupportError.system("pipe", code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }
  return (ends[0], ends[1])
}

private let spawning = Mutex(())

/// Calls `body` with a null-terminated array of C strings, which are valid during the call.
private func withCStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { copies.forEach { free($0) } }
  return body(copies + [nil])
}
