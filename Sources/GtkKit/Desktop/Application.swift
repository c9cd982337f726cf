import CGtk
import Glibc

/// The program on the desktop: one process, known by its id.
@MainActor
public final class Application: Object {
  /// Makes the application; `id` is its D-Bus name, its desktop file's and its windows' class.
  ///
  /// To GLib the application is a service: it shows nothing by itself, only when it is asked to.
  public convenience init(id: String) {
    // On X11 GTK takes the first half of WM_CLASS from the program's name.
    g_set_prgname(id)
    self.init(
      Owned(taking: gtk_application_new(id, copypasta_G_APPLICATION_IS_SERVICE)))
  }

  /// Calls `body` once, before the first window.
  public func onStartup(_ body: @escaping @MainActor () -> Void) { connect("startup", body) }

  /// Calls `body` when the window is to be shown, because the program was launched again or activated over D-Bus.
  public func onActivate(_ body: @escaping @MainActor () -> Void) { connect("activate", body) }

  /// Whether the program is known on the session bus, or was found to be without one.
  public var isRegistered: Bool { g_application_get_is_registered(cast()) != 0 }

  /// Adds an action that other programs may run as well, over D-Bus.
  public func addAction(_ name: String, keys: [String] = [], _ body: @escaping @MainActor () -> Void) {
    GtkKit.addAction(name, to: opaque) { _ in body() }
    withCStrings(keys) { gtk_application_set_accels_for_action(cast(), "app." + name, $0) }
  }

  /// Adds an action that is on or off, which other programs may turn over as well, over D-Bus.
  public func addAction(_ action: ToggleAction) { g_action_map_add_action(opaque, action.opaque) }

  /// Keeps the program alive until `quit`, though no window is shown.
  public func hold() { g_application_hold(cast()) }

  /// Ends the program at the next turn of the main loop.
  public func quit() { g_application_quit(cast()) }

  /// Runs the program until it ends.
  ///
  /// - Returns: the exit status.
  public func run() -> Int32 { g_application_run(cast(), 0, nil) }

  /// Calls `body` on SIGTERM, SIGINT or SIGHUP, in place of their default.
  ///
  /// A signal that the program was started to ignore stays ignored: `nohup` and a shell's `&` do that.
  public func onTerminationSignal(_ body: @escaping @MainActor () -> Void) {
    let received: SourceBody = {
      body()
      return true
    }
    for signal in [SIGTERM, SIGINT, SIGHUP] where !isIgnored(signal) {
      g_unix_signal_add_full(
        G_PRIORITY_DEFAULT, signal, callSourceBody, Closure.retained(received), releaseClosure)
    }
  }
}

private func isIgnored(_ signal: Int32) -> Bool {
  var action = sigaction()
  sigaction(signal, nil, &action)
  return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN, a macro.
}
