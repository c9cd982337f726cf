import CGtk
import Glibc

/// The application on the desktop: a single process, identified by its application id.
@MainActor
public final class Application: Object {
  /// Creates the application; `id` is also its D-Bus name, the name of its desktop file, and the class of its windows.
  ///
  /// GLib treats the application as a service: no window appears until the application is activated.
  public convenience init(id: String) {
    // On X11, GTK uses the program name as the first part of WM_CLASS.
    g_set_prgname(id)
    self.init(
      Owned(taking: gtk_application_new(id, copypasta_G_APPLICATION_IS_SERVICE)))
  }

  /// Receives each key that is pressed while a menu of one of the application's windows is open, and returns whether it
  /// handled the key.
  public var onMenuKey: (@MainActor (Accelerator) -> Bool)?

  /// Calls `body` once, before the first window.
  public func onStartup(_ body: @escaping @MainActor () -> Void) { connect("startup", body) }

  /// Calls `body` when the window should be shown, because the program was launched again or activated over D-Bus.
  public func onActivate(_ body: @escaping @MainActor () -> Void) { connect("activate", body) }

  /// Whether the application has registered on the session bus, or determined that there is no bus.
  public var isRegistered: Bool { g_application_get_is_registered(cast()) != 0 }

  /// Adds an action that other programs can activate over D-Bus.
  public func addAction(_ name: String, keys: [String] = [], _ body: @escaping @MainActor () -> Void) {
    GtkKit.addAction(name, to: opaque) { _ in body() }
    withCStrings(keys) { gtk_application_set_accels_for_action(cast(), "app." + name, $0) }
  }

  /// Adds a stateful action that other programs can toggle over D-Bus.
  public func addAction(_ action: ToggleAction) { g_action_map_add_action(opaque, action.opaque) }

  /// Activates one of the actions that take no parameter.
  public func activate(action name: String) { g_action_group_activate_action(opaque, name, nil) }

  /// Keeps the program running until `quit`, even without a window.
  public func hold() { g_application_hold(cast()) }

  /// Makes `run` return at the main loop's next iteration.
  public func quit() { g_application_quit(cast()) }

  /// Runs the application until it quits.
  ///
  /// - Returns: the exit status.
  public func run() -> Int32 { g_application_run(cast(), 0, nil) }

  /// Calls `body` on SIGTERM, SIGINT or SIGHUP instead of the default action.
  ///
  /// A signal that was ignored at the start, for example because of `nohup` or a shell's `&`, stays ignored.
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
  // 1 is SIG_IGN, a macro that Swift does not import.
  return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
}
