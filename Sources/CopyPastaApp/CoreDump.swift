import Glibc

/// The file that a crash leaves behind, with all that was in memory: clips, and what was on the clipboard.
enum CoreDump {
  /// Forbids it for this process, whatever the system is set to.
  ///
  /// The limit is 1 byte and not 0: the kernel heeds no limit where dumps are piped to a program (systemd-coredump,
  /// apport), except for this value, by which it stops the dump of such a program itself.
  ///
  /// `PR_SET_DUMPABLE` would forbid debuggers as well. But then `/proc/PID/root` can be read by root only, and
  /// xdg-desktop-portal refuses whom it cannot look at there: the global shortcut and the start at login in a sandbox
  /// would be lost. And it would protect little: what runs as this user can read the history's file itself.
  static func forbid() {
    var limit = rlimit(rlim_cur: 1, rlim_max: 1)
    // It can only fail where the hard limit is 0, which is as good.
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
  }
}
