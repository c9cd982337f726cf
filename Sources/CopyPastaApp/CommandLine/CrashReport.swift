import Glibc

/// Prevents crash reports, which would contain clips and the clipboard's text.
enum CrashReport {
  /// Prevents core dumps and backtraces, even if the system pipes core dumps to a program.
  ///
  /// Limits a core dump to 1 byte, not 0. If dumps are piped to a program (systemd-coredump, apport), the kernel
  /// ignores the limit, except that a limit of 1 stops it from starting that program.
  ///
  /// `PR_SET_DUMPABLE` would also keep debuggers out, but with it only root could read `/proc/PID/root`.
  /// xdg-desktop-portal rejects a program whose root it cannot read, so the global shortcut and the start at login
  /// would fail in a sandbox. `PR_SET_DUMPABLE` would also gain little, because any program of this user can read the
  /// history's file.
  static func forbid() {
    var limit = rlimit(rlim_cur: 1, rlim_max: 1)
    // The call fails only if the hard limit is 0, which prevents dumps to files, but not dumps that are piped.
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    // Swift's backtrace prints the memory that the registers point to, which may be a clip. Keep Swift's signal
    // handlers only if the user has set the variable that configures backtraces.
    guard getenv("SWIFT_BACKTRACE") == nil else { return }
    for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
  }
}
