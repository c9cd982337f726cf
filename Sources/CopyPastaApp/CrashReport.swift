import Glibc

/// What a crash leaves behind of what was in memory: clips, and what was on the clipboard.
enum CrashReport {
  /// Keeps this process from leaving anything, whatever the system is set to.
  static func forbid() {
    forbidDump()
    forbidBacktrace()
  }

  /// Swift's runtime says on standard error what lay where the registers point, which may be a clip; whoever sets the
  /// variable for it wants that.
  private static func forbidBacktrace() {
    guard getenv("SWIFT_BACKTRACE") == nil else { return }
    for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
  }

  /// Forbids a core dump.
  ///
  /// The limit is 1 byte and not 0: the kernel heeds no limit if dumps are piped to a program (systemd-coredump,
  /// apport), except for this value, by which it stops the dump of such a program itself.
  ///
  /// `PR_SET_DUMPABLE` would forbid debuggers as well. But then `/proc/PID/root` can be read by root only, and
  /// xdg-desktop-portal refuses whom it cannot look at there: the global shortcut and the start at login in a sandbox
  /// would be lost. And it would protect little: what runs as this user can read the history's file itself.
  private static func forbidDump() {
    var limit = rlimit(rlim_cur: 1, rlim_max: 1)
    // It can only fail if the hard limit is 0, which is as good.
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
  }
}
