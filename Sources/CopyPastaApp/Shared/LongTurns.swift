#if DEBUG
  import Glibc
  import GtkKit

  /// Where the tests ask for it, by the variable `COPYPASTA_LONG_TURNS`: writes how long each turn of the main loop took
  /// that was longer than 20 ms into that file, in milliseconds, one a line.
  ///
  /// A release has nothing of it.
  @MainActor
  enum LongTurns {
    static func recordWhereAsked() {
      guard let path = getenv("COPYPASTA_LONG_TURNS") else { return }
      let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      guard file >= 0 else { return }
      MainLoop.onLongTurn(over: .milliseconds(20)) { time in
        let line = "\(time / .milliseconds(1))\n"
        _ = line.utf8.withContiguousStorageIfAvailable { write(file, $0.baseAddress, $0.count) }
      }
    }
  }
#endif
