#if DEBUG
  import CGtk
  import Glibc

  extension MainLoop {
    /// Calls after each turn of the loop that took longer than `limit`, with the time from the end of one sleep to the
    /// beginning of the next: so long nothing was drawn, and no key heard.
    ///
    /// For tests; a release does not have it.
    public static func onLongTurn(over limit: Duration, _ body: @escaping @MainActor (Duration) -> Void) {
      Turn.limit = limit
      Turn.report = body
      let poll: @MainActor @convention(c) (UnsafeMutablePointer<GPollFD>?, guint, gint) -> gint = {
        Turn.end()
        defer { Turn.begin = .now }
        return g_poll($0, $1, $2)
      }
      g_main_context_set_poll_func(nil, unsafeBitCast(poll, to: GPollFunc.self))
    }
  }

  /// The turn that is going on.
  @MainActor
  private enum Turn {
    static var begin: ContinuousClock.Instant?
    static var limit = Duration.zero
    static var report: (@MainActor (Duration) -> Void)?

    static func end() {
      guard let begin else { return }
      let time = begin.duration(to: .now)
      if time > limit { report?(time) }
    }
  }
#endif
